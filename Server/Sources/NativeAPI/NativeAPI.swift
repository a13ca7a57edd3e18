package import Domain
package import HTTPSupport
import HTTPTypes
import OkaeriWire

/// The native REST protocol. It only translates: the rules are the domain's.
package struct NativeAPI: ProtocolAdapter {
    let modules: Modules
    let requests: NativeRequests
    let metrics: ServerMetrics

    /// - Parameters:
    ///   - modules: Everything that can be asked for.
    ///   - gate: Finds out who asks.
    ///   - readBody: Reads bodies.
    ///   - metrics: Where log-ins are counted.
    package init(modules: Modules, gate: RequestAuthenticator, readBody: BodyReader, metrics: ServerMetrics) {
        self.modules = modules
        requests = NativeRequests(
            gate: gate, readBody: readBody)
        self.metrics = metrics
    }

    /// The protocol's words for errors.
    package static var errors: any ErrorRenderer { NativeErrors() }
    package var surface: String { "native" }

    package var errors: any ErrorRenderer { Self.errors }

    package func owns(path: String) -> Bool { path.hasPrefix("/v1/") }
}
