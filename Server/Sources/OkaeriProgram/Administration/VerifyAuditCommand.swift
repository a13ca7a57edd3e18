import ArgumentParser
import Domain

/// `okaeri audit verify`
struct VerifyAuditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Find entries of the audit log that were changed, removed or put in.",
        discussion: """
            Reads every entry and checks it under a key that is derived from the sealing key. The exit status is 1 when \
            something does not fit.

            Somebody who puts back an older copy of the whole database leaves a log that fits. Keep the last number and \
            digest that this command tells somewhere else, and give them back with --known.

            Examples:
              okaeri audit verify
              okaeri audit verify --application 00VHj9mrbT8wn7Qk
              okaeri audit verify --application 00VHj9mrbT8wn7Qk \\
                --known 1042:w3hXc0mG1PZb...
            """)

    @Option(help: ArgumentHelp("The application whose log is verified. (default: all, and the server's own)"))
    var application: String?

    @Option(
        help: ArgumentHelp(
            "A number and a digest that were printed before. The log must still hold them.", valueName: "number:digest")
    )
    var known: KnownAuditEntry?

    @OptionGroup var storage: StorageOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard known == nil || application != nil else { throw ValidationError("--known needs --application.") }
    }

    func run() async throws {
        let (application, known) = (application.map(Identifier<Application>.init(rawValue:)), known)
        let found = try await storage.perform(.verifyAudit) {
            modules, who throws(DomainError) -> [VerifyAudit.Verdict]? in
            if let application { _ = try await modules.applications.findApplication(application) }
            let audit = modules.administration.audit
            // What waits would be put into its log under the other key, where it never fits again.
            guard try await !audit.verify.isUnderAnotherKey() else { return nil }
            try await audit.chain()
            return try await audit.verify(application, known: known?.entry)
        }
        guard let verdicts = found else {
            throw CommandFault.failed(
                "No log begins or ends as the first sealing key would have it, and nothing more was looked at. Give the "
                    + "command the OKAERI_SEALING_KEY that the installation began with, also when it seals nothing any "
                    + "more. If this is that key, beginning and end of each log were changed.")
        }
        if output.isJSON {
            Console.write(json: Output(logs: verdicts.map(LogDescription.init(_:))))
        } else {
            for verdict in verdicts { Console.write(verdict.words) }
        }
        guard verdicts.allSatisfy(\.faults.isEmpty) else { throw CommandFault.failed("The audit log was changed.") }
    }

    private struct Output: Encodable {
        let logs: [LogDescription]
    }

    private struct LogDescription: Encodable {
        let application: String?
        let entries: Int
        let last: String?
        let faults: [String]

        init(_ verdict: VerifyAudit.Verdict) {
            application = verdict.application == AuditEntry.server ? nil : verdict.application.rawValue
            entries = verdict.entryCount
            last = verdict.last
            faults = verdict.faults.map(\.sentence)
        }
    }
}

/// An entry of the audit log as `okaeri audit verify` tells it: `1042:` and the digest in base64url.
struct KnownAuditEntry: ExpressibleByArgument {
    let entry: VerifyAudit.Known

    init?(argument: String) {
        let parts = argument.split(separator: ":", maxSplits: 1)
        guard parts.count == 2, let number = Int64(parts[0], radix: 10), number > 0,
            let digest = Base64URL.bytes(of: parts[1].utf8).flatMap({ SecretDigest(stored: $0) })
        else { return nil }
        entry = VerifyAudit.Known(number: number, digest: digest)
    }
}

extension VerifyAudit.Verdict {
    /// The end of the chain, to be kept elsewhere.
    fileprivate var last: String? {
        head.map { "\($0.number):\(Base64URL.text(of: $0.digest.bytes))" }
    }

    fileprivate var words: String {
        let name = application == AuditEntry.server ? "server" : application.rawValue
        let entries = entryCount.counted("entry", "entries")
        guard faults.isEmpty else {
            return
                (["\(name): \(entries), and not all is as it was written:"]
                + faults.map { "  \($0.sentence)" }).joined(separator: "\n")
        }
        return "\(name): \(entries), all as written. The last: \(last ?? "–")"
    }
}

extension VerifyAudit.Fault {
    fileprivate var sentence: String {
        switch self {
        case .changed(let number, let id): "Entry \(number) (\(id)) is not as it was written."
        case .missing(let first, let last) where first == last: "Entry \(first) is missing."
        case .missing(let first, let last): "The entries \(first) to \(last) are missing."
        case .misplaced(let number, let id):
            "Entry \(number) (\(id)) does not follow the one before it: one was removed there, or this one put in."
        case .headChanged: "The record of where the log ends is missing or was changed."
        case .knownMissing(let number): "Entry \(number) is not the one that was known."
        }
    }
}
