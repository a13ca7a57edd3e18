import Domain
import HTTPSupport
import HTTPTypes
import Hummingbird

/// The files by which systems and browsers know who may use a domain's passkeys. A domain's file says what all
/// applications with this domain say.
struct PasskeyFilesController: Sendable {
    let requests: NativeRequests
    let passkeys: Passkeys

    /// `GET /.well-known/apple-app-site-association`: the apps for Apple's systems.
    func appleApps(_ request: Request, _ context: ServerContext) async throws -> Response {
        let domain = try await domain(of: request, context)
        return try response(AppleAppSiteAssociation(webcredentials: .init(apps: domain.appleApps)))
    }

    /// `GET /.well-known/assetlinks.json`: the apps for Android.
    func androidApps(_ request: Request, _ context: ServerContext) async throws -> Response {
        let domain = try await domain(of: request, context)
        return try response(domain.androidApps.map { AssetLink(target: .init($0)) })
    }

    /// `GET /.well-known/webauthn`: related origins (WebAuthn level 3, §5.11).
    func origins(_ request: Request, _ context: ServerContext) async throws -> Response {
        try response(RelatedOrigins(origins: try await domain(of: request, context).origins))
    }

    /// The domain that the query or else the host names. Systems and browsers send no query; operators whose domain is on
    /// another server do.
    private func domain(of request: Request, _ context: ServerContext) async throws -> PasskeyDomain {
        guard let query = try? QueryItems(request) else { throw RequestError.pathUnknown }
        let named = query["domain"] ?? requests.gate.host(of: request, context)
        guard named.utf8.count <= Self.maximumHostBytes,
            let found = try await passkeys.findPasskeyDomain(named.lowercased())
        else { throw RequestError.pathUnknown }
        return found
    }

    private static let maximumHostBytes = 253

    private func response(_ body: some Encodable) throws -> Response {
        try JSONResponse(
            body: body,
            headers: [.cacheControl: "public, max-age=300", .accessControlAllowOrigin: "*"]
        ).response()
    }
}

/// Apple, “Supporting associated domains”.
private struct AppleAppSiteAssociation: Encodable {
    struct WebCredentials: Encodable {
        let apps: [String]
    }

    let webcredentials: WebCredentials
}

/// A statement of Digital Asset Links.
private struct AssetLink: Encodable {
    struct Target: Encodable {
        let namespace = "android_app"
        let packageName: String
        let certificates: [String]

        init(_ app: PasskeyRules.AndroidApp) {
            packageName = app.packageName
            certificates = app.certificates
        }

        private enum CodingKeys: String, CodingKey {
            case namespace
            case packageName = "package_name"
            case certificates = "sha256_cert_fingerprints"
        }
    }

    /// Passkeys, and nothing else: a link to the domain is opened by the browser.
    let relation = ["delegate_permission/common.get_login_creds"]
    let target: Target
}

private struct RelatedOrigins: Encodable {
    let origins: [String]
}
