import Crypto
import TestWorld
import Testing

@testable import Domain

@Suite("An app of Google Play whose attestations count")
struct PlayAppTests {
    typealias PlayApp = AttestationRules.PlayApp

    private static let certificate = Array(repeating: "0A", count: 32).joined(separator: ":")
    private static let keys = PlayKeys(verificationKey: [1], sealedKey: [2])

    private static func app(
        _ name: String = "com.example.app", _ level: PlayApp.Level = .device, keys: PlayKeys? = keys
    ) -> PlayApp {
        PlayApp(.init(packageName: name, certificates: [certificate]), level: level, keys: keys)
    }

    private static func rules(_ apps: [PlayApp]) -> AttestationRules {
        var rules = AttestationRules()
        rules.playApps = apps
        return rules
    }

    @Test(
        "is written in a line: package, level and certificates", arguments: PlayApp.Level.allCases)
    func lines(level: PlayApp.Level) {
        var rules = Self.rules([Self.app("com.example.one", level), Self.app("com.example.two", .strong)])
        let lines = rules.playAppLines
        #expect(
            lines == [
                "com.example.one \(level.rawValue) \(Self.certificate)", "com.example.two strong \(Self.certificate)",
            ])
        // Read back they are what they were, with the keys of their packages.
        let before = rules
        rules.playAppLines = lines
        #expect(rules == before)
        rules.playAppLines = lines.map { "  " + $0.split(separator: " ").joined(separator: " \t ") + " " }
        #expect(rules == before)
    }

    @Test("without a level is one of a whole device; blank lines are none")
    func shortLines() {
        var rules = Self.rules([])
        rules.playAppLines = ["com.example.app \(Self.certificate)", "", "  \t", "alone", "com.example.b basic"]
        #expect(rules.playApps.map(\.app.packageName) == ["com.example.app", "alone", "com.example.b"])
        #expect(rules.playApps.map(\.level) == [.device, .device, .basic])
        #expect(rules.playApps.map(\.app.certificates) == [[Self.certificate], [], []])
        #expect(rules.playApps.allSatisfy { $0.keys == nil })
    }

    @Test("keeps its keys when the list is sent without, and loses them with its package")
    func keptKeys() {
        var rules = Self.rules([Self.app()])
        rules.set([Self.app(keys: nil), Self.app("com.example.other", keys: nil)])
        #expect(rules.playApps.map(\.keys) == [Self.keys, nil])
        let others = PlayKeys(verificationKey: [3], sealedKey: [4])
        rules.set([Self.app(keys: others)])
        #expect(rules.playApps.map(\.keys) == [others])
        rules.set([])
        rules.set([Self.app(keys: nil)])
        #expect(rules.playApps.map(\.keys) == [nil])
    }

    @Test("takes keys by its package; keys of one that is not listed are refused with it, for want of certificates")
    func setKeys() {
        var rules = Self.rules([Self.app(keys: nil)])
        rules.set(Self.keys, of: "com.example.app")
        #expect(rules.playApps == [Self.app()] && rules.playFaults.isEmpty)
        rules.set(Self.keys, of: "com.example.other")
        #expect(rules.playApps.count == 2)
        #expect(rules.playFaults == [ValidationError(field: "attestation.playApps", rule: .notAnOrigin)])
    }

    private static let lists: [([PlayApp], ValidationError?)] = [
        ([], nil), ([app()], nil), ([app(), app("com.example.b")], nil),
        ((1...20).map { app("com.example.a\($0)") }, nil),
        (
            (1...21).map { app("com.example.a\($0)") },
            ValidationError(field: "attestation.playApps", rule: .tooManyFields(maximum: 20))
        ),
        ([app("alone")], ValidationError(field: "attestation.playApps", rule: .notAnOrigin)),
        ([app(""), app()], ValidationError(field: "attestation.playApps", rule: .notAnOrigin)),
        ([app(), app("com.example.app", .strong)], ValidationError(field: "attestation.playApps", rule: .notUnique)),
        ([app(keys: nil)], ValidationError(field: "attestation.playApps.decryptionKey", rule: .required)),
        (
            [app(), app("com.example.b", keys: nil)],
            ValidationError(field: "attestation.playApps.decryptionKey", rule: .required)
        ),
    ]

    @Test("is one of twenty, each with a package of its own, certificates and keys", arguments: lists.indices)
    func faults(index: Int) {
        let (apps, fault) = Self.lists[index]
        #expect(Self.rules(apps).playFaults == (fault.map { [$0] } ?? []))
    }

    @Test("counts beside the apps of Apple, by a format for each", arguments: [true, false], [true, false])
    func formats(apple: Bool, play: Bool) {
        var rules = Self.rules(play ? [Self.app()] : [])
        if apple { rules.appleApps = ["TEAM123456.com.example.app"] }
        #expect(rules.formats == (apple ? ["apple-appattest"] : []) + (play ? ["google-play-integrity"] : []))
        rules.mode = .required
        #expect(
            rules.faults
                == (apple || play ? [] : [ValidationError(field: "attestation.appleApps", rule: .required)]))
    }

    private static let decryption = Base64URL.text(of: [UInt8](repeating: 0xfb, count: 32))

    private static func verification() -> String {
        Base64URL.text(of: Array(P256.Signing.PrivateKey().publicKey.derRepresentation))
    }

    private func seal(_ decryption: String, _ verification: String) throws(DomainError) -> PlayKeys {
        guard let key = SealingKey(bytes: [UInt8](repeating: 7, count: SealingKey.byteCount)) else {
            throw .secretUnreadable
        }
        return try SealPlayKeys(sealingKey: key)(
            decryptionKey: Secret(decryption), verificationKey: verification, of: "com.example.app",
            in: Identifier(rawValue: "app"))
    }

    @Test("has keys in base64 as the Play Console shows them, with padding or without, in either alphabet")
    func console() throws {
        let standard = Self.decryption.replacing("-", with: "+").replacing("_", with: "/")
        let verification = Self.verification()
        let key = try SealingKey.ofTests()
        for text in [Self.decryption, standard, standard + "=", standard + "=="] {
            let keys = try seal(text, verification)
            let opened = try key.open(
                keys.sealedKey, purpose: PlayKeys.purpose("com.example.app", Identifier(rawValue: "app")))
            #expect(opened == [UInt8](repeating: 0xfb, count: 32))
            #expect(keys.verificationKey == Base64URL.bytes(of: verification.utf8))
        }
        // Of another package they open nothing.
        let keys = try seal(Self.decryption, verification)
        #expect(throws: DomainError.secretUnreadable) {
            try key.open(keys.sealedKey, purpose: PlayKeys.purpose("com.example.b", Identifier(rawValue: "app")))
        }
    }

    @Test(
        "has no other keys",
        arguments: [
            "", "=", "AA", Base64URL.text(of: [UInt8](repeating: 1, count: 31)),
            Base64URL.text(of: [UInt8](repeating: 1, count: 33)), "no key at all", String(repeating: "A", count: 1001),
        ])
    func otherKeys(text: String) {
        func refused(_ member: String) -> DomainError {
            .fieldsRefused([ValidationError(field: "attestation.playApps.\(member)", rule: .notAPlayKey)])
        }
        #expect(throws: refused("decryptionKey")) { try seal(text, Self.verification()) }
        #expect(throws: refused("verificationKey")) { try seal(Self.decryption, text) }
    }
}
