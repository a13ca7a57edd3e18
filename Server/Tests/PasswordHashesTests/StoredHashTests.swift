import Domain
import PasswordHashes
import Testing

@Suite("Stored hashes of passwords")
struct StoredHashTests {
    // Made by libxcrypt (bcrypt) and Python's hashlib, from “correct horse” and the salt 00 01 … 0f.
    static let forms = [
        "$2a$04$abcdefghijklmnopqrstuujydOTSfIH/d5oUHpsygqV5X9xJLQc6e",
        "$2b$04$abcdefghijklmnopqrstuujydOTSfIH/d5oUHpsygqV5X9xJLQc6e",
        "$2y$04$abcdefghijklmnopqrstuujydOTSfIH/d5oUHpsygqV5X9xJLQc6e",
        "$scrypt$ln=10,r=8,p=1$AAECAwQFBgcICQoLDA0ODw$nfkj3u1fRTHCea+fVr03sWV770kp5wLOLoEakziKhqE",
        "$pbkdf2-sha1$i=1000$AAECAwQFBgcICQoLDA0ODw$ndhWw3a4srcTtr4HQFTLiKRlVuA",
        "$pbkdf2-sha256$i=1000$AAECAwQFBgcICQoLDA0ODw$yRTMTwbMbo9G0VfjobWqerzuuxe7BETNTErBbKKumGQ",
        // As passlib writes it.
        "$pbkdf2-sha256$1000$AAECAwQFBgcICQoLDA0ODw$yRTMTwbMbo9G0VfjobWqerzuuxe7BETNTErBbKKumGQ",
        "$pbkdf2-sha512$i=1000$AAECAwQFBgcICQoLDA0ODw$"
            + "Xpx07WjVx4vCIvrmBRj8uOoVVtGqJqtUv2J5bhizSQs7osCteF7W4A61dZDqSIqQjO+dxO6p5FT/Uy7QRBXSXA",
    ]

    @Test("of every form that is imported fit the password that made them, and no other", arguments: forms)
    func fits(text: String) throws {
        let stored = try #require(StoredHash(PasswordHash(text: text)))
        #expect(stored.fits(try #require(Password("correct horse"))))
        for other in ["correct horsf", "Correct horse", "correct horse ", "correct horse\0", "c"] {
            #expect(!stored.fits(try #require(Password(other))))
        }
    }

    @Test("of imported users fit what was sent, whatever its Unicode form")
    func unicode() throws {
        let bcrypt = "$2b$04$abcdefghijklmnopqrstuu6ZQcv9YWklUNGzfU28jTU79X9iQ8gJe"
        let stored = try #require(StoredHash(PasswordHash(text: bcrypt)))
        #expect(stored.fits(try #require(Password("がんばれ日本2026"))))
        #expect(stored.fits(try #require(Password("がんばれ日本２０２６"))))
    }

    @Test(
        "of unknown forms, damaged ones and ones that would cost too much are not tried",
        arguments: [
            "", "$", "$$$$$", "plain text", "5f4dcc3b5aa765d61d8327deb882cf99", "$1$salt$hash", "$2b$04$short",
            "$2b$31$abcdefghijklmnopqrstuujydOTSfIH/d5oUHpsygqV5X9xJLQc6e",
            "$2b$xx$" + String(repeating: "a", count: 53),
            "$scrypt$ln=30,r=8,p=1$AAECAw$AAECAw", "$scrypt$ln=10,r=8$AAECAw$AAECAw", "$scrypt$ln=,r=8,p=1$AAEC$AAEC",
            "$scrypt$ln=-1,r=8,p=1$AAEC$AAEC", "$scrypt$ln=10,r=8,p=1$AAEC$", "$scrypt$ln=10,r=8,p=1$AA*C$AAEC",
            "$pbkdf2-sha256$i=999999999999999999999$AAEC$AAEC", "$pbkdf2-sha256$i=0$AAEC$AAEC",
            "$pbkdf2-md5$i=1000$AAEC$AAEC", "$argon2id$v=19$m=99999999999,t=2,p=1$AAEC$AAEC",
            "$argon2id$v=19$m=19456,t=2000,p=1$AAEC$AAEC", String(repeating: "$", count: 100_000),
            // Numbers that would overflow before they are compared.
            "$argon2id$v=19$m=9223372036854775807,t=2,p=1$AAEC$AAEC",
            "$argon2id$v=19$m=-9223372036854775808,t=2,p=1$AAEC$AAEC",
            "$argon2id$v=19$m=262144,t=9223372036854775807,p=1$AAEC$AAEC", "$argon2id$v=19$m=8,t=1$AAEC$AAEC",
            "$argon2id$v=19$m=8,t=1,p=9223372036854775807$AAEC$AAEC",
            "$scrypt$ln=9223372036854775807,r=8,p=1$AAEC$AAEC", "$scrypt$ln=10,r=9223372036854775807,p=1$AAEC$AAEC",
            "$scrypt$ln=10,r=8,p=9223372036854775807$AAEC$AAEC", "$scrypt$ln=10,r=8,p=-9223372036854775808$AAEC$AAEC",
            "$pbkdf2-sha512$i=9223372036854775807$AAEC$AAEC", "$pbkdf2-sha512$i=-9223372036854775808$AAEC$AAEC",
            "$2b$-1$" + String(repeating: "a", count: 53), "$2b$99$" + String(repeating: "a", count: 53),
            // Each within its own bounds, and together too much.
            "$argon2id$v=19$m=262144,t=5,p=1$AAEC$AAEC", "$argon2id$v=19$m=262145,t=1,p=1$AAEC$AAEC",
            "$scrypt$ln=17,r=8,p=3$AAEC$AAEC", "$scrypt$ln=18,r=16,p=1$AAEC$AAEC",
            "$pbkdf2-sha1$i=2500001$AAEC$" + String(repeating: "A", count: 54),
            "$pbkdf2-sha256$i=1000$AAEC$" + String(repeating: "A", count: 800),
            "$pbkdf2-sha256$i=1000$" + String(repeating: "A", count: 800) + "$AAEC",
            // One parameter twice, of which another library might take the other.
            "$argon2id$v=19$m=262144,t=2,p=1,m=8$AAEC$AAEC", "$pbkdf2-sha256$i=5000000,i=1$AAEC$AAEC",
        ])
    func unknown(text: String) {
        #expect(StoredHash(PasswordHash(text: text)) == nil)
    }

