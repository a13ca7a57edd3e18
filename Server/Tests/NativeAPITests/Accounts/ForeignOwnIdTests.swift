import Domain
import HTTPSupport
import HTTPTypes
import OkaeriServer
import OkaeriWire
import TestWorld
import Testing

/// Ids of the right kind at the routes by which users handle what is theirs.
@Suite("An id of another user, at every route of the native API")
struct ForeignOwnIdTests {
    /// Somebody who asks, and in which application.
    private struct Asker: Sendable {
        let application: Identifier<Domain.Application>
        let token: String
    }

    /// Routes whose name in the path is a word, that of a provider.
    private static let words = [APIPath.logIn(with: "{provider}"), APIPath.identity("{provider}")]

    private func asker(in application: Identifier<Domain.Application>, of server: TestServer) async throws -> Asker {
        let proof = try ProofMaker().proof("POST", server.url(APIPath.logInAutomatically), at: server.clock.now)
        let answer = try await server.send(
            .post, APIPath.logInAutomatically, [("DPoP", proof), ("Okaeri-Application", application.rawValue)],
            isNamed: false)
        return Asker(application: application, token: try answer.read(LogInResponse.self).session.token)
    }

    private func ask(
        _ asker: Asker, _ route: RouteDescription, _ id: String, of server: TestServer
    ) async throws -> (status: Int, problem: Problem?) {
        let method = try #require(HTTPRequest.Method(rawValue: route.method))
        let segments = route.path.split(separator: "/").map { $0.hasPrefix("{") ? id : String($0) }
        let answer = try await server.send(
            method, "/" + segments.joined(separator: "/"),
            [("Authorization", "Bearer \(asker.token)"), ("Okaeri-Application", asker.application.rawValue)],
            body: method == .patch ? #"{"name": "x"}"# : nil, isNamed: false)
        guard answer.code != nil else { return (answer.status, nil) }
        var problem = try answer.read(Problem.self)
        problem.requestId = nil
        return (answer.status, problem)
    }

    @Test("is answered as one that nobody has, in the same application and from another one, and nothing happens")
    func otherUser() async throws {
        let server = try await TestServer()
        let (passkeys, factors) = (try await PasskeyWorld(on: server), try await SecondFactorWorld(on: server))
        let sender = try await server.person()
        _ = try await server.joined(try await sender.issueCode().code, on: ProofMaker())
        let notice = try #require(try await sender.notices().first)
        let (victim, authenticator) = (try await factors.person(), SoftwareAuthenticator())
        _ = try await passkeys.add(authenticator, to: victim)
        let factor = try await factors.enrol(victim).factor
        let ids = [
            APIPath.session("{id}"): victim.logIn.session.id,
            APIPath.deviceKey("{thumbprint}"): victim.device.thumbprint,
            APIPath.passkey("{id}"): authenticator.id, APIPath.secondFactor("{id}"): factor,
            APIPath.notice("{id}"): notice.id,
        ]
        let other = try await server.modules.applications.createApplication(name: "Other", by: .local).application
        let settings = try ServerSettings(commandLine: ["data": "/nowhere"], environment: [:])
        let routes = try await Composition.routeTable(settings).filter {
            $0.surface == "native" && $0.path.contains("{") && !Self.words.contains($0.path)
        }
        #expect(Set(routes.map(\.path)) == Set(ids.keys))
        for application in [server.application.id, other.id] {
            let asker = try await asker(in: application, of: server)
            for route in routes {
                let id = try #require(ids[route.path], "\(route.path): nobody knows what the id is of")
                let found = try await ask(asker, route, id, of: server)
                let expected = try await ask(asker, route, String(id.reversed()), of: server)
                #expect(found.status == expected.status, "\(route.method) \(route.path)")
                #expect(found.problem == expected.problem, "\(route.method) \(route.path)")
            }
        }
        #expect(try await sender.notices().map(\.id) == [notice.id])
        #expect(try await victim.send(.get, APIPath.passkeys).text.contains(authenticator.id))
        #expect(try await victim.send(.get, APIPath.secondFactors).text.contains(factor))
        let keys = try await victim.send(.get, APIPath.deviceKeys).read(DeviceKeyListResponse.self).deviceKeys
        #expect(keys.map(\.thumbprint) == [victim.device.thumbprint])
    }
}
