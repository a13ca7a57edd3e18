import ArgumentParser
import Domain
import Foundation
import HTTPSupport

/// `okaeri application passkeys`
struct PasskeyRulesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "passkeys",
        abstract: "Show or change what an application has decided of passkeys.",
        discussion: """
            Without options it shows the present rules. Choose the domain once: passkeys of another domain do not work any \
            more. Each option that can be given several times takes the place of the whole list; an empty text empties it.

            Examples:
              okaeri application passkeys 00VHj9mrbT8wn7Qk
              okaeri application passkeys 00VHj9mrbT8wn7Qk --enabled --domain example.com
              okaeri application passkeys 00VHj9mrbT8wn7Qk \\
                --origin https://app.example.com --origin https://example.com:8443
              okaeri application passkeys 00VHj9mrbT8wn7Qk \\
                --no-user-verification-required --allow-authenticator ""
              okaeri application passkeys 00VHj9mrbT8wn7Qk --attestation-roots makers.pem
            """)

    @Argument(help: "The application's id.")
    var id: String

    @Flag(inversion: .prefixedNo, help: "Users can have passkeys.")
    var enabled: Bool?

    @Option(help: "The domain that passkeys belong to; empty for the host of the server's own address.")
    var domain: String?

    @Option(help: "A further origin: https://…, or android:apk-key-hash:….")
    var origin: [String] = []

    @Flag(inversion: .prefixedNo, help: "A PIN, a finger or a face is needed beside a touch.")
    var userVerificationRequired: Bool?

    @Option(help: ArgumentHelp("The only kinds of authenticators that are taken.", valueName: "aaguid"))
    var allowAuthenticator: [String] = []

    @Option(help: ArgumentHelp("A kind of authenticators that is not taken.", valueName: "aaguid"))
    var refuseAuthenticator: [String] = []

    @Option(help: ArgumentHelp("An app for iOS or macOS.", valueName: "teamid.bundle-id"))
    var appleApp: [String] = []

    @Option(
        help: ArgumentHelp(
            "An app for Android: its package and the SHA-256 of its certificates, with spaces between.",
            valueName: "app"))
    var androidApp: [String] = []

    @Option(
        help: ArgumentHelp(
            "Roots of makers of authenticators: certificates in PEM, or JSON that names them by AAGUID; empty for none.",
            valueName: "file"))
    var attestationRoots: String?

    @OptionGroup var storage: StorageOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let id = Identifier<Application>(rawValue: id)
        let change = Change(
            enabled: enabled, domain: domain, userVerificationRequired: userVerificationRequired,
            lists: [
                (\.origins, origin), (\.allowedAuthenticators, allowAuthenticator),
                (\.refusedAuthenticators, refuseAuthenticator), (\.appleApps, appleApp),
                (\.androidAppLines, androidApp),
            ], roots: try attestationRoots.map(AttestationRoots.read))
        let rules = try await storage.perform(.changeSettings) { modules, who throws(DomainError) in
            try await modules.applications.changeApplication(id, isCurrent: { _ in true }, by: who) { application in
                change.apply(to: &application.settings.passkeys)
            }.settings.passkeys
        }
        guard !output.isJSON else { return Console.write(json: PasskeyRulesBody(rules)) }
        func list(_ texts: [String], _ none: String) -> String { texts.isEmpty ? none : texts.joined(separator: ", ") }
        Console.write(
            TextTable([
                "passkeys": rules.isEnabled ? "on" : "off", "domain": rules.domain ?? "the server's own",
                "further origins": list(rules.origins, "none"),
                "PIN, finger or face": rules.requiresUserVerification ? "required" : "preferred",
                "authenticators": list(rules.allowedAuthenticators, "all"),
                "refused authenticators": list(rules.refusedAuthenticators, "none"),
                "roots of makers": rules.attestationRoots.isEmpty ? "none" : String(rules.attestationRoots.count),
                "apps for iOS and macOS": list(rules.appleApps, "none"),
                "apps for Android": list(rules.androidAppLines, "none"),
            ]).text())
    }

    private struct Change: Sendable {
        let enabled: Bool?
        let domain: String?
        let userVerificationRequired: Bool?
        let lists: [(any WritableKeyPath<PasskeyRules, [String]> & Sendable, [String])]
        let roots: [AttestationRoots]?

        func apply(to rules: inout PasskeyRules) {
            if let enabled { rules.isEnabled = enabled }
            if let domain { rules.domain = domain.isEmpty ? nil : domain }
            if let userVerificationRequired { rules.requiresUserVerification = userVerificationRequired }
            for (path, given) in lists where !given.isEmpty { rules[keyPath: path] = given.filter { !$0.isEmpty } }
            if let roots { rules.attestationRoots = roots }
        }
    }
}

extension AttestationRoots {
    /// Reads a file of certificates in PEM, or `{"AAGUID": ["PEM", …], …}`; none for an empty name.
    ///
    /// - Throws: `CommandFault` for a file that is neither.
    fileprivate static func read(_ path: String) throws(CommandFault) -> [AttestationRoots] {
        guard !path.isEmpty else { return [] }
        guard let bytes = FileManager.default.contents(atPath: path) else {
            throw .usage("The file \(path) of --attestation-roots cannot be read.")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw .usage(
                "The file \(path) of --attestation-roots is no text: certificates must be in PEM. “openssl x509 -inform der” "
                    + "makes that of others.")
        }
        guard text.drop(while: \.isWhitespace).first == "{" else {
            return [AttestationRoots(certificates: text, authenticators: [])]
        }
        // Whatever is wrong with it, the sentence has the form.
        guard let listed = try? JSONDecoder().decode([String: [String]].self, from: bytes) else {
            throw .usage(
                "The file \(path) of --attestation-roots must be a JSON object with a list of certificates in PEM for each "
                    + "AAGUID.")
        }
        return listed.sorted { $0.key < $1.key }.map {
            AttestationRoots(certificates: $0.value.joined(separator: "\n"), authenticators: [$0.key])
        }
    }
}
