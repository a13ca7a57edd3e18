import ArgumentParser
import Domain
import Foundation
import OkaeriServer

/// Where the data is.
struct StorageOptions: ParsableArguments, SettingHolder {
    @Option(.data) var data: GivenSetting?
    @Option(.database) var database: GivenSetting?

    @Option(
        name: .customLong("config"),
        help: ArgumentHelp(
            "A JSON file with settings by name, such as {\"listen\": \"127.0.0.1:9000\"}. "
                + "(\(Setting.fileVariable))",
            valueName: "file"))
    var configurationFile: String?

    /// What the options say, by setting name.
    var values: [String: String] {
        var values = given
        values["config"] = configurationFile
        return values
    }

    /// All settings: these options over the environment over the configuration file.
    func settings() throws(CommandFault) -> ServerSettings {
        try ServerSettings.read(values)
    }

    /// Opens the storage of the settings, as `ServerSettings.withStorage` does.
    ///
    /// - Throws: `CommandFault`.
    func withStorage<Value: Sendable>(
        makesDatabase: Bool = false, _ body: (Modules) async throws(DomainError) -> Value
    ) async throws(CommandFault) -> Value {
        try await settings().withStorage(makesDatabase: makesDatabase, body)
    }

    /// Opens the storage of the settings under the policy of an action, as `ServerSettings.perform` does.
    ///
    /// - Throws: `CommandFault`.
    func perform<Value: Sendable>(
        _ action: AdminAction, in application: Identifier<Application>? = nil, on user: Identifier<User>? = nil,
        makesDatabase: Bool = false, _ work: (Modules, Operator) async throws(DomainError) -> Value
    ) async throws(CommandFault) -> Value {
        try await settings().perform(action, in: application, on: user, makesDatabase: makesDatabase, work)
    }
}

extension ServerSettings {
    /// Opens the storage, does something with it, and closes it.
    ///
    /// - Parameters:
    ///   - makesDatabase: Whether a folder without a database gets one.
    ///   - body: What to do.
    /// - Returns: What `body` returns.
    /// - Throws: `CommandFault` for settings, storage and what `body` throws.
    func withStorage<Value: Sendable>(
        makesDatabase: Bool = false, _ body: (Modules) async throws(DomainError) -> Value
    ) async throws(CommandFault) -> Value {
        if database == nil { try requireDatabase(orFree: makesDatabase) }
        let composition: Composition
        do {
            composition = try await Composition(besideRunningServer, role: .command)
        } catch {
            throw CommandFault(error)
        }
        composition.observeOutboundFaults { Console.tell("okaeri: another server cannot be asked: \($0)") }
        let result: Result<Value, DomainError>
        do throws(DomainError) {
            result = .success(try await body(composition.modules))
        } catch {
            result = .failure(error)
        }
        await composition.close()
        do {
            return try result.get()
        } catch {
            throw CommandFault(error)
        }
    }

    /// Opens the storage and does something under the policy of its action, as the operator of this machine. What is recorded is
    /// written under the installation's own sealing keys alone, or not at all.
    ///
    /// - Throws: `CommandFault`, as `withStorage` does.
    func perform<Value: Sendable>(
        _ action: AdminAction, in application: Identifier<Application>? = nil, on user: Identifier<User>? = nil,
        makesDatabase: Bool = false, _ work: (Modules, Operator) async throws(DomainError) -> Value
    ) async throws(CommandFault) -> Value {
        let result = try await withStorage(makesDatabase: makesDatabase) {
            modules throws(DomainError) -> Result<Value, StartFault> in
            if let refusal = try await sealingRefusal(of: action, modules) { return .failure(refusal) }
            let value = try await modules.administration.perform(
                action, by: .commandLine, in: application, on: user, refusal: { $0 }
            ) { who throws(DomainError) in
                try await work(modules, who)
            }
            return .success(value)
        }
        do throws(StartFault) {
            return try result.get()
        } catch {
            throw CommandFault(error)
        }
    }

    /// Why an action that writes to the audit log, and may seal, may not do so with the sealing keys of these settings.
    private func sealingRefusal(of action: AdminAction, _ modules: Modules) async throws(DomainError) -> StartFault? {
        let (policy, check) = (action.policy, SealingKeyCheck(self, modules))
        guard policy.audit != nil else { return nil }
        // A reading seals nothing, sealing again goes on with the keys that there are and says which values lack theirs, and beside
        // a server the key that seals has been compared with the server's.
        let isBesideServer = database == nil && ServerInfoFile.read(in: dataFolder)?.sealingKeys != nil
        if policy.recordsReading || action == .resealSecrets || isBesideServer {
            return try await check.firstKey().refusal
        }
        return try await check.refusal()
    }
}

extension ServerSettings {
    /// Whether the embedded database is to be made yet, in a folder that is free for it.
    var isNewInstallation: Bool {
        database == nil && StorageInspection.presence(in: dataFolder) == .missing
            && StorageInspection.refusal(ofStandby: dataFolder) == nil
    }

    /// What a command says that makes a database in a folder without one: a mistyped folder shows here.
    func noteOnNewFolder(_ consequence: String) -> String {
        let folder = URL(fileURLWithPath: dataFolder).standardizedFileURL.path
        return "okaeri: The data folder \(folder) is new: \(consequence). For a server that there is, name its folder "
            + "with --data or \(Setting.data.variable)."
    }

    /// - Parameter orFree: Whether a folder without a database will do, because one is made.
    /// - Throws: `CommandFault` when the data folder has no database, or one that this user may not read.
    func requireDatabase(orFree: Bool = false) throws(CommandFault) {
        switch StorageInspection.presence(in: dataFolder) {
        case .there: return
        case .missing where orFree: return
        case .missing:
            if let refusal = StorageInspection.refusal(ofStandby: dataFolder) { throw .failed(refusal) }
            throw .failed(
                "There is no Okaeri database in the data folder \(dataFolder). “okaeri serve --data \(dataFolder)” makes one; "
                    + "--data names another folder.")
        case .denied: try requireRights()
        }
    }

    /// - Throws: `CommandFault` when this user may not look into the data folder: it does not tell whether anything is there.
    func requireRights() throws(CommandFault) {
        guard StorageInspection.presence(in: dataFolder) == .denied else { return }
        throw .failed(
            "The database in the data folder \(dataFolder) cannot be read: permission denied for \(SystemName.user). Call "
                + "the command as the user of the server, such as with “sudo -u okaeri”.")
    }

    /// The server that runs on the data folder.
    ///
    /// - Throws: `CommandFault` when none runs there, or this user may not know.
    func requireRunningServer() throws(CommandFault) -> ServerInfoFile {
        if let running = ServerInfoFile.read(in: dataFolder) { return running }
        try requireRights()
        throw .failed(
            "No server runs on the data folder \(dataFolder). Start one with “okaeri serve --data \(dataFolder)”, or name "
                + "another folder with --data.")
    }

    /// All settings: values by name over the environment over the configuration file.
    static func read(
        _ values: [String: String], environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(CommandFault) -> ServerSettings {
        do {
            return try ServerSettings(commandLine: values, environment: environment)
        } catch {
            throw .usage(error.description)
        }
    }
}

/// Which application a command is about.
struct ApplicationOption: ParsableArguments {
    @Option(name: .customLong("application"), help: ArgumentHelp("The application's id.", valueName: "id"))
    var application: String

    var id: Identifier<Application> { Identifier(rawValue: application) }
}

/// In which form a command prints.
struct OutputOptions: ParsableArguments {
    @Flag(name: .customLong("json"), help: "Print one JSON document instead of text.")
    var isJSON = false
}
