import Domain
import FakeProviders
import HTTPTypes
import OkaeriWire
import TestWorld
import Testing

@Suite("Whom a token of a service that users have left can name")
struct OldTokenReachTests {
    @Test(
        "is nobody who was made here, although the service's key signs it",
        arguments: [.firebase, .supabase, .cognito] as [OldService.Name])
    func madeHere(name: OldService.Name) async throws {
        let world = try await OldServiceWorld()
        let guest = try await world.server.person()
        let token = try world.fake(name).key.token(try world.claims(name, of: guest.logIn.user.id))
        expect(try await world.adopt(name, token), 401, .credentialRefused)
        #expect(try await world.adopt(name, try world.token(name)).status == 200)
    }

    @Test("is an imported user also when the id has the form of those that are made here")
    func importedForm() async throws {
        let world = try await OldServiceWorld()
        let now = world.server.clock.now
        for id in ["Zk3vUqL0aPZ6cBq1", "01890a5d-ac96-774b-bcce-b302099a8057"] {
            let user = User(
                id: Identifier(rawValue: id), application: world.server.application.id, createdAt: now, updatedAt: now)
            _ = try await world.server.modules.imports.importUsers(
                [ImportedUser(user: user)], into: world.server.application.id, of: .native, isRehearsal: false)
            let token = try world.fake(.firebase).key.token(try world.claims(.firebase, of: id))
            #expect(try await world.adopt(.firebase, token).status == 200, "\(id)")
        }
    }

    @Test(
        "is an imported user whose id names another hour than that in which the user was made",
        arguments: [
            (-3_600_001, true), (-3_600_000, false), (-1, false), (0, false), (3_600_000, false), (3_600_001, true),
        ])
    func slack(milliseconds: Int, isImported: Bool) async throws {
        let world = try await OldServiceWorld()
        let now = world.server.clock.now
        let id: Identifier<User> = CountingRandomness().newIdentifier(at: now + .milliseconds(milliseconds))
        let user = User(id: id, application: world.server.application.id, createdAt: now, updatedAt: now)
        _ = try await world.server.modules.imports.importUsers(
            [ImportedUser(user: user)], into: world.server.application.id, of: .native, isRehearsal: false)
        let token = try world.fake(.firebase).key.token(try world.claims(.firebase, of: id.rawValue))
        let answer = try await world.adopt(.firebase, token)
        guard !isImported else {
            #expect(answer.status == 200, "\(answer.text)")
            return
        }
        expect(answer, 401, .credentialRefused)
    }

    @Test("is anybody whom the app's own backend names by its hook")
    func hook() async throws {
        let world = try await HookWorld()
        try await world.set(.adoption)
        let guest = try await world.server.person()
        world.hook.decide(FakeResponse(200, ["decision": "allow", "user": .string(guest.logIn.user.id)]))
        let proof = try ProofMaker().proof("POST", world.server.url(APIPath.adopt), at: world.server.clock.now)
        let answer = try await world.server.send(
            .post, APIPath.adopt, [("DPoP", proof)], body: #"{"protocol": "my-backend", "token": "old"}"#)
        #expect(try answer.status == 200 && answer.read(LogInResponse.self).user.id == guest.logIn.user.id)
    }
}
