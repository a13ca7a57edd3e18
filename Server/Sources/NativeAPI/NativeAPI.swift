package import Domain
package import HTTPSupport
import OkaeriWire

/// The native REST protocol. It only translates: the rules are the domain's.
package struct NativeAPI: ProtocolAdapter {
    let useCases: UseCases
    let gate: RequestGate
    let readJSON: JSONReader
    let metrics: ServerMetrics

    package init(useCases: UseCases, gate: RequestGate, readBody: BodyReader, metrics: ServerMetrics) {
        self.useCases = useCases
        self.gate = gate
        readJSON = JSONReader(readBody)
        self.metrics = metrics
    }

    /// The protocol's words for errors.
    package static var errors: any ErrorAnswers { NativeErrors() }
    package var errors: any ErrorAnswers { Self.errors }

    package func owns(path: String) -> Bool { path.hasPrefix("/v1/") }
}
