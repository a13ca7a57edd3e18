import HTTPSupport
import HTTPTypes
import Hummingbird
import NIOCore
import PageSupport

/// `GET /a/{application}/theme/{picture}`: the logo or the background of an application's theme.
struct ThemePictureRoute: Sendable {
    let pages: WebPages

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        let theme = try await pages.request(request, context).theme
        // The name holds a digest, so that what browsers keep is never an earlier picture.
        guard
            let found = [theme.logo, theme.background].compactMap({ $0 }).first(where: { $0.path == request.uri.path })
        else { throw PageFault.unknown }
        return Response(
            status: .ok,
            headers: [
                .contentType: found.mediaType, .cacheControl: "public, max-age=31536000, immutable",
                .contentSecurityPolicy: "default-src 'none'; sandbox",
            ],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: found.bytes)))
    }
}
