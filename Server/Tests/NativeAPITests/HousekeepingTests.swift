import Domain
import Foundation
import HTTPTypes
import Logging
import OkaeriServer
import OkaeriWire
import Testing

@Suite("What the server does every minute")
struct HousekeepingTests {
    @Test("writes down when sessions were used")
    func activity() async throws {
        let person = try await TestServer().person()
        let server = person.server
        server.clock.advance(by: .seconds(600))
        #expect(try await person.send(.get, APIPath.user).status == 200)
        await Housekeeping(
            modules: server.modules, tracing: RoundTracing(nil), logger: TestServer.silence
        ).round()
        let sessions = try await server.modules.sessions.listSessions(
            of: Identifier(rawValue: person.logIn.user.id), in: server.application)
        #expect(sessions.map(\.lastUsedAt) == [server.clock.now])
    }

    @Test("goes on after a round that failed")
    func failure() async throws {
        let server = try await TestServer()
        let person = try await server.person()
        server.clock.advance(by: .seconds(600))
        #expect(try await person.send(.get, APIPath.user).status == 200)
        await server.composition.close()
        let housekeeping = Housekeeping(
            modules: server.modules, tracing: RoundTracing(nil), logger: TestServer.silence)
        await housekeeping.round()
        await housekeeping.round()
    }
}
