package import Domain
package import HTTPSupport
import HTTPTypes
package import Hummingbird

/// Finds out what a browser brings along.
package struct PageGate: Sendable {
    private let proxies: TrustedProxies
    private let publicAddress: PublicAddress
    private let tokens: CSRFTokens
    private let randomness: any Randomness
    private let readBody: BodyReader

    /// - Parameters:
    ///   - proxies: Whose word about the client's address is believed.
    ///   - publicAddress: By which address browsers know this server.
    ///   - formHash: Makes form tokens; of a purpose of its own.
    ///   - randomness: Where nonces come from.
    ///   - readBody: Reads forms.
    package init(
        proxies: TrustedProxies, publicAddress: PublicAddress, formHash: KeyedHash, randomness: any Randomness,
        readBody: BodyReader
    ) {
        self.proxies = proxies
        self.publicAddress = publicAddress
        tokens = CSRFTokens(formHash)
        self.randomness = randomness
        self.readBody = readBody
    }

    /// What a browser brings along with a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - context: What travels with it.
    ///   - name: The part of the cookie's name that is this surface's own: an application's id, `admin`.
    /// - Returns: the request.
    package func request(_ request: Request, _ context: ServerContext, cookie name: String) -> PageRequest {
        let target = publicAddress.target(of: request, context)
        // Without https only this machine gets a cookie that works: browsers drop the others.
        let isThisMachine = Authority.isThisMachine(target.authority)
        let isSecure = target.scheme == "https" || !isThisMachine
        // A name of the internet may have a proxy with a certificate that is not listed. Browsers name the site to addresses
        // alone that they trust (Fetch Metadata §2.1): then such a proxy speaks https.
        let dropsCookies =
            target.scheme != "https" && !isThisMachine && Self.isOfLocalNetwork(target.authority)
            && request.headers.value(of: .secFetchSite) == nil
        let cookies = BrowserCookies(request.headers)
        let cookieName = BrowserCookies.name(name, isSecure: isSecure)
        let cookie = cookies[cookieName].flatMap { Self.isPlain($0) ? $0 : nil }
        let newCookie = cookie == nil ? Self.newValue(randomness) : nil
        let query = FormValues(query: request.uri.query)
        let chosen = query[PageRequest.languageParameter].flatMap { PageLanguage(rawValue: $0) }
        let kept = cookies[BrowserCookies.name(PageRequest.languageCookie, isSecure: isSecure)]
        return PageRequest(
            request: request, context: context,
            language: chosen ?? kept.flatMap { PageLanguage(rawValue: $0) } ?? Self.wanted(query, request) ?? .english,
            path: request.uri.path, query: query, isSecure: isSecure,
            addressOnServer: dropsCookies ? Self.addressOnServer(target.authority, request) : nil,
            cookieName: cookieName, cookie: cookie,
            newCookie: newCookie, formToken: tokens.token(cookie: cookie ?? newCookie ?? ""),
            nonce: Base64URL.text(of: randomness.bytes(16)),
            client: proxies.client(of: request, context),
            origin: RequestOrigin(
                address: proxies.client(of: request, context).text, userAgent: request.headers.value(of: .userAgent),
                requestId: context.requestId),
            chosenLanguage: chosen, tokens: tokens, readBody: readBody,
            ownOrigin: "\(target.scheme)://\(target.authority)", hasPublicAddress: publicAddress.isConfigured)
    }

    /// The proof of possession that an app sent.
    package func presentedProof(of request: Request, _ context: ServerContext) -> PresentedProof? {
        request.headers.value(of: .proof).map {
            PresentedProof(
                text: $0, method: request.method.rawValue, target: publicAddress.target(of: request, context))
        }
    }

    /// The address that a request came from, when one who is believed says it.
    package func attestedClient(of request: Request, _ context: ServerContext) -> IPAddress? {
        proxies.attestedClient(of: request, context)
    }

    /// A value for a cookie of somebody who has not logged in.
    package static func newValue(_ randomness: any Randomness) -> String {
        "v." + Base64URL.text(of: randomness.bytes(16))
    }

    /// A name for one form: what is sent twice under it is done once.
    package func newAttempt() -> String { Base64URL.text(of: randomness.bytes(16)) }

    /// `ui_locales` (OpenID Connect Core 1.0 §3.1.2.1) names languages, the most wanted first; else the browser does.
    private static func wanted(_ query: FormValues, _ request: Request) -> PageLanguage? {
        let asked = query.text("ui_locales").pieces(at: " ").prefix(10).map(String.init)
        return PageLanguage.first(of: asked) ?? PageLanguage.first(of: AcceptLanguage.tags(of: request))
    }

    /// Whether it is a number, or a name that is known to the local network alone: no authority certifies those.
    private static func isOfLocalNetwork(_ authority: String) -> Bool {
        let host = Authority.host(of: authority)
        return IPAddress(host) != nil || !host.contains(".") || host.hasSuffix(".local")
    }

    /// The address of a page for a browser that runs beside the server.
    private static func addressOnServer(_ authority: String, _ request: Request) -> String {
        let literal = authority.drop { $0 != "]" }
        let port = literal.isEmpty ? authority.drop { $0 != ":" } : literal.dropFirst()
        return "http://127.0.0.1\(port)\(request.uri.path)" + (request.uri.query.map { "?\($0)" } ?? "")
    }

    private static func isPlain(_ value: String) -> Bool {
        (1...200).contains(value.utf8.count)
            && value.utf8.allSatisfy {
                (0x30...0x39).contains($0) || (0x41...0x5a).contains($0) || (0x61...0x7a).contains($0)
                    || "-_.".utf8.contains($0)
            }
    }
}

/// What forms carry against forgery: a keyed hash of the cookie's value. It needs no storage, and dies with the cookie.
package struct CSRFTokens: Sendable {
    private let hash: KeyedHash

    package init(_ hash: KeyedHash) {
        self.hash = hash
    }

    /// The token for forms of a browser with this cookie.
    package func token(cookie: String) -> String {
        Base64URL.text(of: hash.digest(of: [Array(cookie.utf8)]).bytes)
    }

    /// Whether a form's token belongs to the cookie. Digests are compared, so that time tells nothing.
    func fits(_ token: String, cookie: String) -> Bool {
        Secret(token) == Secret(self.token(cookie: cookie))
    }

    /// What shows that this server wrote some texts into an address. A first part that is missing tells it from tokens.
    func seal(_ texts: [String]) -> String {
        var parts: [[UInt8]?] = [nil]
        for text in texts { parts.append(Array(text.utf8)) }
        return Base64URL.text(of: hash.digest(of: parts).bytes)
    }
}

/// What can be wrong with a request before any rule is asked.
package enum PageFault: Error, Hashable, Sendable {
    /// The form did not come from a page of ours, or the cookie is another one by now (requirement 43).
    case forged
    /// There is no such page.
    case unknown
}
