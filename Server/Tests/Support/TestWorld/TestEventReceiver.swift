package import Domain
import Synchronization

/// Takes events instead of a backend, and fails when the test wants it.
package final class TestEventReceiver: EventCarrier {
    private let state = Mutex(State())

    private struct State: Sendable {
        var delivered: [EventRequest] = []
        var outcomesByURL: [String: EventOutcome] = [:]
        var calls = 0
    }

    package init() {}

    package func deliver(_ request: EventRequest) async -> EventOutcome {
        state.withLock { state in
            state.calls += 1
            if let outcome = state.outcomesByURL[request.url] { return outcome }
            state.delivered.append(request)
            return .delivered
        }
    }

    package func mayAsk(_ url: String) -> Bool { url.hasPrefix("https://") }

    /// Lets calls of an address fail, or succeed again.
    package func fail(_ url: String, _ fault: String?) { respond(url, fault.map { .failed(reason: $0) }) }

    /// Lets calls of an address end in a way; `nil` for success.
    package func respond(_ url: String, _ outcome: EventOutcome?) {
        state.withLock { $0.outcomesByURL[url] = outcome }
    }

    package var delivered: [EventRequest] { state.withLock { $0.delivered } }
    package var calls: Int { state.withLock { $0.calls } }
}
