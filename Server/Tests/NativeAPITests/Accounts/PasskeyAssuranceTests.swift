import Domain
import Foundation
import HTTPTypes
import OkaeriWire
import TestWorld
import Testing

@Suite("An access token of a session that a passkey proved")
struct PasskeyAssuranceTests {
    private static let recognised: UInt8 = 0x1d
    private static let touched: UInt8 = 0x19

    private static let cases: [(flags: UInt8, amr: [String], acr: String)] = [
        (recognised, ["pop", "user", "mfa"], "phr"), (touched, ["pop", "user"], "1"),
    ]

    @Test("says whether it recognised its user, after a log-in and after a reauthentication", arguments: cases.indices)
    func said(index: Int) async throws {
        let (flags, amr, acr) = Self.cases[index]
        var settings = PasskeyWorld.settings
        settings.passkeys.requiresUserVerification = false
        let (world, authenticator) = (try await PasskeyWorld(settings), SoftwareAuthenticator())
        let (person, handle) = try await world.person(authenticator)
        let logIn = try await world.logIn(try await world.authentication(authenticator, handle) { $0.flags = flags })
            .read(LogInResponse.self)
        let token = try await world.server.send(
            .post, APIPath.token, [("Authorization", "Bearer \(logIn.session.token)")])
        try expect(token, amr, acr)
        try expect(try await person.send(.post, APIPath.token), ["pop"], "0")
        world.server.clock.advance(by: .seconds(700))
        let shown = try await world.authentication(authenticator, handle) { $0.flags = flags }
        let renewed = try await person.send(
            .post, APIPath.reauthenticate, body: try world.text(ReauthenticationBody(passkey: shown)))
        #expect(renewed.status == 200)
        let found = try await world.server.modules.sessions.listSessions(
            of: Identifier(rawValue: person.logIn.user.id), in: world.server.application)
        let bits = try #require(found.first { $0.id.rawValue == person.logIn.session.id }).methods
        #expect(bits.amr == amr && bits.assurance.rawValue == acr)
    }

    private func expect(_ answer: Answer, _ amr: [String], _ acr: String) throws {
        let token = try answer.read(TokenResponse.self).accessToken
        let payload = try #require(token.split(separator: ".").dropFirst().first)
        let bytes = try #require(Domain.Base64URL.bytes(of: payload.utf8))
        let claims = try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
        #expect(claims["amr"] as? [String] == amr && claims["acr"] as? String == acr)
    }
}
