import ArgumentParser
import Domain
import HTTPSupport

extension OldService.Name: ExpressibleByArgument {}

/// `okaeri old-service …`
struct OldServiceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "old-service",
        abstract: "Services whose tokens lead to the users that were imported from there.",
        discussion: """
            An app that has Okaeri's SDK now hands over the token that the old service's SDK left on the device; the server \
            verifies it by the service's keys and finds the user by the id that the import kept. Off until a service is set. \
            For services that are not listed here there is the hook “adoption”.

            Examples:
              okaeri old-service set firebase --project my-game \\
                --application 00VHj9mrbT8wn7Qk
              okaeri old-service set supabase --issuer https://abc.supabase.co/auth/v1 \\
                --application 00VHj9mrbT8wn7Qk
              okaeri old-service list --application 00VHj9mrbT8wn7Qk
            """,
        subcommands: [SetOldServiceCommand.self, ListOldServicesCommand.self, RemoveOldServiceCommand.self])
}

/// `okaeri old-service set`
struct SetOldServiceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Trust a service's tokens, or change how it is known.",
        discussion: """
            Firebase needs the project, Supabase the issuer, Cognito the issuer and the app's clients, Nakama nothing: its \
            device ids are those that “okaeri import nakama” took in. A project of Supabase \
            that signs with its JWT secret needs that too; it is read from a file, because the list of processes shows command \
            lines, and stored sealed.

            Examples:
              okaeri old-service set firebase --project my-game \\
                --application 00VHj9mrbT8wn7Qk
              okaeri old-service set supabase --issuer https://abc.supabase.co/auth/v1 \\
                --secret-file secret \\
                --application 00VHj9mrbT8wn7Qk
              okaeri old-service set cognito --client 3n4b5urk1ft4fl3mg5e62d9ado \\
                --issuer https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_a1B2c3D4e \\
                --application 00VHj9mrbT8wn7Qk
            """)

    @Argument(help: "firebase, supabase, cognito or nakama.")
    var service: OldService.Name

    @Option(help: ArgumentHelp("Firebase's project.", valueName: "id"))
    var project: String?

    @Option(help: ArgumentHelp("Who issues the tokens, without a slash at the end.", valueName: "url"))
    var issuer: String?

    @Option(
        name: .customLong("client"),
        help: ArgumentHelp("A client of the user pool. May be repeated; replaces all that were set.", valueName: "id"))
    var clients: [String] = []

    @Option(help: ArgumentHelp("A file with Supabase's JWT secret.", valueName: "file"))
    var secretFile: String?

    @OptionGroup var application: ApplicationOption
    @OptionGroup var storage: StorageOptions

    func validate() throws {
        guard project == nil || service == .firebase else { throw ValidationError("--project is for firebase alone.") }
        guard clients.isEmpty || service == .cognito else { throw ValidationError("--client is for cognito alone.") }
    }

    func run() async throws {
        let secret = try secretFile.map(SecretFile.secret)
        let (id, service) = (application.id, service)
        let draft = ManageOldServices.Draft(
            issuer: issuer, audiences: project.map { [$0] } ?? clients, secret: secret)
        do throws(CommandFault) {
            _ = try await storage.perform(.changeOldServices, in: id) { modules, who throws(DomainError) in
                try await modules.providers.manageOldServices.set(
                    service, to: draft, in: id, isCurrent: { _ in true }, by: who)
            }
        } catch {
            throw error.naming([
                "audiences": service == .firebase ? "--project" : "--client", "issuer": "--issuer",
                "secret": "--secret-file",
            ])
        }
        Console.write("Tokens of \(service.rawValue) lead to imported users now.")
    }
}

/// `okaeri old-service list`
struct ListOldServicesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Print the services whose tokens an application takes.",
        discussion: """
            Example:
              okaeri old-service list --application 00VHj9mrbT8wn7Qk
            """)

    @OptionGroup var application: ApplicationOption
    @OptionGroup var storage: StorageOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let id = application.id
        let services = try await storage.perform(.readSettings, in: id) { modules, _ throws(DomainError) in
            try await modules.applications.findApplication(id).oldServices
        }
        guard !output.isJSON else { return Console.write(json: OldServicesBody(services)) }
        guard !services.isEmpty else { return Console.write("The application takes tokens of no other service.") }
        var table = TextTable("SERVICE", "ISSUER", "AUDIENCES", "SECRET")
        for service in services {
            table.add(
                service.name.rawValue, service.issuer ?? "–", service.audiences.joined(separator: " "),
                service.sealedSecret == nil ? "no" : "yes")
        }
        Console.write(table.text())
    }
}

/// `okaeri old-service remove`
struct RemoveOldServiceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Take a service's tokens no more. Users who came from there stay.",
        discussion: """
            Example:
              okaeri old-service remove firebase --application 00VHj9mrbT8wn7Qk
            """)

    @Argument(help: "firebase, supabase, cognito or nakama.")
    var service: OldService.Name

    @OptionGroup var application: ApplicationOption
    @OptionGroup var storage: StorageOptions

    func run() async throws {
        let (id, service) = (application.id, service)
        do throws(CommandFault) {
            try await storage.perform(.changeOldServices, in: id) { modules, who throws(DomainError) in
                try await modules.providers.manageOldServices.remove(
                    service, in: id, isCurrent: { _ in true }, by: who)
            }
        } catch {
            throw error.saying(
                "The application takes no tokens of \(service.rawValue). “okaeri old-service list” shows whose it takes.",
                of: .adminResourceUnknown)
        }
        Console.write("Tokens of \(service.rawValue) lead to nobody any more.")
    }
}
