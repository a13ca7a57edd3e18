import Domain
import PasswordHashes
import Testing

/// Whether a comparison costs the same whichever hash a user has, and when there is no user (requirement 52, decision 0056).
@Suite("The work of comparing passwords")
struct ComparisonWorkTests {
    private static let standard = Argon2id(memoryKiB: 16, passes: 2)
    private static let own =
        "$argon2id$v=19$m=16,t=2,p=1$AAECAwQFBgcICQoLDA0ODw$"
        + "nfkj3u1fRTHCea+fVr03sWV770kp5wLOLoEakziKhqE"

    /// Hashes of the users of one application each.
    static let populations: [[String]] = [
        [own],
        [own] + StoredHashTests.forms,
        StoredHashTests.forms,
        // Different costs of one function.
        [own, bcrypt(4), bcrypt(5), bcrypt(7)],
        [pbkdf2("sha1", 900, 27), pbkdf2("sha1", 1000, 27), pbkdf2("sha1", 1000, 86), pbkdf2("sha256", 7, 43)],
        [scrypt(4), scrypt(5), scrypt(9), own],
        [own, "$argon2id$v=19$m=8,t=1,p=1$AAECAwQFBgcICQoLDA0ODw$AAECAwQFBgcICQoLDA0ODw"],
        [own, "$argon2i$v=19$m=16,t=2,p=1$AAECAwQFBgcICQoLDA0ODw$AAECAwQFBgcICQoLDA0ODw"],
        // Wrapped ones beside their like with other costs, and beside all others.
        [own, wrapped("md5-start", 1), wrapped("md5-end", 1), wrapped("md5-start", 1, salt: 40)],
        [wrapped("phpass", 8192), wrapped("phpass", 2048), wrapped("phpass", 2048, salt: 30)],
        [own, wrapped("sha512crypt", 5000), wrapped("sha512crypt", 1000), wrapped("sha512crypt", 656_000)],
        [own, wrapped("sha256crypt", 5000), wrapped("sha256crypt", 5400), wrapped("sha512crypt", 5000)],
        [own, wrapped("md5crypt", 1), wrapped("sha1-key", 1, memory: 8)] + StoredHashTests.forms,
        // What nobody can try costs nothing, here and there.
        [own, "$5$rounds=5000$salt$hash", "plain"],
        ["$5$rounds=5000$salt$hash"],
        [],
    ]

    private static func bcrypt(_ cost: Int) -> String { "$2b$0\(cost)$" + String(repeating: "a", count: 53) }

    private static func scrypt(_ exponent: Int) -> String {
        "$scrypt$ln=\(exponent),r=8,p=1$AAECAwQFBgcICQoLDA0ODw$nfkj3u1fRTHCea+fVr03sWV770kp5wLOLoEakziKhqE"
    }

    private static func pbkdf2(_ digest: String, _ rounds: Int, _ letters: Int) -> String {
        "$pbkdf2-\(digest)$i=\(rounds)$AAECAwQFBgcICQoLDA0ODw$" + String(repeating: "A", count: letters)
    }

    private static func wrapped(_ name: String, _ rounds: Int, salt letters: Int = 32, memory: Int = 16) -> String {
        "$argon2id-over-\(name)$v=19$m=\(memory),t=2,p=1,i=\(rounds)$" + String(repeating: "A", count: letters)
            + "$nfkj3u1fRTHCea+fVr03sWV770kp5wLOLoEakziKhqE"
    }

