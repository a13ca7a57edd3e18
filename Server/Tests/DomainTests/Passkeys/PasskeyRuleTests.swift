import Testing

@testable import Domain

@Suite("Rules of an application's passkeys")
struct PasskeyRuleTests {
    private static func faults(_ change: (inout PasskeyRules) -> Void) -> [ValidationError] {
        var rules = PasskeyRules()
        change(&rules)
        return rules.faults
    }

    private static func label(_ count: Int) -> String { String(repeating: "d", count: count) }

    @Test(
        "take a domain of lower-case labels that is no address of numbers",
        arguments: [
            ("example.com", true), ("localhost", true), ("xn--wgv71a119e.jp", true), ("a.b.c.example", true),
            ("1.example", true), ("e1.c0m", true), (label(63) + ".com", true),
            ([label(63), label(63), label(63), label(61)].joined(separator: "."), true),
            ([label(63), label(63), label(63), label(62)].joined(separator: "."), false),
            (label(64) + ".com", false), ("", false), (".", false), ("example.", false), (".example", false),
            ("a..b", false), ("-a.example", false), ("a-.example", false), ("a-b.example", true),
            ("Example.com", false), ("例え.jp", false), ("192.0.2.1", false), ("example.1", false),
            ("example.com:443", false), ("https://example.com", false), ("exa mple.com", false), ("a_b.com", false),
        ])
    func domain(text: String, isTaken: Bool) {
        let faults = Self.faults { $0.domain = text }
        #expect(faults == (isTaken ? [] : [ValidationError(field: "passkeys.domain", rule: .notADomain)]))
    }

    @Test(
        "belong to the host of the server's own address without a domain, on this machine to localhost, to no number",
        arguments: [
            ("https://id.example.com/okaeri", "id.example.com"), ("http://localhost:8080", "localhost"),
            ("http://127.0.0.1:8080", "localhost"), ("http://[::1]:8080", "localhost"), ("http://192.0.2.7", nil),
            ("https://[2001:db8::7]", nil), (nil, nil),
        ] as [(String?, String?)])
    func ownHost(address: String?, domain: String?) {
        var rules = PasskeyRules()
        let pages = address.flatMap { ProofTarget($0) }
        #expect(rules.domain(orHostOf: pages) == nil, "passkeys are off")
        rules.isEnabled = true
        #expect(rules.domain(orHostOf: pages) == domain)
        rules.domain = "example.com"
        #expect(rules.domain(orHostOf: pages) == "example.com")
    }

    private static let certificate = Base64URL.text(of: [UInt8](repeating: 7, count: 32))

    @Test(
        "take the origin of a page over TLS or on this machine, or of an Android app",
        arguments: [
            ("https://example.com", true), ("https://example.com:8443", true), ("http://localhost", true),
            ("http://localhost:8080", true), ("http://example.com", false), ("https://example.com/", false),
            ("https://example.com/x", false), ("HTTPS://example.com", false), ("example.com", false), ("", false),
            ("https://" + label(292), true), ("https://" + label(293), false),
            ("android:apk-key-hash:\(certificate)", true), ("android:apk-key-hash:", false),
            ("android:apk-key-hash:\(certificate)A", false), ("android:apk-key-hash:abcd", false),
        ])
    func origin(text: String, isTaken: Bool) {
        let faults = Self.faults { $0.origins = [text] }
        #expect(faults == (isTaken ? [] : [ValidationError(field: "passkeys.origins", rule: .notAnOrigin)]))
    }

    @Test("take up to 20 origins and 100 kinds of authenticators")
    func counts() {
        func origins(_ count: Int) -> [String] { (0..<count).map { "https://a\($0).example" } }
        #expect(Self.faults { $0.origins = origins(20) }.isEmpty)
        #expect(
            Self.faults { $0.origins = origins(21) }
                == [ValidationError(field: "passkeys.origins", rule: .tooManyFields(maximum: 20))])
        let kind = "00112233-4455-6677-8899-aabbccddeeff"
        for (field, path) in [
            ("passkeys.allowedAuthenticators", \PasskeyRules.allowedAuthenticators),
            ("passkeys.refusedAuthenticators", \PasskeyRules.refusedAuthenticators),
        ] {
            func faults(_ kinds: [String]) -> [ValidationError] { Self.faults { $0[keyPath: path] = kinds } }
            #expect(faults(Array(repeating: kind, count: 100)).isEmpty)
            #expect(
                faults(Array(repeating: kind, count: 101))
                    == [ValidationError(field: field, rule: .tooManyFields(maximum: 100))])
            #expect(faults([kind, "x"]) == [ValidationError(field: field, rule: .notAnAuthenticator)])
        }
    }
}
