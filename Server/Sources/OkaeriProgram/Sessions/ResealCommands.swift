import ArgumentParser
import Domain

/// `okaeri keys status`
struct SealingStatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show the sealing keys by id, and how many values each one seals.",
        discussion: """
            A key can leave the settings when it seals nothing any more. Digests derive from the first key for ever, so \
            that one stays. The exit status is 1 when a key is needed that the settings do not name.

            Example:
              okaeri keys status --data /var/lib/okaeri
            """)

    @OptionGroup var storage: StorageOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let (known, counts) = try await storage.perform(.readSealingKeys) { modules, _ throws(DomainError) in
            (modules.resealSecrets.keys, try await modules.resealSecrets.counts())
        }
        let missing = counts.keys.filter { !known.contains($0) }.sorted()
        let keys = (known + missing).enumerated().map { position, id in
            Output.Key(
                id: id, values: counts[id] ?? 0, isKnown: known.contains(id), seals: position == 0)
        }
        if output.isJSON {
            Console.write(json: Output(keys: keys))
        } else {
            for key in keys {
                let words = key.seals ? "seals and opens" : key.isKnown ? "opens" : "MISSING"
                Console.write("\(key.id)  \(words)  \(key.values.counted("value"))")
            }
        }
        guard missing.isEmpty else { throw CommandFault.failed("Keys are needed that the settings do not name.") }
    }

    private struct Output: Encodable {
        let keys: [Key]

        struct Key: Encodable {
            let id: String
            let values: Int
            let isKnown: Bool
            let seals: Bool
        }
    }
}

/// `okaeri keys reseal`
struct ResealCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reseal",
        abstract: "Seal again, under the key that seals now, what older keys sealed.",
        discussion: """
            Servers go on meanwhile. Every server must have the new key first: put it behind the others in \
            OKAERI_SEALING_KEYS and start them anew, then put it first and start them anew, then run this. It can be ended \
            and started again at any time.

            Example:
              okaeri keys reseal --data /var/lib/okaeri
            """)

    @OptionGroup var storage: StorageOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let line = ProgressLine(isWanted: !output.isJSON)
        let report = try await storage.perform(.resealSecrets) { modules, who throws(DomainError) in
            let counts = try await modules.resealSecrets.counts()
            let all = counts.filter { $0.key != modules.resealSecrets.keys.first }.values.reduce(0, +)
            let start = ContinuousClock.now
            return try await modules.resealSecrets(by: who) { report in
                line.show(Self.progress(report.handled, of: all, since: start))
            }
        }
        line.end()
        if output.isJSON {
            Console.write(json: Output(report))
        } else {
            Console.write("Sealed again: \(report.resealed.counted("value")); \(report.changed) had changed meanwhile.")
        }
        guard report.unknown + report.damaged == 0 else {
            throw CommandFault.failed(
                "Values that need a key which the settings do not name: \(report.unknown). Damaged ones: \(report.damaged). "
                    + "They stay as they are; “okaeri keys status” shows the keys.")
        }
    }

    private static func progress(_ done: Int, of all: Int, since start: ContinuousClock.Instant) -> String {
        guard done > 0, all > done else { return "\(done) of \(max(all, done).counted("value"))" }
        let left = (ContinuousClock.now - start) * (Double(all - done) / Double(done))
        return "\(done) of \(all) values, \(left.components.seconds.counted("second")) left"
    }

    private struct Output: Encodable {
        let resealed: Int
        let changed: Int
        let unknown: Int
        let damaged: Int

        init(_ report: ResealSecrets.Report) {
            (resealed, changed) = (report.resealed, report.changed)
            (unknown, damaged) = (report.unknown, report.damaged)
        }
    }
}