    @Test(
        "are tried up to the documented cost",
        arguments: [
            "$argon2id$v=19$m=262144,t=4,p=1$AAECAwQFBgcICQoLDA0ODw$AAEC", "$argon2i$v=19$m=65536,t=3,p=4$AAEC$AAEC",
            "$argon2id$v=19$m=19456,t=53,p=1$AAEC$AAEC", "$scrypt$ln=17,r=8,p=1$AAEC$AAEC",
            "$scrypt$ln=18,r=8,p=1$AAEC$AAEC", "$scrypt$ln=13,r=8,p=10$AAEC$AAEC", "$pbkdf2-sha256$i=5000000$AAEC$AAEC",
            "$2b$15$abcdefghijklmnopqrstuujydOTSfIH/d5oUHpsygqV5X9xJLQc6e",
        ])
    func dearest(text: String) {
        #expect(StoredHash(PasswordHash(text: text)) != nil)
    }
}

@Suite("Threads that hash passwords")
struct PasswordThreadsTests {
    let password = Password("correct horse")

    @Test("make a PHC string of Argon2id with the asked cost and another salt each time")
    func hash() async throws {
        let threads = PasswordThreads(count: 1, maximumWaiting: 8)
        let password = try #require(password)
        let first = try await threads.hash(password)
        let second = try await threads.hash(password)
        #expect(first.text.hasPrefix("$argon2id$v=19$m=19456,t=2,p=1$") && first != second)
        #expect(try await threads.compare(password, with: first) == .accepted(better: nil))
        #expect(try await threads.compare(try #require(Password("wrong horse")), with: first) == .refused)
        #expect(try await threads.compare(password, with: nil) == .refused)
        #expect(try await threads.compare(password, with: PasswordHash(text: "damaged")) == .refused)
        await threads.close()
    }

    @Test("take the same password in another Unicode form")
    func unicode() async throws {
        let threads = PasswordThreads(count: 1, maximumWaiting: 8, strength: Argon2id(memoryKiB: 8, passes: 1))
        let hash = try await threads.hash(try #require(Password("Ｈａｎａ が 好き")))
        let decomposed = try #require(Password("Hana か\u{3099} 好き"))
        #expect(try await threads.compare(decomposed, with: hash) == .accepted(better: nil))
        #expect(try await threads.compare(try #require(Password("hana が 好き")), with: hash) == .refused)
        await threads.close()
    }

    @Test("better a hash that is weaker than new ones", arguments: StoredHashTests.forms)
    func better(text: String) async throws {
        let threads = PasswordThreads(count: 1, maximumWaiting: 8, strength: Argon2id(memoryKiB: 16, passes: 2))
        let password = try #require(password)
        guard case .accepted(let better?) = try await threads.compare(password, with: PasswordHash(text: text)) else {
            Issue.record("no better hash")
            return
        }
        #expect(better.text.hasPrefix("$argon2id$v=19$m=16,t=2,p=1$"))
        #expect(try await threads.compare(password, with: better) == .accepted(better: nil))
        let weak = PasswordThreads(count: 1, maximumWaiting: 8, strength: Argon2id(memoryKiB: 8, passes: 1))
        #expect(try await weak.compare(password, with: better) == .accepted(better: nil))
        await threads.close()
        await weak.close()
    }

    @Test("refuse further work when as much waits as may")
    func full() async throws {
        let threads = PasswordThreads(count: 1, maximumWaiting: 2)
        let password = try #require(password)
        let refusals = await withTaskGroup(of: DomainError?.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    do throws(DomainError) {
                        _ = try await threads.hash(password)
                        return nil
                    } catch {
                        return error
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(refusals.contains(.busy(retryAfter: .seconds(2))))
        #expect(refusals.contains(nil))
        await threads.close()
        await #expect(throws: DomainError.busy(retryAfter: .seconds(2))) { try await threads.hash(password) }
    }
}

extension PasswordHashing {
    /// For tests of what is hashed, where it is the same whose work that is.
    func hash(_ password: Password) async throws(DomainError) -> PasswordHash {
        try await hash(password, for: .admins)
    }

    func compare(
        _ password: Password, with hash: PasswordHash?, among schemes: Set<PasswordScheme> = []
    ) async throws(DomainError) -> PasswordVerdict {
        try await compare(password, with: hash, among: schemes, for: .admins)
    }

    func wrap(_ hash: PasswordHash) async throws(DomainError) -> PasswordHash {
        try await wrap(hash, for: .admins)
    }
}
