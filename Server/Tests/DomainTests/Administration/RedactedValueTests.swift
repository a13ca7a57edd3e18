import TestWorld
import Testing
import enum OkaeriWire.JSONValue

@testable import Domain

/// What admins see who may not see what is personal, and that all others see everything.
@Suite("What is personal")
struct RedactedValueTests {
    private static let now = StandingClock().now
    private static let application = Identifier<Application>(rawValue: "app")
    private static let device = DeviceDescription(
        name: "Hana's phone", model: "Phone", system: "OS 1", appVersion: "2", installation: "i")

    private static let full = AdminReader.unrestricted
    private static let masked = AdminReader(
        AdminAccess(
            holder: .key(Identifier(rawValue: "k")), name: "key", permissions: [.readUsers], applications: nil),
        in: application)

    @Test("is seen by who may see it, and by nobody else")
    func readers() {
        #expect(Self.full.seesPersonalData && !Self.masked.seesPersonalData)
    }

    @Test(
        "shows its first sign alone, also where a whole name is one character",
        arguments: [("hana", "h•••"), ("श्री", "श•••"), ("👨‍👩‍👧", "👨•••"), ("", "•••")])
    func firstSign(name: String, shown: String) {
        #expect(Array(Redaction.text(name).utf8) == Array(shown.utf8))
    }

    @Test("in a user is every name, address, number, subject and value, and no id")
    func user() {
        var user = User(
            id: Identifier(rawValue: "hana-id"), application: Self.application,
            identities: [Identity(provider: .google, subject: "12345", linkedAt: Self.now)], createdAt: Self.now,
            updatedAt: Self.now)
        user.username = "hana"
        user.displayName = "はな"
        user.email = "hana@mail.example.com"
        user.phone = "+819012345678"
        user.locale = "ja"
        user.fields = ["plan": "gold", "level": 3]
        #expect(Self.full.shown(user) == user)
        var shown = user
        shown.username = "h•••"
        shown.displayName = "は•••"
        shown.email = "h•••@m•••.com"
        shown.phone = "•••78"
        shown.fields = ["plan": "•••", "level": "•••"]
        shown.identities[0].subject = "1•••"
        #expect(Self.masked.shown(user) == shown)
    }

    @Test("in a session is the device's name, the end of the address, and what the app keeps of it")
    func session() {
        var session = SecondFactorSamples.session(.native, authenticatedAt: nil, deviceKey: "key")
        session.device = Self.device
        session.address = "192.0.2.7"
        session.fields = ["cart": "book"]
        #expect(Self.full.shown(session) == session)
        var shown = session
        shown.device.name = "H•••"
        shown.address = "192.0.•••"
        shown.fields = ["cart": "•••"]
        #expect(Self.masked.shown(session) == shown)
    }

    @Test("in a device key and in a transfer is the same of the device")
    func devices() {
        let key = DeviceKey(thumbprint: "thumbprint", device: Self.device, addedAt: Self.now, lastUsedAt: nil)
        #expect(Self.full.shown(key) == key)
        var shownKey = key
        shownKey.device.name = "H•••"
        #expect(Self.masked.shown(key) == shownKey)
        let transfer = Transfer(
            id: Identifier(rawValue: "t"), application: Self.application, user: Identifier(rawValue: "u"),
            to: Transfer.NewDevice(key: "thumbprint", device: Self.device, address: "2001:db8::7"),
            codeDigest: SecretDigest(of: []), leftUser: nil, redeemedAt: Self.now)
        #expect(Self.full.shown(transfer) == transfer)
        var shown = transfer
        shown.device.name = "H•••"
        shown.address = "2001:db8:•••"
        #expect(Self.masked.shown(transfer) == shown)
    }

    @Test("in a passkey and in an authenticator app is its name")
    func factors() {
        let passkey = Passkey(
            .init(
                id: "id", userHandle: "handle", publicKey: [1], aaguid: "kind", signCount: 0, transports: [],
                isBackupEligible: false, isBackedUp: false),
            application: Self.application, name: "Hana's key", createdAt: Self.now)
        #expect(Self.full.shown(passkey) == passkey)
        #expect(Self.masked.shown(passkey).name == "H•••" && Self.masked.shown(passkey).id == "id")
        let factor = TOTPFactor(
            id: Identifier(rawValue: "f"), of: Identifier(rawValue: "u"), in: Self.application, name: "Hana's app",
            sealedKey: [1], lastStep: 0, createdAt: Self.now)
        #expect(Self.full.shown(factor) == factor)
        #expect(Self.masked.shown(factor).name == "H•••" && Self.masked.shown(factor).id == factor.id)
    }

    @Test("in an entry of the audit log is the end of the address, and the client")
    func entry() {
        let entry = AuditEntry(
            id: Identifier(rawValue: "e"), application: Self.application, at: Self.now,
            by: Operator(
                actor: .operator,
                origin: RequestOrigin(address: "192.0.2.7", userAgent: "agent", requestId: "request")),
            did: AuditEntry.Act(
                .userErased, on: .user(Identifier(rawValue: "u")), result: .done, details: ["a": "b"]),
            seal: SecretDigest(of: [1]))
        #expect(Self.full.shown(entry) == entry)
        let shown = Self.masked.shown(entry)
        #expect(shown.origin == RequestOrigin(address: "192.0.•••", requestId: "request"))
        #expect(shown.actor == entry.actor && shown.act == entry.act && shown.seal == entry.seal)
        #expect(shown.id == entry.id && shown.at == entry.at && shown.application == entry.application)
    }

    @Test(
        "leaves the first sign of a text, and never says how long it is",
        arguments: [("hana", "h•••"), ("h", "h•••"), ("", "•••"), ("花子", "花•••")])
    func text(text: String, shown: String) {
        #expect(Redaction.text(text) == shown)
        // What is no address is a text.
        #expect(Redaction.email(text) == shown)
    }

    @Test("that is not there stays so")
    func absent() {
        let nothing: String? = nil
        #expect(Redaction.text(nothing) == nil && Redaction.email(nil) == nil)
        #expect(Redaction.phone(nil) == nil && Redaction.address(nil) == nil)
    }
}
