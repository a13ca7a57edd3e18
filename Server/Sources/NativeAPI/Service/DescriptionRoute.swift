import HTTPSupport
import HTTPTypes
import Hummingbird
import NIOCore

/// `GET /v1/openapi.yaml`: the API's description, as it stands in the repository.
struct DescriptionRoute: RouteHandler {
    private let body = ByteBuffer(bytes: PackageResources.openapi_yaml)

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        Response(
            status: .ok, headers: [.contentType: "application/yaml", .cacheControl: "public, max-age=300"],
            body: ResponseBody(byteBuffer: body))
    }
}
