package import Domain
import EmbeddedFiles
package import HTTPSupport
import HTTPTypes
import Hummingbird
import NIOCore

/// What operators and developers ask the server itself.
struct ServiceController: Sendable {
    private static let descriptionFile = "NativeAPI/Service/openapi.yaml"

    let applications: Applications

    /// `GET /v1/openapi.yaml`: the API's description, as it stands in the repository. It is copied out of the program when it
    /// is asked for, which is seldom, rather than held twice.
    func description(_ request: Request, _ context: ServerContext) async throws -> Response {
        Response(
            status: .ok, headers: [.contentType: "application/yaml", .cacheControl: "public, max-age=300"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: EmbeddedFiles.bytes(of: Self.descriptionFile))))
    }

    /// `GET /health/live`: the process answers. Asks nothing else, so that a slow disk restarts nobody.
    func live(_ request: Request, _ context: ServerContext) async throws -> Response {
        try JSONResponse(body: HealthResponse(status: "live")).response()
    }

    /// `GET /health/ready`: the storage can be reached.
    func ready(_ request: Request, _ context: ServerContext) async throws -> Response {
        try await applications.requireStorage()
        return try JSONResponse(body: HealthResponse(status: "ready")).response()
    }
}

extension Applications {
    /// Asks the storage for something that is not there.
    ///
    /// - Throws: `storageUnavailable` when it does not answer.
    package func requireStorage() async throws(DomainError) {
        do throws(DomainError) {
            // No application has the empty id, and what was not found is not kept: this always asks the storage.
            _ = try await findApplication(Identifier(rawValue: ""))
        } catch {
            guard error == .applicationUnknown else { throw error }
        }
    }
}

/// The answer to both health routes.
struct HealthResponse: Encodable {
    var status: String
}

/// `/metrics`, numbers for Prometheus: at a listener that only its operator reaches, or beside all else by a key.
package struct MetricsAPI: ProtocolAdapter {
    private static let path = "/metrics"

    private let metrics: ServerMetrics
    private let key: Secret?

    /// - Parameters:
    ///   - metrics: What is read.
    ///   - key: Who sends it may read; everybody may without one.
    package init(_ metrics: ServerMetrics, key: Secret?) {
        self.metrics = metrics
        self.key = key
    }

    package var surface: String { key == nil ? "metrics" : "native" }
    package var routes: [Route] { [Route(.get, Self.path, key == nil ? .nothing : .operatorKey, read)] }
    package var errors: any ErrorRenderer { NativeAPI.errors }
    package func owns(path: String) -> Bool { key == nil || path == Self.path }

    /// Strangers do not learn that there is something to read, whatever the method.
    package var visibility: PathVisibility? {
        guard let key else { return nil }
        return { request, _ in request.bearerToken.map { Secret(String($0)) } == key }
    }

    private func read(_ request: Request, _ context: ServerContext) async throws -> Response {
        Response(
            status: .ok, headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: metrics.text)))
    }
}
