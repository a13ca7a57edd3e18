import Domain
import HTTPTypes
import Hummingbird

/// A protocol at a standby: what only reads is answered, everything else refused before anything of it is read.
///
/// The storage of a standby refuses writes too, so a route that reads and now and then writes is refused when it does.
package struct StandbyAdapter: WrappingAdapter {
    package let adapter: any ProtocolAdapter
    private let primary: String?

    /// - Parameters:
    ///   - adapter: The protocol.
    ///   - primary: The address of the server that takes writes, for clients; `nil` when it is not named.
    package init(_ adapter: any ProtocolAdapter, primary: String?) {
        self.adapter = adapter
        self.primary = primary
    }

    package var routes: [Route] {
        adapter.routes.map { route in
            let refuse: Route.Handler = { _, _ in throw DomainError.standby }
            return Route(
                route.method, route.path, route.caller, isForStandby: route.isForStandby,
                errors: route.errors.map { Errors(words: $0, primary: primary) },
                route.isForStandby ? route.handler : refuse
            ).withLongResponse(route.hasLongResponse)
        }
    }

    package var errors: any ErrorRenderer { Errors(words: adapter.errors, primary: primary) }

    /// The protocol's words, and where the primary is.
    private struct Errors: ErrorRenderer {
        /// Not every protocol has a word for it.
        private static let retrySeconds = 2

        let words: any ErrorRenderer
        let primary: String?

        func response(to error: any Error, requestId: String) -> Response {
            var response = words.response(to: error, requestId: requestId)
            guard let error = error as? DomainError, case .standby = error else { return response }
            if response.headers[.retryAfter] == nil { response.headers[.retryAfter] = String(Self.retrySeconds) }
            if let primary, let name = HTTPField.Name("Okaeri-Primary") { response.headers[name] = primary }
            return response
        }
    }
}
