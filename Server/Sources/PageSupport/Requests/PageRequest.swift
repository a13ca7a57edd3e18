package import Domain
package import HTTPSupport
import HTTPTypes
package import Hummingbird

/// One request of a browser: who it is by its cookie, in which language it reads, and what its forms must carry.
package struct PageRequest: Sendable {
    package let request: Request
    package let context: ServerContext
    package let language: PageLanguage
    /// The page's own path, without its query.
    package let path: String
    package let query: FormValues
    /// Whether the browser came by https.
    package let isSecure: Bool
    /// By which address a browser on the server's machine opens this page, when this browser will drop the cookie: by plain
    /// http from another machine. `nil` when it keeps cookies.
    package let addressOnServer: String?
    /// What the cookie is called for this browser.
    package let cookieName: String
    /// What the cookie held, when it held something.
    package private(set) var cookie: String?
    /// A value for browsers without a cookie, so that a form can be tied to one before anybody logged in.
    package private(set) var newCookie: String?
    /// What every form must bring back (requirement 43): nobody can make it who does not know the cookie.
    package private(set) var formToken: String
    /// For the policy of what the page may run and load.
    package let nonce: String
    package let client: ClientAddress
    package let origin: RequestOrigin
    /// The language that the person chose just now.
    package private(set) var chosenLanguage: PageLanguage?
    let tokens: CSRFTokens
    let readBody: BodyReader

    /// The name of the hidden field that holds `formToken`.
    package static let tokenField = "form_token"
    /// The parameter by which a person chooses a language.
    package static let languageParameter = "lang"
    static let languageCookie = "language"

    /// The same request with another value in the cookie, and with forms that are tied to it.
    package func holding(_ cookie: String) -> PageRequest {
        var request = self
        (request.cookie, request.newCookie, request.formToken) = (cookie, nil, tokens.token(cookie: cookie))
        return request
    }

    /// The same request for a page without forms, which sets no cookie.
    package var withoutCookies: PageRequest {
        var request = self
        (request.newCookie, request.chosenLanguage) = (nil, nil)
        return request
    }

    /// The fields of a form that was sent from a page of ours.
    ///
    /// - Parameter maximumBytes: How long the form may be.
    /// - Returns: the fields.
    /// - Throws: `PageFault.forged`, `RequestError`.
    package func form(maximumBytes: Int = FormValues.maximumBytes) async throws -> FormValues {
        guard isSameOrigin else { throw PageFault.forged }
        let values = try await foreignForm(maximumBytes: maximumBytes)
        try requireToken(in: values)
        return values
    }

    /// The same of a form that may hold files.
    ///
    /// - Throws: `PageFault.forged`, `RequestError`.
    package func formWithFiles() async throws -> MultipartForm {
        guard isSameOrigin else { throw PageFault.forged }
        guard request.hasMediaType([MultipartForm.mediaType]) else { return MultipartForm(fields: try await form()) }
        let form = try MultipartForm(
            Array(try await readBody(request, context).readableBytesView),
            contentType: request.headers.value(of: .contentType) ?? "")
        try requireToken(in: form.fields)
        return form
    }

    private func requireToken(in values: FormValues) throws {
        guard let cookie, let sent = values[Self.tokenField], tokens.fits(sent, cookie: cookie) else {
            throw PageFault.forged
        }
    }

    /// The fields of a form that an app sent: no cookie counts for it, and so nothing can be forged.
    ///
    /// - Parameter maximumBytes: How long the form may be.
    /// - Returns: the fields.
    /// - Throws: `RequestError`.
    package func foreignForm(maximumBytes: Int = FormValues.maximumBytes) async throws -> FormValues {
        guard request.hasMediaType([FormValues.mediaType]) else {
            throw RequestError.mediaTypeUnsupported(accepted: [FormValues.mediaType])
        }
        return try FormValues(
            Array(try await readBody(request, context).readableBytesView), maximumBytes: maximumBytes)
    }

    /// What shows that this server wrote some texts into an address, to whatever browser: a log-in changes the cookie.
    package func seal(_ texts: [String]) -> String { tokens.seal(texts) }

    package func isSealed(_ texts: [String], by seal: String) -> Bool { Secret(seal) == Secret(tokens.seal(texts)) }

    /// What the browser itself says of where a form came from. Old browsers say nothing; the token counts for all.
    private var isSameOrigin: Bool {
        if let site = request.headers.value(of: .secFetchSite), site != "same-origin", site != "none" { return false }
        guard let origin = request.headers.value(of: .origin) else { return true }
        return origin == ownOrigin
    }

    /// Scheme, host and port of this server as the browser knows them.
    let ownOrigin: String

    /// Whether the server has a public address, at which alone its forms count.
    package let hasPublicAddress: Bool

    /// Whether a page of this server sent the form from another address than the public one: the browser itself calls both
    /// the same site, or it asked the host that the page came from.
    package var isElsewhere: Bool {
        guard hasPublicAddress, let origin = request.headers.value(of: .origin), origin != ownOrigin else {
            return false
        }
        return request.headers.value(of: .secFetchSite) == "same-origin" || origin.hasSuffix("://\(request.authority)")
    }

    /// Whether the browser knows the server by an address of numbers, at which it has no passkeys (WebAuthn §5.1.3).
    package var isAtIPAddress: Bool { ownOrigin.pieces(at: "/").last.flatMap { IPAddress($0) } != nil }
}

extension HTTPField.Name {
    static let secFetchSite = HTTPField.Name(known: "Sec-Fetch-Site")
}
