import TestWorld
import Testing

@testable import Domain

@Suite("The apps that share passkeys with an application's pages")
struct PasskeyAppTests {
    private static let team = "ABCDE12345"
    private static let digest = (0..<32).map { _ in "0A" }.joined(separator: ":")

    private static func pairs(_ count: Int, _ pair: String = "0A") -> String {
        Array(repeating: pair, count: count).joined(separator: ":")
    }

    @Test(
        "are, at Apple, a team of ten capitals and digits and the id of a bundle",
        arguments: [
            ("\(team).com.example.app", true), ("\(team).app", true), ("\(team).my-app.1", true),
            ("0123456789.a", true), ("ABCDE1234.com.example", false), ("ABCDE123456.com.example", false),
            ("abcde12345.com.example", false), ("ABCDE1234é.com.example", false), (team, false), ("\(team).", false),
            ("\(team)..a", false), ("\(team).a.", false), ("\(team).a_b", false), ("\(team).a b", false),
            ("\(team).é", false), ("", false), (".", false), ("\(team).@", false), ("\(team).[", false),
            ("\(team).`", false), ("\(team).{", false), ("\(team)./", false), ("\(team).:", false),
            ("\(team).azAZ09", true), ("/123456789.a", false), (":123456789.a", false), ("@BCDE12345.a", false),
            ("[BCDE12345.a", false), ("\(team)." + String(repeating: "a", count: 200), true),
            ("\(team)." + String(repeating: "a", count: 201), false),
        ])
    func apple(app: String, isTaken: Bool) {
        var rules = PasskeyRules()
        rules.appleApps = [app]
        #expect(rules.faults == (isTaken ? [] : [ValidationError(field: "passkeys.appleApps", rule: .notAnAppleId)]))
    }

    private static let androidApps: [(String, [String], Bool)] = [
        ("com.example", [digest], true), ("com.example.my_app", [digest], true), ("a.b", [digest], true),
        ("com", [digest], false), ("com.my-app", [digest], false), ("com..app", [digest], false),
        ("", [digest], false), ("com.example.", [digest], false), ("com.exämple", [digest], false),
        ("a." + String(repeating: "b", count: 198), [digest], true),
        ("a." + String(repeating: "b", count: 199), [digest], false), ("com.example", [], false),
        ("com.example", Array(repeating: digest, count: 10), true),
        ("com.example", Array(repeating: digest, count: 11), false), ("com.example", [digest, "x"], false),
        ("com.example", [pairs(31)], false), ("com.example", [pairs(33)], false),
        ("com.example", [pairs(32, "ff")], false), ("com.example", [pairs(32, "FF")], true),
        ("com.example", [pairs(32, "F")], false), ("com.example", [pairs(32, "FFF")], false),
        ("com.example", [pairs(32, "G0")], false), ("com.example", [pairs(32, "0G")], false),
        ("com.example", [pairs(32, "@0")], false), ("com.example", [pairs(32, "/0")], false),
        ("com.example", [pairs(32, ":0")], false), ("com.example", [pairs(32, "09")], true),
        ("com.example", [pairs(32, "AF")], true), ("com.example", [digest.replacing(":", with: "")], false),
    ]

