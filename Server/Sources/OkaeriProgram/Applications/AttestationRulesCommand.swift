import ArgumentParser
import Domain
import Foundation
import HTTPSupport

extension AttestationRules.Mode: ExpressibleByArgument {}

/// `okaeri application attestation`
struct AttestationRulesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "attestation",
        abstract: "Show or change what an application demands of first launches.",
        discussion: """
            Without options it shows the present rules. Known devices are never judged. Budgets are first launches in an hour: \
            of an address, then of the whole application.

            Examples:
              okaeri application attestation 00VHj9mrbT8wn7Qk
              okaeri application attestation 00VHj9mrbT8wn7Qk --mode limited \\
                --apple-app TEAM123456.com.example.app
              okaeri application attestation 00VHj9mrbT8wn7Qk --unattested 30 1000 \\
                --proof-of-work-bits 18
              okaeri application attestation 00VHj9mrbT8wn7Qk \\
                --play-app "com.example.app device FA:C6:…" --play-keys keys.json
              okaeri application attestation 00VHj9mrbT8wn7Qk --mode off
            """)

    @Argument(help: "The application's id.")
    var id: String

    @Option(help: "off, limited or required.")
    var mode: AttestationRules.Mode?

    @Option(help: ArgumentHelp("An app whose attestations count.", valueName: "teamid.bundle-id"))
    var appleApp: [String] = []

    @Option(
        help: ArgumentHelp(
            "An app of Google Play: its package, basic, device or strong, and the SHA-256 of its certificates.",
            valueName: "app"))
    var playApp: [String] = []

    @Option(
        help: ArgumentHelp(
            "Play Integrity keys as JSON: for each package an object with decryptionKey and verificationKey.",
            valueName: "file"))
    var playKeys: String?

    @Flag(inversion: .prefixedNo, help: "Apps count that were not installed from a store.")
    var takesDevelopment: Bool?

    @Option(parsing: .upToNextOption, help: ArgumentHelp("Attested first launches in an hour.", valueName: "numbers"))
    var attested: [Int] = []

    @Option(parsing: .upToNextOption, help: ArgumentHelp("Those without an attestation.", valueName: "numbers"))
    var unattested: [Int] = []

    @Option(parsing: .upToNextOption, help: ArgumentHelp("Attestations that are refused.", valueName: "numbers"))
    var refused: [Int] = []

    @Option(help: ArgumentHelp("Zero bits of a proof of work, 10 to 20; 0 for none.", valueName: "bits"))
    var proofOfWorkBits: Int?

    @OptionGroup var storage: StorageOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        let budgets = [("--attested", attested), ("--unattested", unattested), ("--refused", refused)]
        for (option, numbers) in budgets where !numbers.isEmpty && numbers.count != 2 {
            throw ValidationError("\(option) must be two numbers: of an address, and of the whole application.")
        }
    }

    func run() async throws {
        let id = Identifier<Application>(rawValue: id)
        let given = try playKeys.map(Self.keys(inFile:)) ?? [:]
        let change = Change(
            mode: mode, appleApps: appleApp, playApps: playApp, takesDevelopment: takesDevelopment,
            budgets: [(\.attested, attested), (\.unattested, unattested), (\.refused, refused)],
            proofOfWorkBits: proofOfWorkBits)
        let rules = try await storage.perform(.changeSettings) { modules, who throws(DomainError) in
            var keys: [String: PlayKeys] = [:]
            for (package, key) in given {
                keys[package] = try modules.applications.sealPlayKeys(
                    decryptionKey: Secret(key.decryptionKey), verificationKey: key.verificationKey, of: package, in: id)
            }
            let sealed = keys
            return try await modules.applications.changeApplication(id, isCurrent: { _ in true }, by: who) {
                application in
                change.apply(to: &application.settings.attestation, sealed)
            }.settings.attestation
        }
        guard !output.isJSON else { return Console.write(json: AttestationRulesBody(rules)) }
        func text(_ budget: AttestationRules.Budget) -> String {
            "\(budget.perAddress) of an address, \(budget.perApplication) in all"
        }
        Console.write(
            TextTable([
                "first launches": rules.mode.rawValue,
                "apps": rules.appleApps.isEmpty ? "none" : rules.appleApps.joined(separator: ", "),
                "apps of Google Play": rules.playApps.isEmpty ? "none" : rules.playAppLines.joined(separator: "\n"),
                "development": rules.takesDevelopment ? "taken" : "refused",
                "attested in an hour": text(rules.attested), "unattested in an hour": text(rules.unattested),
                "refused in an hour": text(rules.refused),
                "proof of work": rules.proofOfWorkBits == 0 ? "none" : "\(rules.proofOfWorkBits) bits",
            ]).text())
    }

    private struct GivenKeys: Decodable, Sendable {
        let decryptionKey: String
        let verificationKey: String
    }

    private static func keys(inFile path: String) throws -> [String: GivenKeys] {
        guard let bytes = FileManager.default.contents(atPath: path) else {
            throw CommandFault.usage("The file \(path) of --play-keys cannot be read.")
        }
        guard let keys = try? JSONDecoder().decode([String: GivenKeys].self, from: bytes) else {
            throw CommandFault.usage(
                "The file \(path) of --play-keys must be a JSON object with decryptionKey and verificationKey for each package."
            )
        }
        return keys
    }

    private struct Change: Sendable {
        let mode: AttestationRules.Mode?
        let appleApps: [String]
        let playApps: [String]
        let takesDevelopment: Bool?
        let budgets: [(any WritableKeyPath<AttestationRules, AttestationRules.Budget> & Sendable, [Int])]
        let proofOfWorkBits: Int?

        func apply(to rules: inout AttestationRules, _ keys: [String: PlayKeys]) {
            if let mode { rules.mode = mode }
            if !appleApps.isEmpty { rules.appleApps = appleApps.filter { !$0.isEmpty } }
            if !playApps.isEmpty { rules.playAppLines = playApps }
            for package in keys.keys.sorted() {
                if let keys = keys[package] { rules.set(keys, of: package) }
            }
            if let takesDevelopment { rules.takesDevelopment = takesDevelopment }
            for (path, numbers) in budgets {
                guard let first = numbers.first, let last = numbers.last else { continue }
                rules[keyPath: path] = AttestationRules.Budget(perAddress: first, perApplication: last)
            }
            if let proofOfWorkBits { rules.proofOfWorkBits = proofOfWorkBits }
        }
    }
}
