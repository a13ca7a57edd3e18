import TestWorld
import Testing

@testable import Domain

@Suite("The form of a session's token")
struct SessionTokenFormTests {
    private static func new(_ form: SessionToken.Form, seed: UInt64 = 0) -> String {
        SessionToken.Draw(form, CountingRandomness(seed: seed)).token(of: Identifier(rawValue: "hana")).revealed
    }

    @Test(
        "is that of its protocol, in characters and length",
        arguments: [
            (.named, 54, "oks_aGFuYQ."), (.base64URL(byteCount: 32), 43, ""), (.base64URL(byteCount: 1), 2, ""),
            (.letters(count: 40), 40, ""), (.letters(count: 1), 1, ""),
            (.hexadecimal(prefix: "r:", byteCount: 16), 34, "r:"), (.hexadecimal(prefix: "", byteCount: 32), 64, ""),
        ] as [(SessionToken.Form, Int, String)])
    func forms(form: SessionToken.Form, length: Int, prefix: String) {
        let (first, second) = (Self.new(form), Self.new(form, seed: 9))
        #expect(first.utf8.count == length && first.hasPrefix(prefix))
        #expect(first != second || length < 3)
        let rest = first.dropFirst(prefix.count)
        switch form {
        case .hexadecimal: #expect(rest.allSatisfy { "0123456789abcdef".contains($0) })
        case .letters: #expect(rest.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) })
        case .named, .base64URL:
            #expect(rest.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") })
        }
    }

    @Test(
        "of another protocol is anything from 1 to 4096 bytes",
        arguments: [(0, false), (1, true), (4096, true), (4097, false)])
    func foreign(count: Int, isTaken: Bool) {
        let text = String(repeating: "x", count: count)
        let digest = SessionToken.digest(of: text, in: Session.ProtocolName(rawValue: "parse"))
        #expect(digest == (isTaken ? SecretDigest(of: text.utf8) : nil))
        #expect(SessionToken.digest(of: text, in: .native) == nil)
        let user = Identifier<User>(rawValue: "hana")
        let new = SessionToken.reference(ofNew: Secret(text), for: user, in: Session.ProtocolName(rawValue: "parse"))
        #expect(new == SessionToken.Reference(Secret(text).digest))
    }

    @Test(
        "that says its end is 43 characters, two hyphens and the seconds",
        arguments: [
            (String(repeating: "A", count: 43) + "--0", 0), (String(repeating: "A", count: 43) + "--z", 35),
            (String(repeating: "A", count: 43) + "--10", 36), (String(repeating: "A", count: 43) + "--Z", 35),
            (String(repeating: "A", count: 43) + "--", nil), (String(repeating: "A", count: 43) + "-z0", nil),
            (String(repeating: "A", count: 43) + "---1", nil), (String(repeating: "A", count: 42) + "--10", nil),
            (String(repeating: "A", count: 44) + "--10", nil), (String(repeating: "A", count: 43) + "--1!", nil),
            (String(repeating: "A", count: 43) + "--10000000000000", nil), ("", nil), ("--0", nil),
            (String(repeating: "é", count: 20) + "AAA--10", nil),
        ] as [(String, Int64?)])
    func end(text: String, seconds: Int64?) {
        #expect(SessionToken.end(of: text) == seconds.map { Timestamp(milliseconds: $0 * 1000) })
    }

    @Test("that says its end is read again, to the second", arguments: [0, 1, 999, 1000, 1_795_252_542_999])
    func limited(milliseconds: Int64) throws {
        let token = Secret(Self.new(.base64URL(byteCount: 32)))
        let limited = SessionToken.limited(token, until: Timestamp(milliseconds: milliseconds))
        #expect(limited.revealed.hasPrefix(token.revealed + "--"))
        #expect(SessionToken.end(of: limited.revealed) == Timestamp(milliseconds: milliseconds / 1000 * 1000))
    }

