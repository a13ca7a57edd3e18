import HTTPSupport
import Hummingbird
import OkaeriWire

extension NativeAPI {
    /// The request's body, which must be there.
    func requiredJSON<Body: Decodable & Sendable>(
        _ type: Body.Type, of request: Request, _ context: ServerContext
    ) async throws -> Body {
        guard let body = try await readJSON(type, of: request, context) else {
            throw RequestError.bodyMalformed(reason: "A JSON object is expected.")
        }
        return body
    }
}