    @Test(
        "are, at Google, a package of two parts and one to ten digests of certificates", arguments: androidApps.indices)
    func android(index: Int) {
        let (package, certificates, isTaken) = Self.androidApps[index]
        var rules = PasskeyRules()
        rules.androidApps = [.init(packageName: package, certificates: certificates)]
        #expect(
            rules.faults == (isTaken ? [] : [ValidationError(field: "passkeys.androidApps", rule: .notAnOrigin)]),
            "\(package) \(certificates)")
    }

    @Test("are twenty of each at the most")
    func counts() {
        let app = PasskeyRules.AndroidApp(packageName: "com.example", certificates: [Self.digest])
        var rules = PasskeyRules()
        rules.appleApps = Array(repeating: "\(Self.team).app", count: 20)
        rules.androidApps = Array(repeating: app, count: 20)
        #expect(rules.faults.isEmpty)
        rules.appleApps.append("x")
        rules.androidApps.append(.init(packageName: "x", certificates: []))
        #expect(
            rules.faults == [
                ValidationError(field: "passkeys.appleApps", rule: .tooManyFields(maximum: 20)),
                ValidationError(field: "passkeys.androidApps", rule: .tooManyFields(maximum: 20)),
            ])
    }

    @Test("of Google are written and read as lines of words")
    func lines() {
        var rules = PasskeyRules()
        rules.androidAppLines = ["com.example  AA:BB\tCC", "  ", "", "com.other"]
        #expect(
            rules.androidApps == [
                .init(packageName: "com.example", certificates: ["AA:BB", "CC"]),
                .init(packageName: "com.other", certificates: []),
            ])
        #expect(rules.androidAppLines == ["com.example AA:BB CC", "com.other"])
    }

    @Test("of Google have the origin that Android makes of a certificate")
    func origins() {
        let app = PasskeyRules.AndroidApp(
            packageName: "com.example", certificates: [Self.pairs(32, "FF"), "x", Self.pairs(32, "1A")])
        #expect(app.digests == [[UInt8](repeating: 0xff, count: 32), [UInt8](repeating: 0x1a, count: 32)])
        #expect(app.origins == app.digests.map { "android:apk-key-hash:\(Base64URL.text(of: $0))" })
    }
}

@Suite("A challenge that nothing stores")
struct SealedChallengeTests {
    private static let application = Identifier<Application>(rawValue: "app")
    private static let purpose: [[UInt8]?] = [[1], nil, [2, 3]]
    private let clock = StandingClock()

    private func challenges(_ purpose: String = "test") throws -> SealedChallenges {
        SealedChallenges(
            clock: clock, randomness: CountingRandomness(), hash: try SealingKey.ofTests().keyedHash(purpose: purpose),
            kind: .passkeyChallenge)
    }

    @Test(
        "is good to the last millisecond, and spent by its end", arguments: [(999, true), (1000, false), (1001, false)])
    func time(after: Int, isGood: Bool) throws {
        let (challenges, now) = (try challenges(), clock.now)
        let bytes = try #require(
            Base64URL.bytes(of: challenges.new(for: Self.purpose, in: Self.application, lifetime: .seconds(1)).utf8))
        #expect(bytes.count == 38)
        let proof = challenges.use(bytes, for: Self.purpose, in: Self.application, at: now + .milliseconds(after))
        let used = UsedProof(.passkeyChallenge, SecretDigest(of: bytes), until: now + .seconds(1))
        #expect(proof == (isGood ? used : nil))
    }

    @Test("is another one each time, for one purpose, one application and one key")
    func bound() throws {
        let (challenges, now) = (try challenges(), clock.now)
        let text = challenges.new(for: Self.purpose, in: Self.application, lifetime: .seconds(1))
        #expect(challenges.new(for: Self.purpose, in: Self.application, lifetime: .seconds(1)) != text)
        let bytes = try #require(Base64URL.bytes(of: text.utf8))
        for purpose in [[], [[1]], [[1], nil], [[1], [2, 3]], [[1], [], [2, 3]], [nil, nil, [2, 3]]] as [[[UInt8]?]] {
            #expect(challenges.use(bytes, for: purpose, in: Self.application, at: now) == nil, "\(purpose)")
        }
        #expect(challenges.use(bytes, for: Self.purpose, in: Identifier(rawValue: "other"), at: now) == nil)
        #expect(try self.challenges("other").use(bytes, for: Self.purpose, in: Self.application, at: now) == nil)
        #expect(challenges.use(bytes, for: Self.purpose, in: Self.application, at: now) != nil)
    }

    @Test("counts in each of its bytes, and in their number")
    func altered() throws {
        let (challenges, now) = (try challenges(), clock.now)
        let bytes = try #require(
            Base64URL.bytes(of: challenges.new(for: Self.purpose, in: Self.application, lifetime: .seconds(1)).utf8))
        for index in bytes.indices {
            var altered = bytes
            altered[index] ^= 1
            #expect(challenges.use(altered, for: Self.purpose, in: Self.application, at: now) == nil, "byte \(index)")
        }
        for other in [[], Array(bytes.dropLast()), bytes + [0], [0] + bytes, bytes + bytes] {
            #expect(challenges.use(other, for: Self.purpose, in: Self.application, at: now) == nil)
        }
    }
}
