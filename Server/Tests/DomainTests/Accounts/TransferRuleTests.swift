import Domain
import TestWorld
import Testing

/// Who hears of a transfer, and can undo it: every session that the new device need not have.
@Suite("A device that joined by a transfer code concerns")
struct TransferRuleTests {
    private static let now = StandingClock().now
    private static let joined = "new device"
    private static let methods: [Session.LogInMethod] = [
        .automatic, .password, .signUp, .code, .merge, .transferCode, .importing, .pages, .keptPages, .adoption,
    ]

    private static let transfer = Transfer(
        id: Identifier(rawValue: "t"), application: Identifier(rawValue: "app"), user: Identifier(rawValue: "u"),
        to: .init(key: joined, device: DeviceDescription(), address: nil), codeDigest: SecretDigest(of: [1]),
        leftUser: nil, redeemedAt: now)

    private static func session(
        _ key: String?, _ method: Session.LogInMethod, openedAfter span: Duration, from origin: String? = nil
    ) -> Session {
        var session = Session(
            id: Identifier(rawValue: "s"), application: transfer.application, user: transfer.user,
            client: .init(deviceKey: key, address: nil), protocolName: .native, method: method,
            times: .init(
                createdAt: now + span, lastUsedAt: now + span, expiresAt: now + .days(9)))
        session.origin = origin
        return session
    }

    /// The user, with a key of another device that was linked some time after the transfer.
    private static func user(linkedAfter span: Duration) -> User {
        User(
            id: transfer.user, application: transfer.application,
            identities: [Identity(provider: .device, subject: "other device", linkedAt: now + span)], createdAt: now,
            updatedAt: now)
    }

    @Test("no session of the device itself, however it was opened", arguments: methods)
    func itself(method: Session.LogInMethod) {
        for span in [Duration.seconds(-1), .zero, .seconds(1)] {
            let session = Self.session(Self.joined, method, openedAfter: span)
            #expect(!Self.transfer.concerns(session, of: Self.user(linkedAfter: .seconds(-1))))
        }
    }

    @Test("every session that was open before it", arguments: methods, [nil, "other device"])
    func earlier(method: Session.LogInMethod, key: String?) {
        for span in [Duration.days(-300), .zero] {
            let session = Self.session(key, method, openedAfter: span)
            #expect(Self.transfer.concerns(session, of: Self.user(linkedAfter: .seconds(1))))
        }
    }

    @Test("later sessions that were opened by more than a device key or a transfer code", arguments: methods)
    func later(method: Session.LogInMethod) {
        let session = Self.session(nil, method, openedAfter: .seconds(1))
        let needsMore = [.automatic, .transferCode, .pages, .keptPages].contains(method)
        #expect(Self.transfer.concerns(session, of: Self.user(linkedAfter: .seconds(1))) == !needsMore)
    }

    @Test(
        "later sessions of a key that led to the user before",
        arguments: [(-1, true), (0, true), (1, false)], [Session.LogInMethod.automatic, .transferCode])
    func knownKey(link: (seconds: Int, isKnown: Bool), method: Session.LogInMethod) {
        let user = Self.user(linkedAfter: .seconds(link.seconds))
        let session = Self.session("other device", method, openedAfter: .days(1))
        #expect(Self.transfer.concerns(session, of: user) == link.isKnown)
        #expect(!Self.transfer.concerns(Self.session("third device", method, openedAfter: .days(1)), of: user))
    }

    @Test("no session that came from the device by the pages", arguments: methods)
    func origin(method: Session.LogInMethod) {
        for key in [nil, "other device", "third device"] {
            for span in [Duration.seconds(-1), .seconds(1)] {
                let session = Self.session(key, method, openedAfter: span, from: Self.joined)
                #expect(!Self.transfer.concerns(session, of: Self.user(linkedAfter: .seconds(-1))))
            }
        }
    }

    @Test("later sessions that came from a key of before, or from the pages that saw a first factor")
    func pages() {
        for method in [Session.LogInMethod.pages, .keptPages] {
            let user = Self.user(linkedAfter: .seconds(-1))
            for (origin, isKnown) in [("other device", true), ("third device", false), ("a session", false)] {
                var session = Self.session(nil, method, openedAfter: .days(1), from: origin)
                #expect(Self.transfer.concerns(session, of: user) == isKnown)
                session.methods = .transferCode
                #expect(Self.transfer.concerns(session, of: user) == isKnown)
                session.methods = .password
                #expect(Self.transfer.concerns(session, of: user))
            }
        }
    }

    @Test("later sessions that came from the pages of a registered user who proved something: no device alone does")
    func provenTime() {
        for method in [Session.LogInMethod.pages, .keptPages] {
            let cases: [(username: String?, time: Timestamp?, isOwner: Bool)] = [
                ("hana", Self.now, true), ("hana", nil, false), (nil, Self.now, false),
            ]
            for (username, time, isOwner) in cases {
                var user = Self.user(linkedAfter: .seconds(1))
                user.username = username
                var session = Self.session(nil, method, openedAfter: .days(1), from: "a session")
                session.authenticatedAt = time
                #expect(Self.transfer.concerns(session, of: user) == isOwner)
            }
        }
    }

    @Test("nobody for longer than a day")
    func end() { #expect(Self.transfer.undoEnd == Self.now + .days(1)) }
}
