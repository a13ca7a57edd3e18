import Domain
import PasswordHashes
import Testing

/// Hashes that are too fast for passwords, as other services wrote them, and what is stored instead of them.
@Suite("Fast hashes")
struct FastHashTests {
    /// A hash as an export has it, with the password that made it and who published both.
    struct Vector: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let password: String
        let text: String

        init(_ source: String, _ password: String, _ text: String) {
            testDescription = source
            self.password = password
            self.text = text
        }
    }

    static let vectors = [
        Vector("md5crypt, Guile", "hello", "$1$oKnN0HHt$Aul2g/J4edgga3WE/03cN/"),
        Vector("SHA-crypt, U. Drepper", "Hello world!", "$5$saltstring$5B8vYYiY.CVt1RlTTf8KbXBH3hsxY/GNooZaBBGWEc5"),
        Vector(
            "SHA-crypt with rounds", "Hello world!",
            "$5$rounds=10000$saltstringsaltst$3xv.VbSHBb41AL9AvLeujZkZRBAwqFMz2.opqey6IcA"),
        Vector(
            "SHA-crypt with the fewest rounds", "the minimum number is still observed",
            "$5$rounds=1000$roundstoolow$yfvwcWrQ8l/K0DAWyuPMDNHpIVlTQebY9l/gL972bIC"),
        Vector(
            "SHA-512-crypt", "Hello world!",
            "$6$saltstring$svn8UoSVapNtMuq1ukKS4tPQd8iKwSMHWjl/O817G3uBnIFNjnQJuesI68u4OTLiBFdcbYEdFCoEOfaS35inz1"),
        Vector(
            "SHA-512-crypt with rounds", "Hello world!",
            "$6$rounds=10000$saltstringsaltst$OW1/O6BYHV6BcXZu8QVeXbDWra3Oeqh0sbHbbMCVNSnCM/UrjmM0Dp8vOuZeHBy/"
                + "YTBmSK6H9qs/y3RnOaw5v."),
        Vector("phpass, its own test", "test12345", "$P$9IQRaTwmfeRo7ud9Fh4E2PdI0S3r.L0"),
        Vector("phpass of phpBB, passlib", "123456", "$H$9PE8jEklgZhgLmZl5.HYJAzfGCQtzi1"),
        Vector("LDAP, passlib", "password", "{SSHA}pKqkNr1tq3wtQqk+UcPyA3HnA2NsU5NJ"),
        Vector(
            "LDAP with crypt", "Hello world!", "{CRYPT}$5$saltstring$5B8vYYiY.CVt1RlTTf8KbXBH3hsxY/GNooZaBBGWEc5"),
        Vector("Django, SHA-1", "lètmein", "sha1$seasalt$cff36ea83f5706ce9aa7454e63e431fc726b2dc8"),
        Vector("Django, MD5", "lètmein", "md5$seasalt$3f86d0d3d465b7b458c231bf3555c0e3"),
        Vector("MD5, RFC 1321", "abc", "md5$$900150983cd24fb0d6963f7d28e17f72"),
        Vector("SHA-1, FIPS 180", "abc", "sha1$$a9993e364706816aba3e25717850c26c9cd0d89d"),
        Vector(
            "SHA-256, FIPS 180", "abc", "sha256$$ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        Vector(
            "SHA-384, FIPS 180", "abc",
            "sha384$$cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7"),
        Vector(
            "SHA-512, FIPS 180", "abc",
            "sha512$$ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"),
        Vector(
            "SHA3-256, FIPS 202", "abc", "sha3-256$$3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532"),
        Vector(
            "SHA3-384, FIPS 202", "abc",
            "sha3-384$$ec01498288516fc926459f58e2c6ad8df9b473cb0fc08c2596da7cf0e49be4b298d88cea927ac7f539f1edf228376d25"
        ),
        Vector(
            "SHA3-512, FIPS 202", "abc",
            "sha3-512$$b751850b1a57168a5693cd924b6b096e08f621827444f70d884f5d0240d2712e"
                + "10e116e9192af3c91a7ec57647e3934057340b4cf408d5a56592f8274eec53f0"),
    ]

    private static let threads = PasswordThreads(
        count: 2, maximumWaiting: 1000, strength: Argon2id(memoryKiB: 16, passes: 2))

    /// - Returns: what is stored instead of a fast hash.
    private static func wrapped(_ fast: PasswordHash) async throws -> PasswordHash {
        try #require(StoredHash(fast) == nil && threads.canTry(fast) && threads.isFast(fast))
        return try await threads.wrap(fast)
    }

    private static func expect(_ stored: PasswordHash, fits password: String) throws {
        let hash = try #require(StoredHash(stored))
        let right = try #require(Password(password))
        #expect(hash.fits(right))
        for other in [password + "x", password + "\0", password.uppercased() + " ", "x"] {
            let wrong = try #require(Password(other))
            #expect(!hash.fits(wrong), "\(other)")
        }
    }

    @Test("are wrapped, fit the password that made them and no other, and stand nowhere", arguments: vectors)
    func published(vector: Vector) async throws {
        let fast = try #require(OldPasswordHash.stored(vector.text))
        let (first, second) = (try await Self.wrapped(fast), try await Self.wrapped(fast))
        #expect(first != second && first.text.hasPrefix("$argon2id-over-") && first.text.contains("m=16,t=2,p=1"))
        #expect(!Self.threads.isFast(first))
        let digest = vector.text.split(separator: "$").last.map(String.init) ?? vector.text
        #expect(!first.text.contains(digest.suffix(20)))
        try Self.expect(first, fits: vector.password)
        let scheme = try #require(PasswordScheme(of: first))
        #expect(PasswordScheme(of: second) == scheme && first.text.hasPrefix(scheme.head))
        #expect(StoredHash(scheme.decoy)?.work == StoredHash(first)?.work)
    }

    private static let codes: [(FastHash.Digest, String)] = [
        (.md5, "750c783e6ab0b503eaa86e310a5db738"), (.sha1, "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"),
        (.sha256, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
        (
            .sha512,
            "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554"
                + "9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737"
        ),
    ]

    @Test("with a key are HMAC (RFC 2202, RFC 4231)", arguments: codes)
    func hmac(digest: FastHash.Digest, hex: String) async throws {
        let hash = try #require(OldPasswordHash.Encoding.hex.bytes(of: hex))
        let fast = try #require(FastHash.text(digest, .key, salt: Array("Jefe".utf8), hash: hash))
        try Self.expect(try await Self.wrapped(fast), fits: "what do ya want for nothing?")
    }

    @Test("have the salt on the side that was named", arguments: [FastHash.SaltPosition.start, .end])
    func saltPosition(position: FastHash.SaltPosition) async throws {
        // Salt and password together are “abc”, of which the digest is published.
        let (salt, password) = position == .start ? ("a", "bc") : ("c", "ab")
        let hash = try #require(OldPasswordHash.Encoding.hex.bytes(of: "a9993e364706816aba3e25717850c26c9cd0d89d"))
        let fast = try #require(FastHash.text(.sha1, position, salt: Array(salt.utf8), hash: hash))
        try Self.expect(try await Self.wrapped(fast), fits: password)
    }

    @Test("are replaced by Argon2id alone at the first log-in", arguments: [vectors[0], vectors[6], vectors[10]])
    func replaced(vector: Vector) async throws {
        let stored = try await Self.wrapped(try #require(OldPasswordHash.stored(vector.text)))
        let password = try #require(Password(vector.password))
        guard case .accepted(let better?) = try await Self.threads.compare(password, with: stored) else {
            Issue.record("no better hash")
            return
        }
        #expect(better.text.hasPrefix("$argon2id$v=19$m=16,t=2,p=1$"))
        #expect(try await Self.threads.compare(password, with: better) == .accepted(better: nil))
    }

    @Test(
        "of unknown forms, damaged ones and ones that would cost too much are refused",
        arguments: [
            "$1$", "$1$salt$", "$1$salt$short", "$1$toolongsalt$Aul2g/J4edgga3WE/03cN/",
            "$1$oKnN0HHt$Aul2g/J4edgga3WE/03cN!", "$1$rounds=5$oKnN0HHt$Aul2g/J4edgga3WE/03cN/",
            "$5$rounds=999$saltstring$5B8vYYiY.CVt1RlTTf8KbXBH3hsxY/GNooZaBBGWEc5",
            "$5$rounds=5000001$saltstring$5B8vYYiY.CVt1RlTTf8KbXBH3hsxY/GNooZaBBGWEc5",
            "$5$rounds=9223372036854775808$saltstring$5B8vYYiY.CVt1RlTTf8KbXBH3hsxY/GNooZaBBGWEc5",
            "$5$rounds=x$saltstring$5B8vYYiY.CVt1RlTTf8KbXBH3hsxY/GNooZaBBGWEc5",
            "$6$saltstring$5B8vYYiY.CVt1RlTTf8KbXBH3hsxY/GNooZaBBGWEc5",
            // 2^23 rounds, 2^6, another length, another alphabet, bits that no digest has.
            "$P$LIQRaTwmfeRo7ud9Fh4E2PdI0S3r.L0", "$P$4IQRaTwmfeRo7ud9Fh4E2PdI0S3r.L0",
            "$P$9IQRaTwmfeRo7ud9Fh4E2PdI0S3r.L", "$P$9IQRaTwmfeRo7ud9Fh4E2PdI0S3r.L!",
            "$P$9IQRaTwmfeRo7ud9Fh4E2PdI0S3r.Lz",
            "{SSHA}AAAA", "{SSHA}", "{SSHA", "{X}pKqkNr1tq3wtQqk+UcPyA3HnA2NsU5NJ",
            "{SHA}pKqkNr1tq3wtQqk+UcPyA3HnA2NsU5NJ",
            "md5$salt$AAAA", "md5$salt$zz0150983cd24fb0d6963f7d28e17f72", "md4$$900150983cd24fb0d6963f7d28e17f72",
            "5f4dcc3b5aa765d61d8327deb882cf99",
            // A salt that does not fit beside Argon2id's.
            "md5$" + String(repeating: "s", count: 113) + "$900150983cd24fb0d6963f7d28e17f72",
        ])
    func unknown(text: String) {
        #expect(OldPasswordHash.stored(text).map(Self.threads.canTry) == false)
    }

    @Test(
        "cannot be stored under another name, and wrapped ones have bounds",
        arguments: [
            "$md5$start=1$$kAFQmDzST7DWlj99KOF/cg", "$1$oKnN0HHt$Aul2g/J4edgga3WE/03cN/",
            "$argon2id-over-md5$v=19$m=16,t=2,p=1,i=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAA",
            "$argon2id-over-md5-start$v=19$m=16,t=2,p=1,i=2$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAA",
            "$argon2id-over-md5-start$v=19$m=7,t=2,p=1,i=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAA",
            "$argon2id-over-md5-start$v=19$m=16,t=2,p=2,i=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAA",
            "$argon2id-over-md5-start$v=19$m=262145,t=2,p=1,i=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAA",
            "$argon2id-over-md5-start$v=19$m=16,t=2,p=1,i=1$AAAA$AAAAAAAAAAAAAAAAAAAAAA",
            "$argon2id-over-md5-start$v=19$m=16,t=2,p=1,i=1$AAAAAAAAAAAAAAAAAAAAAA$AAAA",
            "$argon2id-over-phpass$v=19$m=16,t=2,p=1,i=5000001$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAA",
            "$argon2id-over-sha256crypt$v=19$m=16,t=2,p=1,i=999$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAA",
        ])
    func notStored(text: String) {
        #expect(StoredHash(PasswordHash(text: text)) == nil)
    }
}

/// Forms of slow hashes that are written otherwise here.
@Suite("Old forms of password hashes")
struct OldPasswordHashTests {
    @Test(
        "become PHC strings that fit the password",
        arguments: [
            ("lètmein", "pbkdf2_sha256$12000$seasalt$Ybw8zsFxqja97tY/o6G+Fy1ksY4U/Hw3DRrGED6Up4s="),
            (
                "lètmein",
                "scrypt$16384$seasalt$8$1$Qj3+9PPyRjSJIebHnG81TMjsqtaIGxNQG/aEB/NYafTJ7tibgfYz71m0ldQESkXFRkdVCBhhY8mx7rQwite/Pw=="
            ),
            ("correct horse", "bcrypt$$2b$04$abcdefghijklmnopqrstuujydOTSfIH/d5oUHpsygqV5X9xJLQc6e"),
            ("correct horse", "$2b$04$abcdefghijklmnopqrstuujydOTSfIH/d5oUHpsygqV5X9xJLQc6e"),
        ])
    func slow(password: String, text: String) throws {
        let stored = try #require(OldPasswordHash.stored(text).flatMap(StoredHash.init))
        #expect(stored.fits(try #require(Password(password))))
        #expect(!stored.fits(try #require(Password("another"))))
    }

    @Test("of users without a password are none", arguments: ["!", "!x8", "*", "\\x"])
    func none(text: String) {
        #expect(OldPasswordHash.stored(text) == nil)
    }

    @Test(
        "that are damaged stay, and cannot be tried",
        arguments: [
            "pbkdf2_sha256$x$salt$AAAA", "pbkdf2_sha256$12000$salt", "pbkdf2_sha256$12000$salt$*",
            "scrypt$3$s$8$1$AAAA",
            "scrypt$16384$s$8$AAAA", "scrypt$0$s$8$1$AAAA", "scrypt$-8$s$8$1$AAAA", "\\xzz", "{",
        ])
    func damaged(text: String) throws {
        let hash = try #require(OldPasswordHash.stored(text))
        #expect(hash.text == text && StoredHash(hash) == nil && FastHash(hash) == nil)
    }
}
