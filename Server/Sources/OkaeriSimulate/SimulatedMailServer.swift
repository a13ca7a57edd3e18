import Domain
import TestWorld

/// A mail server far away: it takes its time, refuses now and then, forgets whether it answered, loses mails and delivers some
/// twice.
///
/// Unchecked: a simulation runs on one thread.
final class SimulatedMailServer: MailCarrier, @unchecked Sendable {
    private var generator: SeededGenerator
    private let addStep: @Sendable (@escaping @Sendable () -> Void) -> Void
    /// What arrived, by address, oldest first.
    private var boxes: [String: [MailMessage]] = [:]
    /// How many mails with a token were taken, by address.
    private var tokenCounts: [String: Int] = [:]
    var hasFaults = true

    init(seed: UInt64, addStep: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) {
        generator = SeededGenerator(state: seed)
        self.addStep = addStep
    }

    func deliver(_ message: MailMessage) async -> MailOutcome {
        for _ in 0..<generator.number(below: 6) {
            await withCheckedContinuation { continuation in addStep { continuation.resume() } }
        }
        if hasFaults, generator.isOne(in: 10) { return .failed(reason: "busy") }
        if message.token != nil { tokenCounts[message.recipient, default: 0] += 1 }
        if !hasFaults || !generator.isOne(in: 15) {
            var box = boxes[message.recipient, default: []]
            for _ in 0..<(generator.isOne(in: 15) ? 2 : 1) { box.append(message) }
            boxes[message.recipient] = box.suffix(6)
        }
        // Taken, and the answer is lost: it comes again.
        if hasFaults, generator.isOne(in: 20) { return .failed(reason: "the connection ended") }
        return .delivered
    }

    /// One of the mails that an address got; it stays there half of the time.
    func mail(for address: String) -> MailMessage? {
        guard var box = boxes[address], !box.isEmpty else { return nil }
        let index = generator.isOne(in: 4) ? generator.number(below: box.count) : box.count - 1
        let mail = box[index]
        if generator.isOne(in: 2) {
            box.remove(at: index)
            boxes[address] = box
        }
        return mail
    }

    /// How many mails with a token were taken for an address.
    func tokenCount(of address: String) -> Int { tokenCounts[address, default: 0] }
}
