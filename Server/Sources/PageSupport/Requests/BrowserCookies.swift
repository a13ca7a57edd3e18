import Domain
import HTTPSupport
package import HTTPTypes

/// Cookies (RFC 6265 with the prefixes of its successor): names with `__Host-`, so that no other host can plant one.
package struct BrowserCookies: Sendable {
    /// Longer headers are not read.
    private static let maximumBytes = 16 * 1024

    private let values: [String: String]

    /// Reads the header `Cookie`. Of two cookies of one name none counts: which was planted, nobody can tell.
    package init(_ headers: HTTPFields) {
        var values: [String: String] = [:]
        var doubles: Set<String> = []
        for pair in headers.cookiePairs(maximumBytes: Self.maximumBytes) {
            guard let parts = pair.cut(at: "=") else { continue }
            let name = String(parts.before.drop { $0 == " " })
            if values.updateValue(String(parts.after), forKey: name) != nil { doubles.insert(name) }
        }
        for name in doubles { values[name] = nil }
        self.values = values
    }

    package subscript(name: String) -> String? { values[name] }

    /// The name under which a cookie is kept.
    ///
    /// - Parameters:
    ///   - name: Letters, digits and hyphens.
    ///   - isSecure: Whether the page came by https. Browsers take `__Host-` from there only; the name without it is for
    ///     this machine alone, see `PageGate`.
    /// - Returns: the whole name.
    package static func name(_ name: String, isSecure: Bool) -> String {
        isSecure ? "__Host-okaeri-\(name)" : "okaeri-\(name)"
    }

    /// The header that keeps a cookie until the browser ends, or for a time.
    ///
    /// - Parameters:
    ///   - name: As `name(_:isSecure:)` gives it.
    ///   - value: Letters, digits and `-_.`.
    ///   - isSecure: As above.
    ///   - maximumSeconds: How long it lives; 0 removes it.
    /// - Returns: the header.
    package static func header(
        _ name: String, _ value: String, isSecure: Bool, maximumSeconds: Int? = nil
    ) -> HTTPField {
        var text = "\(name)=\(value); Path=/; HttpOnly; SameSite=Lax"
        if isSecure { text += "; Secure" }
        if let maximumSeconds { text += "; Max-Age=\(maximumSeconds)" }
        return HTTPField(name: .setCookie, value: text)
    }
}
