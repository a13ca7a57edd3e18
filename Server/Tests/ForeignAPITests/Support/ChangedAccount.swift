import Domain
import OkaeriWire
import TestWorld
import Testing

extension AccountChangeTests {
    /// Who is changed, and how each protocol knows the owner.
    struct Account: Sendable {
        let id: String
        let parse: String
        let kii: String
        let ncmb: String
        let native: String
    }

    func account(at world: ForeignWorld) async throws -> Account {
        let made = try await world.parseUser("mika", #","email":"mika@example.com""#)
        let (id, application, now) = (Identifier<Domain.User>(rawValue: made.id), world.application.id, world.clock.now)
        try await world.importing { transaction throws(DomainError) in
            guard var user = try transaction.user(id, in: application) else { throw .userUnknown }
            user.emailVerifiedAt = now
            try transaction.updateIdentifiers(of: user)
        }
        _ = try await world.modules.messaging.deliverMail()
        world.clock.advance(by: .seconds(1))
        let ncmb = try await world.ncmb("POST", "/login", #"{"userName":"mika","password":"s3cret"}"#)
        let native = try await world.native(
            "POST", "/v1/log-in/password", #"{"identifier":"mika","password":"s3cret"}"#)
        var token: String?
        if case .object(let session)? = try native.json()["session"], case .string(let text)? = session["token"] {
            token = text
        }
        return Account(
            id: made.id, parse: made.token, kii: try await world.kiiToken("mika", "s3cret"),
            ncmb: try ncmb.text("sessionToken"), native: try #require(token, "\(native.text)"))
    }

    func world() async throws -> ForeignWorld {
        try await ForeignWorld(server: ["rate-limits": "off", "dev": "on"])
    }
}
