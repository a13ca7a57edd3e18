import TestWorld
import Testing

@testable import Domain

@Suite("A ticket of a second factor")
struct SecondFactorTicketTests {
    private typealias Samples = SecondFactorSamples

    private static let now = Samples.now
    private static let ticket = SecondFactorTicket(
        user: Samples.user.rawValue, version: 7, method: "password", methods: AuthenticationMethods.password.rawValue,
        deviceKey: "key", isEnrolment: false, expiresAt: (now + SecondFactorTicket.lifetime).milliseconds)
    private static let enrolment = TOTPEnrolment(
        id: "factor", user: Samples.user.rawValue, version: 7, key: [1, 2, 3],
        expiresAt: (now + TOTPEnrolment.lifetime).milliseconds)

    private let tickets: SecondFactorTickets

    init() throws {
        tickets = SecondFactorTickets(sealingKey: try .ofTests())
    }

    private func logIn(
        _ text: String, in application: Identifier<Application> = Samples.application, at now: Timestamp = now
    ) -> SecondFactorTicket? {
        // A refusal has no cause to tell.
        try? tickets.logIn(text, in: application, at: now)
    }

    private func enrolment(
        _ text: String, of user: Identifier<User> = Samples.user,
        in application: Identifier<Application> = Samples.application, at now: Timestamp = now
    ) -> TOTPEnrolment? {
        // As above.
        try? tickets.enrolment(text, of: user, in: application, at: now)
    }

    @Test("of a log-in opens as it was sealed", arguments: [String?.none, "key"], [true, false])
    func opened(key: String?, isEnrolment: Bool) throws {
        var sent = Self.ticket
        (sent.deviceKey, sent.isEnrolment) = (key, isEnrolment)
        let opened = try tickets.logIn(
            try tickets.seal(sent, in: Samples.application).revealed, in: Samples.application, at: Self.now)
        #expect(opened.userId == Samples.user && opened.version == 7 && opened.method == "password")
        #expect(opened.methods == sent.methods && opened.deviceKey == key && opened.isEnrolment == isEnrolment)
        #expect(opened.expiresAt == sent.expiresAt)
    }

    @Test("of an enrolment opens as it was sealed")
    func openedEnrolment() throws {
        let opened = try #require(
            enrolment(try tickets.seal(Self.enrolment, in: Samples.application).revealed))
        #expect(opened.id == "factor" && opened.key == [1, 2, 3] && opened.version == 7)
    }

    @Test(
        "is good to the last millisecond: five minutes for a log-in, ten for an enrolment",
        arguments: [(-1, true), (0, false), (1, false)])
    func end(offset: Int, isGood: Bool) throws {
        let ticket = try tickets.seal(Self.ticket, in: Samples.application).revealed
        let enrolled = try tickets.seal(Self.enrolment, in: Samples.application).revealed
        let offset = Duration.milliseconds(offset)
        #expect((logIn(ticket, at: Self.now + .seconds(300) + offset) != nil) == isGood)
        #expect((enrolment(enrolled, at: Self.now + .seconds(600) + offset) != nil) == isGood)
    }

    @Test("is good in its application, for its purpose, and an enrolment for its user, alone")
    func bound() throws {
        let ticket = try tickets.seal(Self.ticket, in: Samples.application).revealed
        let enrolled = try tickets.seal(Self.enrolment, in: Samples.application).revealed
        let other = Identifier<Application>(rawValue: "another")
        #expect(logIn(ticket) != nil && enrolment(enrolled) != nil)
        #expect(logIn(ticket, in: other) == nil && enrolment(enrolled, in: other) == nil)
        #expect(logIn(enrolled) == nil && enrolment(ticket) == nil)
        #expect(enrolment(enrolled, of: Identifier(rawValue: "another")) == nil)
        #expect(enrolment(enrolled, of: Identifier(rawValue: "")) == nil)
    }

    @Test(
        "of a log-in by an identity is held by that very one: not by another of its kind, nor by its name elsewhere",
        arguments: [Identity.Provider.passkey, .google, .device])
    func held(provider: Identity.Provider) {
        func user(_ names: [(provider: Identity.Provider, subject: String)]) -> User {
            Samples.user(
                .registered,
                identities: names.map { Identity(provider: $0.provider, subject: $0.subject, linkedAt: Self.now) })
        }
        var ticket = Self.ticket
        (ticket.method, ticket.methods) = (provider.rawValue, AuthenticationMethods.provider.rawValue)
        // As it was sealed before identities were written.
        let former = ticket
        #expect(former.isHeld(by: user([(provider, "two")])) && !former.isHeld(by: user([])))
        ticket.identity = SecondFactorTicket.digest(of: Identity.Name(provider: provider, subject: "one"))
        let written = ticket
        #expect(written.isHeld(by: user([(provider, "two"), (provider, "one")])))
        #expect(!written.isHeld(by: user([(provider, "two"), (.line, "one")])))
    }

    @Test("is good with the server's own key alone")
    func otherKey() throws {
        let key = try #require(SealingKey(bytes: [UInt8](repeating: 8, count: SealingKey.byteCount)))
        let ticket = try SecondFactorTickets(sealingKey: key).seal(Self.ticket, in: Samples.application).revealed
        #expect(logIn(ticket) == nil)
    }

    @Test("that was altered anywhere is none", arguments: UInt64(0)..<40)
    func altered(seed: UInt64) throws {
        var draw = SeededGenerator(state: seed)
        let ticket = try tickets.seal(Self.ticket, in: Samples.application).revealed
        var bytes = try #require(Base64URL.bytes(of: ticket.utf8))
        switch draw.number(below: 4) {
        case 0: bytes[draw.number(below: bytes.count)] ^= 1 << UInt8(draw.number(below: 8))
        case 1: bytes.remove(at: draw.number(below: bytes.count))
        case 2: bytes.insert(UInt8(draw.number(below: 256)), at: draw.number(below: bytes.count + 1))
        default: bytes = Array(bytes.prefix(draw.number(below: bytes.count)))
        }
        #expect(logIn(Base64URL.text(of: bytes)) == nil, "\(seed)")
    }

    @Test(
        "is none of these texts",
        arguments: [
            "", " ", "=", "%", "ticket", "é", String(repeating: "A", count: 2048), String(repeating: "A", count: 2049),
        ])
    func other(text: String) {
        #expect(throws: DomainError.secondFactorTicketRefused) {
            try tickets.logIn(text, in: Samples.application, at: Self.now)
        }
        #expect(throws: DomainError.secondFactorTicketRefused) {
            try tickets.enrolment(text, of: Samples.user, in: Samples.application, at: Self.now)
        }
    }

    @Test("is not read beyond 2048 bytes, and is read up to there", arguments: 0..<8)
    func length(step: Int) throws {
        var long = Self.ticket
        long.method = String(repeating: "m", count: 1250 + step * 40)
        let text = try tickets.seal(long, in: Samples.application).revealed
        #expect((logIn(text) != nil) == (text.utf8.count <= 2048), "\(text.utf8.count)")
    }
}

