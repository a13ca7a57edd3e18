import Domain
import KiiAPI
import Okaeri
import OkaeriWire
import TestWorld
import Testing

@Suite("An app that goes over to Okaeri's SDK")
struct AdoptionTests {
    private static let deviceId = "9C1C1B0E-4A4D-4F0B-9A53-0D6C62B1B8F1"

    /// A member of the sample of automatic log-in: the device's id is name and password.
    private func member(of world: ForeignWorld) async throws -> SpokenProtocol.Pass {
        let made = try await world.ncmb(
            "POST", "/users", #"{"userName":"\#(Self.deviceId)","password":"\#(Self.deviceId)","score":3}"#)
        return SpokenProtocol.Pass(token: try made.text("sessionToken"), id: try made.text("objectId"))
    }

    @Test("takes the member of an NCMB session over, who has a device key from then on")
    func ncmbSession() async throws {
        let world = try await ForeignWorld()
        let member = try await member(of: world)
        let device = try world.device()
        let adopted = try await device.adopt(ncmbSession: member.token)
        #expect(adopted.user.id == member.id && adopted.user.fields["score"] == .integer(3))
        let launched = try await device.logInAutomatically()
        guard case .returning = launched else { throw Missing(description: "a new user was made") }
        #expect(launched.user.id == member.id)
        // The unchanged app on the same phone goes on.
        #expect(try await SpokenProtocol.ncmb.read(world, member)?.id == member.id)
    }

    @Test("takes the member of a name and a password over, in one call")
    func password() async throws {
        let world = try await ForeignWorld()
        let member = try await member(of: world)
        let device = try world.device()
        #expect(try await device.adopt(username: Self.deviceId, password: Self.deviceId).user.id == member.id)
        #expect(try await device.logInAutomatically().user.id == member.id)
    }

    @Test("takes a pseudo user over, so that a lost token is no lost account")
    func kiiToken() async throws {
        let world = try await ForeignWorld()
        let pseudo = try await world.pseudoUser(#"{"HighScore":12000}"#)
        let device = try world.device()
        let adopted = try await device.adopt(kiiToken: pseudo.token)
        #expect(adopted.user.id == pseudo.id && adopted.user.fields["HighScore"] == .integer(12000))
        #expect(try await device.logInAutomatically().user.id == pseudo.id)
    }

    @Test("carries a pseudo user to another phone by a transfer code")
    func transferCode() async throws {
        let world = try await ForeignWorld()
        let pseudo = try await world.pseudoUser(#"{"HighScore":12000}"#)
        let (old, new) = (try world.device(), try world.device())
        try await old.adopt(kiiToken: pseudo.token)
        let code = try await old.issueTransferCode()
        let redeemed = try await new.redeemTransferCode(code.code)
        #expect(redeemed.welcome.user.id == pseudo.id)
        #expect(try await new.logInAutomatically().user.id == pseudo.id)
    }

    @Test("cannot take over by a token that has ended, is nobody's, or is of another application")
    func refused() async throws {
        let (world, device) = (try await ForeignWorld(), try await ForeignWorld().device())
        let member = try await member(of: world)
        #expect(try await world.ncmb("GET", "/logout", token: member.token).status == 200)
        await #expect(throws: OkaeriError.self) { try await world.device().adopt(ncmbSession: member.token) }
        await #expect(throws: OkaeriError.self) { try await world.device().adopt(kiiToken: "made-up") }
        let pseudo = try await world.pseudoUser()
        await #expect(throws: OkaeriError.self) { try await device.adopt(kiiToken: pseudo.token) }
        await #expect(throws: OkaeriError.self) { try await world.device().adopt(ncmbSession: pseudo.token) }
    }

    @Test("cannot take over when the user is disabled, or the protocol was switched off")
    func shut() async throws {
        let world = try await ForeignWorld()
        let pseudo = try await world.pseudoUser()
        let id = Identifier<Domain.User>(rawValue: pseudo.id)
        try await world.modules.accounts.setUserDisabled(id, in: world.application, isDisabled: true, by: .local)
        await #expect(throws: OkaeriError.self) { try await world.device().adopt(kiiToken: pseudo.token) }
        try await world.modules.accounts.setUserDisabled(id, in: world.application, isDisabled: false, by: .local)
        #expect(try await world.modules.applications.disableProtocol(.kii, of: world.application.id, by: .local))
        await #expect(throws: OkaeriError.self) { try await world.device().adopt(kiiToken: pseudo.token) }
    }
}
