import Domain
import HTTPTypes
import OkaeriWire
import TestWorld
import Testing

/// Whose backends an application's access tokens are for (decision 0184): not another application's by the word of an admin of
/// one application, since all have one issuer.
@Suite("An audience of access tokens")
struct AudienceTests {
    private static let audience = "https://bank.test"

    /// A server whose foreign application has the audience, and admins who see the other one alone.
    private func world() async throws -> AdminWorld {
        let world = try await AdminWorld(roles: [.operator], restricted: true)
        _ = try await world.server.modules.applications.changeApplication(
            world.foreign.id, isCurrent: { _ in true }, by: .local
        ) { $0.settings.audiences = [Self.audience] }
        return world
    }

    private func patch(_ who: String, _ world: AdminWorld, _ audiences: String) async throws -> Answer {
        try await world.send(
            who, .patch, world.path(), try await world.version(of: world.path()),
            body: #"{"audiences": [\#(audiences)]}"#)
    }

    private func token(for audience: String, _ world: AdminWorld) async throws -> Answer {
        try await world.server.person().send(.post, APIPath.token, body: #"{"audience": "\#(audience)"}"#)
    }

    @Test("that another application has, or that is its id, is added by no admin of one application alone")
    func taken() async throws {
        let world = try await world()
        for audience in [Self.audience, world.foreign.id.rawValue] {
            let refused = try await patch("operator", world, #""https://own.test", "\#(audience)""#)
            #expect(refused.status == 400, "\(refused.text)")
            let errors = try refused.read(Problem.self).errors ?? []
            #expect(errors.map(\.code) == ["not_own_audience"] && errors.map(\.field) == ["audiences"])
            expect(try await token(for: audience, world), 400, .audienceNotAllowed)
        }
        // An admin of all applications lets it be shared, on purpose.
        #expect(try await patch("owner", world, #""\#(Self.audience)""#).status == 200)
        #expect(try await token(for: Self.audience, world).status == 200)
        // What is shared stays when the others change.
        #expect(try await patch("operator", world, #""\#(Self.audience)", "https://own.test""#).status == 200)
        #expect(try await patch("operator", world, #""https://own.test""#).status == 200)
        #expect(try await patch("operator", world, #""\#(Self.audience)""#).status == 400)
    }

    @Test("that nobody else has is an admin's own")
    func own() async throws {
        let world = try await world()
        let own = #""https://own.test", "\#(world.server.application.id)""#
        #expect(try await patch("operator", world, own).status == 200)
        #expect(try await token(for: "https://own.test", world).status == 200)
    }

    @Test("of others is refused by the dashboard too, in words")
    func dashboard() async throws {
        let world = try await world()
        let refused = try await world.postSettings(["audiences": Self.audience], as: "operator")
        #expect(refused.status == 422)
        #expect(refused.error("audiences")?.contains("Another application") == true)
        expect(try await token(for: Self.audience, world), 400, .audienceNotAllowed)
    }
}
