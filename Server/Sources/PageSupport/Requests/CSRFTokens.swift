package import Domain

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
}
