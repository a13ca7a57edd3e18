import Crypto
import Domain
import TestWorld
import Testing

@Suite("Values")
struct ValueTests {
    @Test("an id has 16 characters base62 and sorts by time")
    func identifiers() {
        let randomness = CountingRandomness()
        let start = StandingClock().now
        let ids = (0..<1000).map {
            (randomness.newIdentifier(at: start + .milliseconds($0)) as Identifier<User>).rawValue
        }
        #expect(ids.allSatisfy { $0.count == 16 && $0.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) } })
        #expect(ids == ids.sorted())
        #expect(Set(ids.map { $0.suffix(8) }).count == 1000)
    }

    @Test("a secret never prints itself")
    func secretsAreSilent() {
        let secret = Secret("oks_very_secret")
        var dumped = ""
        dump(["key": secret], to: &dumped)
        for text in ["\(secret)", String(reflecting: secret), "\([secret])", "\(Optional(secret) as Any)", dumped] {
            #expect(!text.contains("very"), "\(text)")
        }
        #expect(secret == Secret("oks_very_secret") && secret != Secret("oks_very_secret2"))
    }

    @Test("a digest is the SHA-256 of the secret and survives storing")
    func digests() {
        let digest = Secret("abc").digest
        #expect(digest.bytes == Array(SHA256.hash(data: Array("abc".utf8))))
        #expect(SecretDigest(stored: digest.bytes) == digest)
        #expect(SecretDigest(stored: [1, 2, 3]) == nil)
        #expect(SecretDigest(of: Array("abc".utf8).lazy.map { $0 }) == digest)
    }

    @Test(
        "base64url has no padding and one text for each value (RFC 4648)",
        arguments: [("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"), ("\u{3ff}", "z78")])
    func base64URL(plain: String, text: String) {
        #expect(Base64URL.text(of: Array(plain.utf8)) == text)
        #expect(Base64URL.bytes(of: text.utf8) == Array(plain.utf8))
    }

    @Test("base64url refuses everything else", arguments: ["Z", "Zg==", "Zh", "Zm9=", "Zm 8", "Zm+/", "Zm8é", "\n"])
    func badBase64URL(text: String) {
        #expect(Base64URL.bytes(of: text.utf8) == nil)
    }

    @Test("what is sealed opens under the same key and purpose, and under no other")
    func sealing() throws {
        let key = try #require(SealingKey(bytes: [UInt8](repeating: 1, count: 32)))
        let other = try #require(SealingKey(bytes: [UInt8](repeating: 2, count: 32)))
        let sealed = try key.seal([1, 2, 3], purpose: "test")
        #expect(try key.open(sealed, purpose: "test") == [1, 2, 3])
        #expect(throws: DomainError.secretUnreadable) { try other.open(sealed, purpose: "test") }
        #expect(throws: DomainError.secretUnreadable) { try key.open(sealed, purpose: "another") }
        for index in sealed.indices {
            var damaged = sealed
            damaged[index] ^= 1
            #expect(throws: DomainError.secretUnreadable) { try key.open(damaged, purpose: "test") }
        }
        #expect(throws: DomainError.secretUnreadable) { try key.open([], purpose: "test") }
        #expect(SealingKey(bytes: [1]) == nil)
    }
}

@Suite("A boxed value")
struct BoxedTests {
    private struct Owner: Hashable {
        @Boxed var list: [Int]
    }

    @Test("changes in one copy of its owner alone")
    func copies() {
        let first = Owner(list: [1])
        var (second, third) = (first, first)
        second.list.append(2)
        third.list = []
        #expect((first.list, second.list, third.list) == ([1], [1, 2], []))
    }

    @Test("is equal to another with the same value in another box")
    func equality() {
        let first = Owner(list: [1])
        #expect(first == Owner(list: [1]) && first.hashValue == Owner(list: [1]).hashValue)
        #expect(first != Owner(list: [2]))
    }
}
