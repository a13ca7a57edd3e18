import Domain
import Testing

@Suite("Identifiers that people type")
struct LogInIdentifierTests {
    @Test(
        "are the same user name in spite of case, width, ligatures and what is invisible",
        arguments: [
            ("Hana", "hANA"), ("Ｈａｎａ", "hana"), ("Straße", "STRASSE"), ("ﬁnn", "FINN"), ("ΣΟΦΟΣ", "σοφος"),
            ("ﾊﾅｺ", "ハナコ"), ("김하나", "\u{1100}\u{1175}\u{11B7}\u{1112}\u{1161}\u{1102}\u{1161}"),
            ("ha\u{200B}na", "hana"),
            ("é", "e\u{301}"), ("①", "1"),
        ])
    func sameUserName(left: String, right: String) {
        #expect(LogInIdentifier(.username, shown: left).folded == LogInIdentifier(.username, shown: right).folded)
    }

    @Test("keep other user names apart", arguments: [("hana", "hanna"), ("はな", "ハナ"), ("a b", "ab"), ("o", "0")])
    func otherUserName(left: String, right: String) {
        #expect(LogInIdentifier(.username, shown: left).folded != LogInIdentifier(.username, shown: right).folded)
    }

    @Test(
        "are the same mail address in spite of case and of how the domain is written",
        arguments: [
            ("Hana@Example.COM", "hana@example.com"), ("hana@bücher.example", "HANA@XN--BCHER-KVA.example"),
            ("hana＠例え。テスト", "hana@例え.テスト"), (" hana@example.com ", "hana@example.com"),
        ])
    func sameMailAddress(left: String, right: String) {
        #expect(LogInIdentifier(.email, shown: left).folded == LogInIdentifier(.email, shown: right).folded)
    }

    @Test("tell where mail for an address in any script goes")
    func deliverable() throws {
        let address = try #require(MailAddress("はな.Hana@日本.JP"))
        #expect(address.text == "はな.Hana@日本.jp")
        #expect(address.deliverable == "はな.Hana@xn--wgv71a.jp")
    }

    @Test(
        "are no mail address",
        arguments: [
            "", "@", "hana", "hana@", "@example.com", "hana@localhost", "hana@@example.com", "ha na@example.com",
            "hana@exa mple.com", "hana@-example.com", "hana@example..com", "hana@example.com.", ".hana@example.com",
            "hana@[192.0.2.1]", "hana@192.0.2.1", "\"ha na\"@example.com", "hana@example.com\r\nBcc: x@y.z",
            "hana\u{200B}@example.com", "hana\0@example.com", "<hana@example.com>", "hana@exa_mple.com",
            String(repeating: "a", count: 65) + "@example.com",
            "a@" + String(repeating: "abcdefgh.", count: 30) + "com",
        ])
    func noMailAddress(text: String) {
        #expect(MailAddress(text) == nil)
    }

    @Test(
        "are the same phone number however it is written",
        arguments: ["+819012345678", "+81 90-1234-5678", "＋８１（９０）１２３４−５６７８", "+81.90.1234.5678"])
    func samePhoneNumber(text: String) {
        #expect(PhoneNumber(text)?.text == "+819012345678")
    }

    @Test(
        "are no phone number in international form",
        arguments: [
            "", "+", "09012345678", "+0123456789", "+123456", "+1234567890123456", "+81 90 1234 567x", "++8190123456",
        ])
    func noPhoneNumber(text: String) {
        #expect(PhoneNumber(text) == nil)
    }

    @Test("can mean an address or number first, and always a user name")
    func candidates() {
        #expect(LogInIdentifier.candidates(of: "hana").map(\.kind) == [.username])
        #expect(LogInIdentifier.candidates(of: "hana@example.com").map(\.kind) == [.email, .username])
        #expect(LogInIdentifier.candidates(of: "＋81 90 1234 5678").map(\.kind) == [.phone, .username])
        // Another protocol's name may have the spaces.
        let spaced = LogInIdentifier.candidates(of: " hana@example.com")
        #expect(spaced.map(\.kind) == [.email, .username, .username])
        #expect(spaced.map(\.shown) == ["hana@example.com", "hana@example.com", " hana@example.com"])
    }
}