    @Test(
        "in hexadecimal has two digits a byte",
        arguments: [([0], "00"), ([15, 16, 255], "0f10ff"), ([], "")] as [([UInt8], String)])
    func hexadecimal(bytes: [UInt8], text: String) { #expect(Hexadecimal.text(of: bytes) == text) }
}

@Suite("Uses of sessions that are not written yet")
struct SessionActivityRuleTests {
    private static let now = StandingClock().now

    private static func use(_ id: String, after seconds: Int, isFirst: Bool = false) -> SessionTouch {
        SessionTouch(
            id: Identifier(rawValue: id), user: Identifier(rawValue: "u"), application: Identifier(rawValue: "a"),
            at: now + .seconds(seconds), address: nil, isFirstOfDay: isFirst)
    }

    @Test(
        "are one of a session, the latest, and the first of its day if one of them was", arguments: [true, false],
        [true, false])
    func latest(first: Bool, second: Bool) {
        let activity = SessionActivity()
        activity.note(Self.use("s", after: 0, isFirst: first))
        activity.note(Self.use("s", after: 1, isFirst: second))
        activity.note(Self.use("t", after: 2))
        let all = activity.takeAll().uses.sorted { $0.id.rawValue < $1.id.rawValue }
        #expect(all == [Self.use("s", after: 1, isFirst: first || second), Self.use("t", after: 2)])
        #expect(activity.takeAll().uses.isEmpty)
    }

    @Test(
        "that could not be written wait again, behind what came meanwhile", arguments: [true, false], [true, false])
    func putBack(before: Bool, meanwhile: Bool) {
        let activity = SessionActivity()
        activity.note(Self.use("s", after: 5, isFirst: meanwhile))
        activity.putBack([Self.use("s", after: 0, isFirst: before), Self.use("t", after: 0, isFirst: before)], [])
        let all = activity.takeAll().uses.sorted { $0.id.rawValue < $1.id.rawValue }
        #expect(
            all == [Self.use("s", after: 5, isFirst: before || meanwhile), Self.use("t", after: 0, isFirst: before)])
    }

    @Test("have a day of each user, the latest, in the order of the table")
    func days() {
        func presence(_ user: String, in application: String = "a", after days: Int) -> UserPresence {
            UserPresence(
                of: Identifier(rawValue: user), in: Identifier(rawValue: application), at: Self.now + .days(days))
        }
        let activity = SessionActivity()
        for noted in [
            presence("v", after: 0), presence("u", in: "b", after: 0), presence("u", after: 2), presence("u", after: 1),
        ] { activity.note(noted) }
        let taken = activity.takeAll()
        #expect(taken.days == [presence("u", after: 2), presence("v", after: 0), presence("u", in: "b", after: 0)])
        activity.note(presence("v", after: 1))
        activity.putBack(taken.uses, taken.days)
        #expect(activity.takeAll().days.map(\.at) == [2, 1, 0].map { Self.now + .days($0) })
        #expect(activity.takeAll().days.isEmpty)
    }

    @Test(
        "are noted once in so long a time, to the millisecond",
        arguments: [(-1, false), (0, false), (299_999, false), (300_000, true)])
    func resolution(after: Int, isNoted: Bool) {
        let session = Session(
            id: Identifier(rawValue: "s"), application: Identifier(rawValue: "a"), user: Identifier(rawValue: "u"),
            client: .init(address: nil), protocolName: .native, method: .password,
            times: .init(createdAt: Self.now, lastUsedAt: Self.now, expiresAt: Self.now + .days(1)))
        let user = User(id: session.user, application: session.application, createdAt: Self.now, updatedAt: Self.now)
        let application = Application(
            id: session.application, name: "Test", adminKeyDigest: SecretDigest(of: [2]),
            settings: ApplicationSettings(), createdAt: Self.now)
        let who = Authenticated(
            application: application, session: session, user: user, tokenDigest: SecretDigest(of: [1]))
        let (noted, resolution) = (Self.now + .milliseconds(after), SessionActivity.resolution)
        #expect(who.noteUse(at: noted, resolution: resolution) == (isNoted ? Self.now : nil))
        #expect(who.lastUsedAt == (isNoted ? noted : Self.now))
        #expect(who.noteUse(at: noted, resolution: resolution) == nil)
    }
}
