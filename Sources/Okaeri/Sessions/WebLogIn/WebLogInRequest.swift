public import Foundation
@_spi(Base64URL) import OkaeriWire

#if canImport(CryptoKit)
    import CryptoKit
#else
    import Crypto
#endif

/// One log-in through the hosted pages, from the address that a browser opens to the one that comes back. It is good once,
/// and only in this process: what proves that the app is the one that asked never leaves it (RFC 7636).
public struct WebLogInRequest: Sendable {
    /// What a browser shall open.
    public let address: URL
    /// Where the pages send the person back to.
    public let redirect: URL
    let issuer: String
    let application: String
    let state: Secret
    let nonce: Secret
    let verifier: Secret
    /// Whether the person asked for a new account.
    let isSignUp: Bool

    /// Longer responses are nobody's.
    private static let maximumCallbackBytes = 16_384

    /// Makes a request with new secrets of 256 bits each.
    ///
    /// - Throws: `OkaeriError.unexpectedResponse` for an issuer that is no page's address: the system ends an app that gives
    ///   its browser sheet another scheme.
    init(
        issuer: String, application: String, redirect: URL, options: WebLogInOptions, randomness: any Randomness
    ) throws(OkaeriError) {
        let secrets = (0..<3).map { _ in Secret(Base64URL.text(of: randomness.bytes(32))) }
        (state, nonce, verifier) = (secrets[0], secrets[1], secrets[2])
        var fields = [
            ("client_id", application), ("redirect_uri", redirect.absoluteString), ("response_type", "code"),
            ("scope", "openid"), ("state", state.revealed), ("nonce", nonce.revealed),
            ("code_challenge", Base64URL.text(of: SHA256.hash(data: Data(verifier.revealed.utf8)))),
            ("code_challenge_method", "S256"),
        ]
        if let prompt = options.prompt { fields.append(("prompt", prompt.rawValue)) }
        if let identifier = options.identifier { fields.append(("login_hint", identifier)) }
        if !options.languages.isEmpty {
            fields.append(("ui_locales", options.languages.prefix(5).joined(separator: " ")))
        }
        if let appearance = options.appearance { fields.append(("appearance", appearance.rawValue)) }
        if let age = options.maximumAge { fields.append(("max_age", String(max(0, age.components.seconds)))) }
        guard let address = URL(string: "\(issuer)/authorize?\(WebForm.text(of: fields))"),
            ["https", "http"].contains(address.scheme?.lowercased()), address.host?.isEmpty == false
        else { throw .unexpectedResponse(status: 0) }
        self.address = address
        self.redirect = redirect
        self.issuer = issuer
        self.application = application
        isSignUp = options.prompt == .signUp
    }

    /// The code in an address that came back.
    ///
    /// - Throws: `OkaeriError.webLogInRefused`; `cancelled` when the person did not want to go on.
    func code(in callback: URL) throws(OkaeriError) -> Secret {
        let text = callback.absoluteString
        guard text.utf8.count <= Self.maximumCallbackBytes,
            Self.base(of: text) == Self.base(of: redirect.absoluteString),
            let items = URLComponents(string: text)?.queryItems
        else { throw .webLogInRefused(.callbackMalformed) }
        var values: [String: String] = [:]
        for item in items {
            // A parameter that comes twice has no value that one could trust (RFC 6749 §3.1).
            guard values.updateValue(item.value ?? "", forKey: item.name) == nil else {
                throw .webLogInRefused(.callbackMalformed)
            }
        }
        guard values["state"] == state.revealed else { throw .webLogInRefused(.stateMismatch) }
        guard values["iss"] == issuer else { throw .webLogInRefused(.issuerMismatch) }
        if let error = values["error"] {
            guard error != "access_denied" else { throw .cancelled }
            throw .webLogInRefused(WebLogInRefusal(rawValue: String(error.prefix(64))))
        }
        guard let code = values["code"], !code.isEmpty else { throw .webLogInRefused(.callbackMalformed) }
        return Secret(code)
    }

    /// Whether an identity token is from the issuer, for this app, and in response to this request. It came over the
    /// connection that the session came by, so that nobody else can have made it (OpenID Connect Core 1.0 §3.1.3.7).
    func fits(_ identityToken: String?) -> Bool {
        struct Claims: Decodable {
            let iss: String
            let aud: String
            let nonce: String?
        }
        let parts = identityToken?.split(separator: ".", omittingEmptySubsequences: false) ?? []
        // A token that cannot be read is about nothing.
        guard parts.count == 3, let bytes = Base64URL.bytes(of: parts[1].utf8),
            let claims = try? UntrustedJSON.decode(Claims.self, from: Data(bytes))
        else { return false }
        return claims.iss == issuer && claims.aud == application && claims.nonce == nonce.revealed
    }

    /// An address without its query.
    private static func base(of address: String) -> Substring {
        address.prefix { $0 != "?" && $0 != "#" }
    }
}

extension WebLogInRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Where it comes back to; nothing of what it keeps to itself.
    public var description: String { "web log-in for \(redirect.absoluteString)" }
    /// The same as `description`.
    public var debugDescription: String { description }
    /// The same as `description`.
    public var customMirror: Mirror { Mirror(self, children: ["redirect": redirect]) }
}

/// Names and values as forms and queries have them.
enum WebForm {
    static let mediaType = "application/x-www-form-urlencoded"

    static func text(of fields: [(String, String)]) -> String {
        fields.map { "\($0.percentEncoded)=\($1.percentEncoded)" }.joined(separator: "&")
    }
}
