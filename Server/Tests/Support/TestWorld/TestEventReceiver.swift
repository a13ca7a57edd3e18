package import Domain
import Synchronization

/// Takes events instead of a backend, and fails when the test wants it.
package final class TestEventReceiver: EventCarrier {
    private let state = Mutex(State())

    private struct State: Sendable {
        var delivered: [EventRequest] = []
        var faultsByURL: [String: String] = [:]
        var calls = 0
    }

    package init() {}

    package func deliver(_ request: EventRequest) async -> EventOutcome {
        state.withLock { state in
            state.calls += 1
            if let fault = state.faultsByURL[request.url] { return .failed(reason: fault) }
            state.delivered.append(request)
            return .delivered
        }
    }

    package func mayAsk(_ url: String) -> Bool { url.hasPrefix("https://") }

    /// Lets calls of an address fail, or succeed again.
    package func fail(_ url: String, _ fault: String?) { state.withLock { $0.faultsByURL[url] = fault } }

    package var delivered: [EventRequest] { state.withLock { $0.delivered } }
    package var calls: Int { state.withLock { $0.calls } }
}
