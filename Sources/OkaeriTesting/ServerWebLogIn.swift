public import Foundation
public import Okaeri
@_spi(Base64URL) import OkaeriWire

#if canImport(CryptoKit)
    import CryptoKit
#else
    import Crypto
#endif

/// What an app asked the pages for, and for whom they gave it a code.
struct WebCode: Sendable {
    var user: String
    var redirect: String
    var challenge: String
    var nonce: String?
    /// The session that it opened; a code that comes twice ends it.
    var token: String?
}

/// Hosted pages without pages: what a person would have done there, a test does.
extension InMemoryServer {
    /// Who the pages say that they are.
    public var issuer: String { "\(url.absoluteString)/a/\(application)" }

    func standardProfile(_ contents: ServerContents) -> ApplicationProfile {
        var profile = ApplicationProfile(id: application, name: application, pages: ProfilePages(issuer: issuer))
        profile.passkeys = contents.passkeyDomain.map { ProfilePasskeys(domain: $0) }
        return profile
    }

    /// Plays a person who opens an address of the pages, logs in there, and comes back to the app.
    ///
    /// - Parameters:
    ///   - address: What the app opened.
    ///   - user: Who logs in; `nil` for somebody who presses "cancel".
    /// - Returns: The address that comes back; `nil` when the request is not one that the pages take.
    public func visit(_ address: URL, as user: User.ID?) -> URL? {
        let items = URLComponents(url: address, resolvingAgainstBaseURL: true)?.queryItems ?? []
        let asked = Dictionary(items.map { ($0.name, $0.value ?? "") }) { first, _ in first }
        guard address.absoluteString.hasPrefix("\(issuer)/authorize?"), asked["client_id"] == application,
            asked["response_type"] == "code", asked["code_challenge_method"] == "S256",
            let challenge = asked["code_challenge"], challenge.utf8.count == 43, let redirect = asked["redirect_uri"],
            var back = URLComponents(string: redirect)
        else { return nil }
        var response = [URLQueryItem(name: "error", value: "access_denied")]
        if let user {
            let code = newName("code-", 16)
            contents.withValue { contents in
                contents.webCodes[code] = WebCode(
                    user: user, redirect: redirect, challenge: challenge, nonce: asked["nonce"])
            }
            response = [URLQueryItem(name: "code", value: code)]
        }
        back.queryItems =
            response + [
                URLQueryItem(name: "state", value: asked["state"]), URLQueryItem(name: "iss", value: issuer),
            ]
        return back.url
    }

    func redeemWebCode(_ request: TransportRequest, _ contents: inout ServerContents) -> TransportResponse {
        let form = URLComponents(string: "?\(String(decoding: request.body ?? Data(), as: UTF8.self))")?.queryItems
        let fields = Dictionary((form ?? []).map { ($0.name, $0.value ?? "") }) { first, _ in first }
        let verifier = Base64URL.text(of: SHA256.hash(data: Data((fields["code_verifier"] ?? "").utf8)))
        do throws(Refusal) {
            let thumbprint = try optionalProof(of: request, &contents)
            guard fields["grant_type"] == "authorization_code", fields["client_id"] == application,
                let name = fields["code"], let code = contents.webCodes[name], code.redirect == fields["redirect_uri"],
                code.challenge == verifier
            else { return .refusal("invalid_grant") }
            if let stolen = code.token {
                contents.sessions[stolen] = nil
                return .refusal("invalid_grant")
            }
            let response = try logIn(
                code.user, request, thumbprint, joins: true, device: nil, by: "pages", &contents)
            guard let body = try? JSONDecoder().decode(LogInResponse.self, from: response.body) else { return response }
            contents.webCodes[name]?.token = body.session.token
            var claims = ["iss": issuer, "aud": application, "sub": code.user]
            claims["nonce"] = code.nonce
            return .json(200, TokenEndpointResponse(logIn: body, identityToken: TestToken.text(of: claims)))
        } catch {
            guard [.proofRequired, .proofInvalid, .clockSkew, .proofReplayed].contains(error.problem.code) else {
                return .refusal("invalid_grant")
            }
            var response = TransportResponse.refusal("invalid_dpop_proof")
            response.headers["Date"] = Self.date(time(contents))
            return response
        }
    }

    /// The form of the header `Date` (RFC 9110 §5.6.7).
    private static func date(_ time: WireTime) -> String {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(secondsFromGMT: 0)
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return format.string(from: Date(time))
    }
}

private struct TokenEndpointResponse: Encodable {
    var logIn: LogInResponse
    var identityToken: String

    private enum CodingKeys: String, CodingKey {
        case logIn = "log_in"
        case identityToken = "id_token"
    }
}

extension TransportResponse {
    /// An error as token endpoints tell it (RFC 6749 §5.2).
    fileprivate static func refusal(_ word: String) -> TransportResponse {
        TransportResponse(
            status: 400, headers: ["Content-Type": "application/json"], body: Data(#"{"error":"\#(word)"}"#.utf8))
    }
}
