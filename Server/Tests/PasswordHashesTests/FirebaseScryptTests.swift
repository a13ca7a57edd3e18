import Domain
import Foundation
import PasswordHashes
import Testing

@Suite("Hashes of Firebase")
struct FirebaseScryptTests {
    // The sample that Firebase publishes with its scrypt.
    private static let signerKey = bytes(
        "jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==")
    private static let salt = bytes("42xEC+ixf3L2lw==")
    private static let hash = bytes(
        "lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ==")

    private static func bytes(_ text: String) -> [UInt8] { Array(Data(base64Encoded: text) ?? Data()) }

    private static func project(rounds: Int = 8, memoryCost: Int = 14) -> FirebaseScrypt? {
        FirebaseScrypt(
            signerKey: signerKey, saltSeparator: bytes("Bw=="), rounds: rounds, memoryCost: memoryCost)
    }

    @Test("fit the password of the published sample and no other, without the project's signer key")
    func sample() throws {
        let project = try #require(Self.project())
        let stored = try #require(project.hash(Self.hash, salt: Self.salt))
        #expect(stored.text.hasPrefix("$firebase-scrypt$ln=14,r=8,p=1$"))
        #expect(!stored.text.contains(Data(Self.signerKey).base64EncodedString().prefix(20)))
        let hash = try #require(StoredHash(stored))
        let password = try #require(Password("user1password"))
        #expect(hash.fits(password))
        for other in ["user2password", "user1password\0", "User1password", "x"] {
            let wrong = try #require(Password(other))
            #expect(!hash.fits(wrong))
        }
        let scheme = try #require(PasswordScheme(of: stored))
        #expect(StoredHash(scheme.decoy)?.work == hash.work)
    }

    /// The vector of supabase/auth's own tests.
    private static let ofSupabase =
        "$fbscrypt$v=1,n=14,r=8,p=1,ss=Bw==,sk=ou9tdYTGyYm8kuR6Dt0Bp0kDuAYoXrK16mbZO4yGwAn3oLspjnN0/c41v8xZnO1n14J3MjKj1b2"
        + "g6AUCAlFwMw==$C0sHCg9ek77hsg==$zKVTMvnWVw5BBOZNUdnsalx4c4c7y/w7IS5p6Ut2+CfEFFlz37J9huyQfov4iizN8dbjvEJlM5tQaJP84+h"
        + "fTw=="

    @Test("that went on to Supabase, with their parameters, fit the password of its published vector and no other")
    func supabase() throws {
        let stored = try #require(OldPasswordHash.stored(Self.ofSupabase))
        #expect(stored.text.hasPrefix("$firebase-scrypt$ln=14,r=8,p=1$"))
        let hash = try #require(StoredHash(stored))
        #expect(hash.fits(try #require(Password("mytestpassword"))))
        #expect(!hash.fits(try #require(Password("mytestpassword2"))))
    }

    @Test(
        "of Supabase with other parameters than there can be are no hashes that can be tried",
        arguments: [
            ("v=1", "v=2"), ("p=1", "p=2"), ("n=14", "n=24"), ("n=14", "n=9223372036854775807"), ("n=14", "n=-1"),
            ("r=8", "r=0"), ("r=8", "r=99999999999999999999"), ("n=14,", ""), ("n=14", "n=14,n=14"), ("n=14", "n"),
            ("ss=Bw==", "ss=?"), ("sk=ou9t", "sk="), ("$C0sHCg9ek77hsg==", ""), ("zKVTMvnW", "?"),
        ])
    func supabaseFaults(part: String, other: String) {
        let stored = OldPasswordHash.stored(Self.ofSupabase.replacingOccurrences(of: part, with: other))
        #expect(stored.flatMap { StoredHash($0) } == nil)
    }

    @Test("of another length than the signer key are none of the project's")
    func otherLength() throws {
        let project = try #require(Self.project())
        #expect(project.hash(Array(Self.hash.dropLast()), salt: Self.salt) == nil)
    }

    @Test(
        "of parameters that no log-in can bear are none",
        arguments: [(8, 24), (8, Int.max), (Int.max, 14), (0, 14), (8, 0), (-1, -1), (Int.min, 14)])
    func costs(rounds: Int, memoryCost: Int) {
        #expect(Self.project(rounds: rounds, memoryCost: memoryCost) == nil)
    }
}
