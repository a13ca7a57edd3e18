import Synchronization

/// Whose mails this process is sending. An application has half of the lanes at the most: a mail server that takes its time for
/// the thousands of one application holds up no other.
final class MailShares: Sendable {
    /// How many mails of one application are sent side by side at the most.
    let ofApplication: Int
    private let counts = Mutex<[Identifier<Application>: Int]>([:])

    init(of lanes: Int) { ofApplication = max(1, lanes / 2) }

    /// The applications some of whose mails are being sent, and those among them that may have no more at once.
    var underWay: (taken: Set<Identifier<Application>>, full: Set<Identifier<Application>>) {
        let counts = counts.withLock { $0 }
        return (Set(counts.keys), Set(counts.filter { $0.value >= ofApplication }.keys))
    }

    /// Takes a lane.
    ///
    /// - Returns: whether the application may have it; then `leave` has to follow.
    func take(for application: Identifier<Application>) -> Bool {
        counts.withLock { counts in
            let count = counts[application] ?? 0
            guard count < ofApplication else { return false }
            counts[application] = count + 1
            return true
        }
    }

    func leave(_ application: Identifier<Application>) {
        counts.withLock { counts in
            let count = counts[application] ?? 0
            counts[application] = count > 1 ? count - 1 : nil
        }
    }
}
