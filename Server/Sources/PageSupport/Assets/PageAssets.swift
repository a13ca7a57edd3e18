import Crypto
import Domain
import EmbeddedFiles
package import HTTPSupport
import HTTPTypes
import Hummingbird
import NIOCore

/// Files that pages load: style sheets and scripts, built into the program. Their names hold a digest of what they say,
/// so that browsers may keep them for ever.
package struct PageAssets: Sendable {
    /// Where all of them are.
    package static let path = "/assets"

    /// The script of pages with passkeys.
    package static let passkeyScript = "passkeys.js"
    /// The script of forms that may cost work.
    package static let workScript = "work.js"

    private let files: [String: File]
    private let paths: [String: String]

    fileprivate struct File: Sendable {
        var bytes: ByteBuffer
        var mediaType: String
    }

    /// - Parameter files: What the files say, by their names: `okaeri.css`.
    package init(_ files: [String: [UInt8]]) {
        var kept: [String: File] = [:]
        var paths: [String: String] = [:]
        for (name, bytes) in files {
            let digest = Base64URL.text(of: Array(SHA256.hash(data: bytes).prefix(9)))
            let parts = name.pieces(at: ".")
            let ending = parts.last.map(String.init) ?? ""
            let named = "\(parts.dropLast().joined(separator: "."))-\(digest).\(ending)"
            kept[named] = File(bytes: ByteBuffer(bytes: bytes), mediaType: Self.mediaType(ending))
            paths[name] = "\(Self.path)/\(named)"
        }
        self.files = kept
        self.paths = paths
    }

    /// The style sheet and the script that all pages have, and the scripts of those with passkeys and with work.
    package static var shared: [String: [UInt8]] {
        EmbeddedFiles.folder("PageSupport/Assets")
    }

    /// Where a file is; `nil` for one that there is not.
    package func path(of name: String) -> String? { paths[name] }

    /// The members that the template `document` asks for.
    package var model: PageTemplates.Model {
        ["style": paths["okaeri.css"] ?? "", "script": paths["okaeri.js"] ?? ""]
    }

    /// The route that serves them.
    package var route: Route { Route(.get, "\(Self.path)/{name}", .nothing, AssetRoute(assets: self).respond) }

    private static func mediaType(_ ending: String) -> String {
        switch ending {
        case "css": "text/css; charset=utf-8"
        case "js": "text/javascript; charset=utf-8"
        case "svg": "image/svg+xml"
        default: "application/octet-stream"
        }
    }

    fileprivate func file(_ name: String) -> File? { files[name] }
}

/// `GET /assets/{name}`: a file of the program.
private struct AssetRoute: Sendable {
    let assets: PageAssets

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        guard let name = context.parameters.get("name"), let file = assets.file(name) else {
            throw RequestError.pathUnknown
        }
        return Response(
            status: .ok,
            headers: [
                .contentType: file.mediaType, .cacheControl: "public, max-age=31536000, immutable",
                .crossOriginResourcePolicy: "same-origin",
            ],
            body: ResponseBody(byteBuffer: file.bytes))
    }
}

extension HTTPField.Name {
    static let crossOriginResourcePolicy = HTTPField.Name(known: "Cross-Origin-Resource-Policy")
}
