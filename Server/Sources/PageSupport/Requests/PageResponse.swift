package import HTTPTypes
import HTTPSupport
package import Hummingbird
import NIOCore

/// Answers to browsers, with the headers that keep pages to themselves (requirement 43).
package enum PageResponse {
    /// A page.
    ///
    /// - Parameters:
    ///   - html: The document; its scripts and styles carry the request's nonce.
    ///   - request: The request.
    ///   - status: 422 for a form with errors.
    ///   - formTargets: Sources that a form of this page may lead to beside this server (CSP `form-action`), because
    ///     Chromium asks for redirects too.
    /// - Returns: the answer.
    package static func html(
        _ html: String, for request: PageRequest, status: HTTPResponse.Status = .ok, formTargets: [String] = []
    ) -> Response {
        var headers = headers(for: request, formTargets: formTargets)
        for field in documentFields { headers.append(field) }
        return Response(
            status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: html)))
    }

    /// An answer to a script of a page.
    ///
    /// - Throws: when the value cannot be encoded.
    package static func json(_ value: some Encodable, for request: PageRequest) throws -> Response {
        var headers = headers(for: request, formTargets: [])
        headers[.contentType] = "application/json"
        return Response(
            status: .ok, headers: headers, body: ResponseBody(byteBuffer: try JSONBytes.buffer(of: value)))
    }

    /// The answer to a form that did something: 303, so that reloading repeats nothing (requirement 30).
    ///
    /// - Parameters:
    ///   - path: A path of this server. Anything else is not followed, so that no address from outside leads away.
    ///   - request: The request.
    /// - Returns: the answer.
    package static func redirect(to path: String, _ request: PageRequest) -> Response {
        let isOwn =
            path.hasPrefix("/") && !path.hasPrefix("//") && path.utf8.allSatisfy { (0x21...0x7e).contains($0) }
            && !path.contains("\\")
        return leave(to: isOwn ? path : "/", request)
    }

    /// Leads away from this server. Call it only with an address that was compared with a registered one.
    package static func leave(to address: String, _ request: PageRequest) -> Response {
        var headers = headers(for: request, formTargets: [])
        headers[.location] = address
        return Response(status: .seeOther, headers: headers)
    }

    private static let documentFields = [
        HTTPField(name: .contentType, value: "text/html; charset=utf-8"),
        HTTPField(name: .vary, value: "Accept-Language, Cookie"),
    ]
    private static let commonFields = [
        HTTPField(name: .xFrameOptions, value: "DENY"),
        // Not “no-referrer”: forms would then name the origin “null”.
        HTTPField(name: .referrerPolicy, value: "same-origin"),
        HTTPField(name: .crossOriginOpenerPolicy, value: "same-origin"),
        HTTPField(name: .crossOriginResourcePolicy, value: "same-origin"),
        HTTPField(name: .permissionsPolicy, value: "camera=(), geolocation=(), microphone=(), payment=()"),
    ]
    private static let strictTransport = HTTPField(name: .strictTransportSecurity, value: "max-age=63072000")

    private static func headers(for request: PageRequest, formTargets: [String]) -> HTTPFields {
        var headers = HTTPFields()
        headers.reserveCapacity(16)
        let policy =
            "default-src 'none'; script-src 'nonce-\(request.nonce)'; style-src 'nonce-\(request.nonce)'; "
            + "img-src 'self' data:; connect-src 'self'; "
            + "form-action \((["'self'"] + formTargets).joined(separator: " ")); "
            + "frame-ancestors 'none'; base-uri 'none'"
        headers.append(HTTPField(name: .contentSecurityPolicy, value: policy))
        for field in commonFields { headers.append(field) }
        if request.isSecure { headers.append(strictTransport) }
        if let value = request.newCookie {
            headers.append(BrowserCookies.header(request.cookieName, value, isSecure: request.isSecure))
        }
        if let language = request.chosenLanguage {
            headers.append(
                BrowserCookies.header(
                    BrowserCookies.name(PageRequest.languageCookie, isSecure: request.isSecure), language.rawValue,
                    isSecure: request.isSecure, maximumSeconds: 365 * 24 * 3600))
        }
        return headers
    }
}

extension Response {
    /// Keeps a value in the request's cookie, in the place of what was there.
    package mutating func keepCookie(_ value: String, for request: PageRequest, maximumSeconds: Int? = nil) {
        headers[values: .setCookie].removeAll { $0.hasPrefix("\(request.cookieName)=") }
        headers.append(
            BrowserCookies.header(
                request.cookieName, value, isSecure: request.isSecure, maximumSeconds: maximumSeconds))
    }
}

extension HTTPField.Name {
    fileprivate static let xFrameOptions = HTTPField.Name(known: "X-Frame-Options")
    fileprivate static let referrerPolicy = HTTPField.Name(known: "Referrer-Policy")
    fileprivate static let crossOriginOpenerPolicy = HTTPField.Name(known: "Cross-Origin-Opener-Policy")
    fileprivate static let permissionsPolicy = HTTPField.Name(known: "Permissions-Policy")
}
