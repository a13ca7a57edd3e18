package import Domain
import Foundation
package import Logging
package import OutboundServices
import ServiceLifecycle
import Synchronization

/// Sends a copy of the audit log elsewhere while the server runs, entry by entry in the order of each log.
///
/// How far it has come stands in the file `audit-stream.json` of the data folder, so that a receiver that was away gets what
/// it missed. What was sent when the server died, and not noted yet, is sent again: entries have numbers.
package final class AuditStream: Service, Sendable {
    /// The wait between two looks at the log.
    static let pause: Duration = .seconds(5)
    static let longestRetry: Duration = .seconds(300)
    private static let batchSize = 100
    /// How many messages are sent when the server stops. What waits behind them is sent after the next start.
    private static let lastMessages = 2

    private let modules: Modules
    private let receiver: any AuditReceiver
    private let path: URL
    private let logger: Logger
    private let state = Mutex(State())
    private let counts: AuditStreamCounts

    private struct State: Sendable {
        var positions: ReadAuditChain.Positions = [:]
        /// How often in a row it has failed.
        var failures = 0
        /// How many entries a message has at the most: half as many after each failure, and one more after each success. What
        /// a slow line does not take in time is sent again from its beginning, and would come no further for ever.
        var batch = AuditStream.batchSize
    }

    /// - Parameters:
    ///   - modules: Has the log.
    ///   - receiver: Takes it.
    ///   - folder: Where the file is; made when it is missing.
    ///   - counts: Where it is counted.
    ///   - logger: The log for operators.
    /// - Throws: `StartFault.storage` when the file cannot be read: the stream would begin anew in silence.
    package init(
        _ modules: Modules, to receiver: any AuditReceiver, folder: String, counts: AuditStreamCounts, logger: Logger
    ) throws(StartFault) {
        self.modules = modules
        self.receiver = receiver
        self.counts = counts
        self.logger = logger
        path = URL(fileURLWithPath: folder).appendingPathComponent("audit-stream.json")
        let positions: ReadAuditChain.Positions
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            positions = try Self.positions(in: path)
        } catch {
            throw .storage(
                "\(path.path) cannot be read: \(error). Without the file the whole audit log is sent once more.")
        }
        state.withLock { $0.positions = positions }
    }

    package func run() async throws {
        // Ends by cancellation when the server stops.
        try? await cancelWhenGracefulShutdown {
            while true {
                let wait = await self.round()
                try await Task.sleep(for: wait)
            }
        }
        await finish()
    }

    /// Sends what the other services did last, as far as it does not hold the server up.
    package func finish() async {
        _ = await round(messages: Self.lastMessages)
        await receiver.close()
    }

    /// Sends what came to the log.
    ///
    /// - Returns: how long to wait for the next round.
    package func round() async -> Duration { await round(messages: .max) }

    private func round(messages: Int) async -> Duration {
        do throws(DomainError) {
            try await modules.administration.audit.chain()
            var left = messages
            while left > 0, !Task.isCancelled {
                left -= 1
                let (positions, batch) = state.withLock { ($0.positions, $0.batch) }
                let page = try await modules.administration.audit.readChain(after: positions, limit: batch)
                noteReplaced(page.replaced)
                guard !page.entries.isEmpty else { break }
                if let fault = await receiver.send(page.entries.map(AuditLine.init(_:))) {
                    state.withLock { $0.batch = max($0.batch / 2, 1) }
                    return failed(fault)
                }
                advance(page.entries)
            }
            return Self.pause
        } catch {
            return failed("the log cannot be read: \(error)")
        }
    }

    private func failed(_ fault: String) -> Duration {
        counts.noteFault()
        let failures = state.withLock { state in
            state.failures += 1
            return min(state.failures, 7)
        }
        if failures == 1 {
            logger.error(
                "the copy of the audit log is not taken, its entries wait", metadata: ["fault": .string(fault)])
        }
        return min(Self.pause * (1 << (failures - 1)), Self.longestRetry)
    }

    private func advance(_ entries: [ChainedAuditEntry]) {
        counts.noteSent(entries.count)
        let (positions, wasAway) = state.withLock { state in
            defer { state.failures = 0 }
            state.batch = min(state.batch + 1, Self.batchSize)
            for entry in entries {
                state.positions[entry.entry.application] = VerifyAudit.Known(number: entry.number, digest: entry.digest)
            }
            return (state.positions, state.failures > 0)
        }
        if wasAway { logger.info("the copy of the audit log is taken again") }
        write(positions)
    }

    /// Such a log is sent from its first entry: what the receiver has of it, and this server has no more, shows there.
    private func noteReplaced(_ applications: [Identifier<Domain.Application>]) {
        for application in applications {
            logger.critical(
                "the audit log is not the one that was sent: an older copy of the database was put back",
                metadata: ["application": .string(application.rawValue)])
        }
    }

    private static func positions(in path: URL) throws -> ReadAuditChain.Positions {
        guard FileManager.default.fileExists(atPath: path.path) else { return [:] }
        let texts = try JSONDecoder().decode([String: String].self, from: Data(contentsOf: path))
        var positions: ReadAuditChain.Positions = [:]
        for (application, text) in texts {
            let parts = text.split(separator: ":", maxSplits: 1)
            guard parts.count == 2, let number = Int64(parts[0], radix: 10), number > 0,
                let digest = Base64URL.bytes(of: parts[1].utf8).flatMap({ SecretDigest(stored: $0) })
            else { throw CocoaError(.fileReadCorruptFile) }
            positions[Identifier(rawValue: application)] = VerifyAudit.Known(number: number, digest: digest)
        }
        return positions
    }

    /// Each as `okaeri audit verify` shows it.
    private func write(_ positions: ReadAuditChain.Positions) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        do {
            let texts = positions.map { application, last in
                (application.rawValue, "\(last.number):\(Base64URL.text(of: last.digest.bytes))")
            }
            try encoder.encode(Dictionary(texts) { first, _ in first }).write(to: path, options: .atomic)
        } catch {
            logger.warning(
                "how far the copy of the audit log is cannot be written: after a restart entries are sent twice",
                metadata: ["error": "\(error)"])
        }
    }
}

/// What is counted of the copy of the audit log.
package final class AuditStreamCounts: Sendable {
    private let sent = Atomic<UInt64>(0)
    private let faults = Atomic<UInt64>(0)

    package init() {}

    func noteSent(_ count: Int) { sent.add(UInt64(clamping: count), ordering: .relaxed) }

    func noteFault() { faults.add(1, ordering: .relaxed) }

    package var families: [MetricFamily] {
        [
            MetricFamily(
                "okaeri_audit_stream_sent_total", .counter, "Entries of the audit log that the receiver took.",
                .count(sent.load(ordering: .relaxed))),
            MetricFamily(
                "okaeri_audit_stream_faults_total", .counter, "Times that the receiver did not take entries.",
                .count(faults.load(ordering: .relaxed))),
        ]
    }
}