    @Test("is the same for every user of an application and for nobody, function by function", arguments: populations)
    func equal(population: [String]) {
        let hashes = population.map(PasswordHash.init(text:))
        let work = ComparisonWork(Set(hashes.compactMap(PasswordScheme.init(of:))), standard: Self.standard)
        func costs(_ hash: PasswordHash?) -> [ComparisonWork.Function: Int] {
            let stored = hash.flatMap(StoredHash.init)
            let all = [stored].compactMap { $0 } + work.rest(after: stored)
            return all.reduce(into: [:]) { $0.merge($1.work, uniquingKeysWith: +) }
        }
        let nobody = costs(nil)
        #expect(!nobody.isEmpty)
        for hash in hashes { #expect(costs(hash) == nobody, "\(hash.text)") }
    }

    @Test("is bounded, however many costly functions a file brings; the cheap ones stay")
    func bounded() {
        let letters = String(repeating: "A", count: 22)
        let costly = (261_000..<261_064).map { "$argon2id$v=19$m=\($0),t=4,p=1$\(letters)$\(letters)" }
        let schemes = Set((costly + [Self.bcrypt(5)]).compactMap { PasswordScheme(of: PasswordHash(text: $0)) })
        #expect(schemes.count == 65)
        let rest = ComparisonWork(schemes, standard: Self.standard).rest(after: nil)
        let functions = Set(rest.flatMap(\.work.keys))
        // The standard, bcrypt, and two that cost what one comparison may.
        #expect(rest.count == 4 && functions.count == 4)
        #expect(functions.contains(.bcrypt) && functions.contains(.argon2("$argon2id$v=19$m=16,t=2,p=1$")))
    }

    @Test("of the costliest hash of each function is made up for beside the standard's", arguments: [0, 1, 2])
    func costliest(index: Int) throws {
        let text = [
            "$2b$15$" + String(repeating: "a", count: 53), Self.pbkdf2("sha256", 5_000_000, 43),
            "$scrypt$ln=18,r=8,p=1$AAECAwQFBgcICQoLDA0ODw$nfkj3u1fRTHCea+fVr03sWV770kp5wLOLoEakziKhqE",
        ][index]
        let scheme = try #require(PasswordScheme(of: PasswordHash(text: text)))
        let hash = try #require(StoredHash(PasswordHash(text: text)))
        let rest = ComparisonWork([scheme], standard: Self.standard).rest(after: nil)
        #expect(rest.count == 2 && rest.contains { $0.work == hash.work })
    }

    @Test("fits nothing", arguments: populations)
    func decoys(population: [String]) throws {
        let schemes = Set(population.compactMap { PasswordScheme(of: PasswordHash(text: $0)) })
        let password = try #require(Password("correct horse"))
        for decoy in ComparisonWork(schemes, standard: Self.standard).rest(after: nil) {
            #expect(!decoy.fits(password))
        }
    }

    @Test("is read from a hash without its salt and result", arguments: StoredHashTests.forms + [own])
    func decoy(text: String) throws {
        let hash = PasswordHash(text: text)
        let scheme = try #require(PasswordScheme(of: hash))
        let (stored, decoy) = (try #require(StoredHash(hash)), try #require(StoredHash(scheme.decoy)))
        #expect(stored.work == decoy.work)
        #expect(PasswordScheme(of: scheme.decoy) == scheme && text.hasPrefix(scheme.head))
        #expect(!scheme.text.contains("AAECAwQ") && !scheme.text.contains("abcdefg"))
    }

    @Test(
        "of texts that are no hashes is none",
        arguments: ["", "$", "$a$b", "plain", String(repeating: "$", count: 9999)])
    func none(text: String) {
        #expect(PasswordScheme(of: PasswordHash(text: text)) == nil)
        #expect(StoredHash(PasswordScheme(text: text).decoy) == nil)
    }

    @Test("changes nothing of what is accepted, and how it is bettered", arguments: StoredHashTests.forms)
    func accepted(text: String) async throws {
        let threads = PasswordThreads(count: 1, maximumWaiting: 8, strength: Self.standard)
        let schemes = Set(StoredHashTests.forms.compactMap { PasswordScheme(of: PasswordHash(text: $0)) })
        let (right, wrong) = (try #require(Password("correct horse")), try #require(Password("wrong horse")))
        let hash = PasswordHash(text: text)
        guard case .accepted(.some) = try await threads.compare(right, with: hash, among: schemes) else {
            Issue.record("refused")
            return
        }
        #expect(try await threads.compare(wrong, with: hash, among: schemes) == .refused)
        #expect(try await threads.compare(right, with: nil, among: schemes) == .refused)
        await threads.close()
    }
}
