import TestWorld
import Testing
import enum OkaeriWire.JSONValue

@testable import Domain

@Suite("One-time codes by time")
struct TOTPTests {
    private static let codes = TOTP(key: Array("12345678901234567890".utf8))

    @Test(
        "are those of RFC 6238, appendix B, as six digits",
        arguments: [
            (59, "287082"), (1_111_111_109, "081804"), (1_111_111_111, "050471"), (1_234_567_890, "005924"),
            (2_000_000_000, "279037"), (20_000_000_000, "353130"),
        ] as [(Int64, String)])
    func vectors(seconds: Int64, code: String) {
        #expect(Self.codes.code(step: seconds / 30) == code)
        let now = Timestamp(milliseconds: seconds * 1000)
        #expect(Self.codes.step(of: code, at: now, after: 0) == seconds / 30)
    }

    @Test(
        "are those of RFC 4226, appendix D",
        arguments: [
            "755224", "287082", "359152", "969429", "338314", "254676", "287922", "162583", "399871", "520489",
        ].enumerated().map { (Int64($0.offset), $0.element) })
    func counters(step: Int64, code: String) { #expect(Self.codes.code(step: step) == code) }

    @Test("are taken one step before and after their own, and each step once", arguments: -3...3 as ClosedRange<Int64>)
    func window(offset: Int64) {
        let present: Int64 = 50_000_000
        for second in [0, 29] as [Int64] {
            let now = Timestamp(milliseconds: (present * 30 + second) * 1000)
            let code = Self.codes.code(step: present + offset)
            let isNear = (-1...1).contains(offset)
            #expect(Self.codes.step(of: code, at: now, after: 0) == (isNear ? present + offset : nil))
            #expect(Self.codes.step(of: code, at: now, after: present + offset) == nil, "used before")
            #expect(
                Self.codes.step(of: code, at: now, after: present + offset - 1) == (isNear ? present + offset : nil))
        }
    }

    @Test("are read with spaces, and as nothing but six digits")
    func typed() {
        let now = Timestamp(milliseconds: 59_000)
        for text in [
            "287082", "287 082", " 28 70 82\n", "287\u{3000}082", "287082" + String(repeating: " ", count: 94),
        ] {
            #expect(Self.codes.step(of: text, at: now, after: 0) == 1, "\(text)")
        }
        for text in [
            "", " ", "28708", "2870820", "287083", "-287082", "２８７０８２", "287082" + String(repeating: " ", count: 95),
        ] {
            #expect(Self.codes.step(of: text, at: now, after: 0) == nil, "\(text)")
        }
    }

    @Test(
        "have a key in base 32 (RFC 4648 §10, without padding)",
        arguments: [
            ("", ""), ("f", "MY"), ("fo", "MZXQ"), ("foo", "MZXW6"), ("foob", "MZXW6YQ"), ("fooba", "MZXW6YTB"),
            ("foobar", "MZXW6YTBOI"),
        ])
    func base32(plain: String, text: String) { #expect(TOTP(key: Array(plain.utf8)).keyText == text) }

    @Test("have a link that says who they are for, whatever the names hold")
    func link() {
        let link = TOTP(key: Array("foobar".utf8)).link(name: "Hana & Taro/花?", issuer: "My: App#1")
        #expect(
            link == "otpauth://totp/My%3A%20App%231:Hana%20%26%20Taro%2F%E8%8A%B1%3F?secret=MZXW6YTBOI"
                + "&issuer=My%3A%20App%231")
    }
}

@Suite("What is personal, for admins who may not see it")
struct RedactionTests {
    @Test(
        "keeps of a mail address two signs and the last label",
        arguments: [
            ("hana@example.com", "h•••@e•••.com"), ("a@b.co.jp", "a•••@b•••.jp"), ("花@例え.テスト", "花•••@例•••.テスト"),
            ("no address", "n•••"), ("", "•••"),
        ])
    func email(email: String, masked: String) {
        #expect(Redaction.email(email) == masked)
        #expect(Redaction.email(nil) == nil)
    }

    @Test(
        "keeps of a network address its first two groups",
        arguments: [
            ("192.0.2.7", "192.0.•••"), ("2001:db8::1", "2001:db8:•••"), ("::1", "::•••"), ("fe80::1", "fe80::•••"),
            ("x", "x.•••"),
        ])
    func address(address: String, masked: String) {
        #expect(Redaction.address(address) == masked)
        #expect(Redaction.address(nil) == nil)
    }

    @Test("leaves of a user the names of fields, and of every value no more than its first sign")
    func user() {
        let now = StandingClock().now
        var user = User(
            id: Identifier(rawValue: "u"), application: Identifier(rawValue: "app"), displayName: "Secret name",
            locale: "ja", fields: ["score": 7_654_321, "note": "Secret note"],
            identities: [Identity(provider: .google, subject: "Secret subject", linkedAt: now)], createdAt: now,
            updatedAt: now)
        (user.username, user.email, user.phone) = ("Secret user", "Secret.user@example.com", "+819087654321")
        let masked = Redaction.user(user)
        var text = ""
        dump(masked, to: &text)
        for hidden in ["ecret", "7654321", "7_654", "example"] { #expect(!text.contains(hidden), "\(hidden)") }
        #expect(masked.phone == "•••21" && masked.username == "S•••" && masked.identities.map(\.subject) == ["S•••"])
        #expect(masked.fields == ["score": "•••", "note": "•••"])
        #expect(masked.id == user.id && masked.locale == "ja" && masked.createdAt == now && masked.isAnonymous == false)
        let nobody = User(id: user.id, application: user.application, createdAt: now, updatedAt: now)
        #expect(Redaction.user(nobody) == nobody)
    }
}
