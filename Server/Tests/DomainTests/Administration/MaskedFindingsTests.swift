import TestWorld
import Testing
import enum OkaeriWire.JSONValue

@testable import Domain

/// What a page about a user shows to an admin who may see users, and not who they are.
@Suite("What is found of a user, for each reader")
struct MaskedFindingsTests {
    private static let now = StandingClock().now
    private static let application = Identifier<Application>(rawValue: "app")
    private static let id = Identifier<User>(rawValue: "u")
    private static let device = DeviceDescription(name: "Quokka phone", model: "M1", system: "iOS 26")

    private static let found: InspectUser.Findings = {
        let user = User(id: id, application: application, displayName: "Quokka name", createdAt: now, updatedAt: now)
        var session = Session(
            id: Identifier(rawValue: "s"), application: application, user: id,
            client: .init(device: device, address: "192.0.2.77"), protocolName: .native, method: .password,
            times: .init(createdAt: now, lastUsedAt: now, expiresAt: now + .days(1)))
        session.fields = ["note": "Quokka note"]
        let passkey = Passkey(
            .init(
                id: "k", userHandle: "handle", publicKey: [1], aaguid: "kind", signCount: 0, transports: [],
                isBackupEligible: false, isBackedUp: false),
            application: application, name: "Quokka key", createdAt: now)
        let factor = TOTPFactor(
            id: Identifier(rawValue: "f"), of: id, in: application, name: "Quokka app", sealedKey: [1], lastStep: 0,
            createdAt: now)
        let transfer = Transfer(
            id: Identifier(rawValue: "t"), application: application, user: id,
            to: .init(key: "thumb", device: device, address: "192.0.2.78"), codeDigest: SecretDigest(of: [1]),
            leftUser: nil, redeemedAt: now)
        let entry = AuditEntry(
            id: Identifier(rawValue: "a"), application: application, at: now,
            by: Operator(actor: .user(id), origin: RequestOrigin(address: "192.0.2.79", requestId: "r")),
            did: .init(.userUpgraded, on: nil, result: .done, details: [:]), seal: SecretDigest(of: [2]))
        return InspectUser.Findings(
            user: user, sessions: [session],
            deviceKeys: [DeviceKey(thumbprint: "thumb", device: device, addedAt: now, lastUsedAt: nil)],
            passkeys: [passkey], secondFactors: SecondFactorList(factors: [factor], recoveryCodesLeft: 7),
            transfers: [transfer], audit: [entry], events: [], endpoints: [], deliveries: [],
            hasWeakCredential: true)
    }()

    private static func reader(_ role: AdminRole) -> AdminReader {
        let admin = Admin(
            id: Identifier(rawValue: "admin"), name: "Mika", role: role, applications: nil, createdAt: now)
        return AdminReader(AdminAccess(admin, authenticatedAt: nil), in: application)
    }

    private static func text(_ findings: InspectUser.Findings) -> String {
        var text = ""
        dump(findings, to: &text)
        return text
    }

    @Test("has what is personal for owners and operators alone", arguments: AdminRole.allCases)
    func roles(role: AdminRole) {
        let isPersonal = role == .owner || role == .operator
        let reader = Self.reader(role)
        #expect(reader.seesPersonalData == isPersonal)
        let shown = reader.shown(Self.found)
        let text = Self.text(shown)
        #expect((text == Self.text(Self.found)) == isPersonal)
        for personal in ["uokka", "192.0.2"] { #expect(text.contains(personal) == isPersonal, "\(personal)") }
    }

    @Test("keeps for the others the number of things, and what tells them apart")
    func masked() throws {
        let shown = Self.reader(.support).shown(Self.found)
        #expect(shown.user.displayName == "Q•••")
        let session = try #require(shown.sessions.first)
        #expect(session.device.name == "Q•••" && session.device.model == "M1" && session.device.system == "iOS 26")
        #expect(session.address == "192.0.•••" && session.fields == ["note": "•••"] && session.id.rawValue == "s")
        let key = try #require(shown.deviceKeys.first)
        #expect(key.thumbprint == "thumb" && key.device.name == "Q•••" && key.addedAt == Self.now)
        #expect(shown.passkeys.map(\.name) == ["Q•••"] && shown.passkeys.map(\.id) == ["k"])
        #expect(shown.secondFactors.factors.map(\.name) == ["Q•••"])
        #expect(shown.secondFactors.factors.map(\.id.rawValue) == ["f"] && shown.secondFactors.recoveryCodesLeft == 7)
        let transfer = try #require(shown.transfers.first)
        #expect(transfer.device.name == "Q•••" && transfer.address == "192.0.•••" && transfer.deviceKey == "thumb")
        let entry = try #require(shown.audit.first)
        #expect(entry.origin.address == "192.0.•••" && entry.origin.requestId == "r" && entry.id.rawValue == "a")
        #expect(entry.action == .userUpgraded && entry.seal == SecretDigest(of: [2]))
        #expect(shown.hasWeakCredential)
    }

    @Test("has all for commands on the server's own machine")
    func unrestricted() {
        #expect(Self.text(AdminReader.unrestricted.shown(Self.found)) == Self.text(Self.found))
    }
}
