import Domain
import OutboundServices
import Synchronization

/// Sends the responses that a test sets, and keeps what it was asked.
final class FakeWebCaller: WebCaller {
    private let outcomes: Mutex<[Result<WebResponse, WebFault>]>
    private let kept = Mutex<[WebCall]>([])

    /// - Parameter outcomes: In order; the last one stays.
    init(_ outcomes: Result<WebResponse, WebFault>...) {
        self.outcomes = Mutex(outcomes)
    }

    var calls: [WebCall] { kept.withLock { $0 } }

    func callAsFunction(_ call: WebCall) async throws(WebFault) -> WebResponse {
        kept.withLock { $0.append(call) }
        // As transfers end when nobody waits for them.
        if Task.isCancelled { throw .unreachable(reason: "the transfer was broken off") }
        let outcome = outcomes.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
        return try outcome.get()
    }

    func mayAsk(_ url: String) -> Bool { true }
}