@Suite("A recovery code")
struct RecoveryCodeTests {
    private typealias Samples = SecondFactorSamples

    private let codes: UserRecoveryCodes

    init() throws {
        codes = UserRecoveryCodes(sealingKey: try .ofTests())
    }

    @Test("is ten signs of base 32 in two halves, whatever its bytes", arguments: UInt64(0)..<50)
    func form(seed: UInt64) {
        var draw = SeededGenerator(state: seed)
        let bytes = draw.list(of: RecoveryCode.byteCount) { UInt8($0.number(below: 256)) }
        let text = RecoveryCode.text(of: bytes).revealed
        let halves = text.split(separator: "-", omittingEmptySubsequences: false)
        #expect(halves.map(\.count) == [5, 5])
        #expect(halves.joined().allSatisfy { "abcdefghijklmnopqrstuvwxyz234567".contains($0) }, "\(text)")
        #expect(RecoveryCode.letters(of: text) == halves.joined())
        #expect(halves.joined() == Base32.text(of: bytes).lowercased().prefix(10))
    }

    @Test(
        "is read whatever its case and whatever stands between its letters",
        arguments: [
            ("abcde-fgh23", "abcdefgh23"), ("ABCDE-FGH23", "abcdefgh23"), (" abcde fgh23\n", "abcdefgh23"),
            ("a.b,c;d-e_f g h 2 3", "abcdefgh23"), ("", ""), ("-- --", ""),
            ("a" + String(repeating: " ", count: 99), "a"), ("a" + String(repeating: " ", count: 100), ""),
        ])
    func typed(text: String, letters: String) { #expect(RecoveryCode.letters(of: text) == letters) }

    @Test("comes in ten, all different, the same of the same seed for the same user alone", arguments: UInt64(0)..<20)
    func derived(seed: UInt64) {
        var draw = SeededGenerator(state: seed)
        let bytes = draw.list(of: 32) { UInt8($0.number(below: 256)) }
        func texts(_ seed: [UInt8], _ user: Identifier<User>) -> [String] {
            codes.codes(from: seed, of: user).map(\.revealed)
        }
        let own = texts(bytes, Samples.user)
        #expect(own.count == 10 && Set(own).count == 10)
        #expect(texts(bytes, Samples.user) == own)
        #expect(Set(texts(bytes, Identifier(rawValue: "another"))).isDisjoint(with: own))
        var other = bytes
        other[draw.number(below: 32)] ^= 1 << UInt8(draw.number(below: 8))
        #expect(Set(texts(other, Samples.user)).isDisjoint(with: own))
    }

    @Test("is stored as a digest of its letters, of its user and its application")
    func digest() {
        func digest(
            _ code: String, _ user: String = "user", _ application: String = "app"
        ) -> SecretDigest {
            codes.digest(of: code, of: Identifier(rawValue: user), in: Identifier(rawValue: application))
        }
        #expect(digest("abcde-fgh23") == digest("ABCDE FGH23"))
        let all = [
            digest("abcde-fgh23"), digest("abcde-fgh24"), digest("abcde-fgh23", "other"),
            digest("abcde-fgh23", "user", "other"), digest(""),
        ]
        #expect(Set(all).count == all.count)
    }

    @Test("is another one with another key of the server")
    func otherKey() throws {
        let key = try #require(SealingKey(bytes: [UInt8](repeating: 8, count: SealingKey.byteCount)))
        let others = UserRecoveryCodes(sealingKey: key)
        let seed = [UInt8](repeating: 1, count: 32)
        let (own, theirs) = (codes.codes(from: seed, of: Samples.user), others.codes(from: seed, of: Samples.user))
        #expect(Set(own.map(\.revealed)).isDisjoint(with: theirs.map(\.revealed)))
        #expect(
            codes.digest(of: "abcde-fgh23", of: Samples.user, in: Samples.application)
                != others.digest(of: "abcde-fgh23", of: Samples.user, in: Samples.application))
    }
}
