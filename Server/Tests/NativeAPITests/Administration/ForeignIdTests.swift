import Domain
import HTTPTypes
import OkaeriWire
import TestWorld
import Testing

@testable import NativeAPI

/// Ids of the right kind, which something in one application has, asked for in another one.
@Suite("An id of another application, at every admin route")
struct ForeignIdTests {
    private enum Slot {
        /// What an application gives: nobody has it in another one.
        case given
        /// What means the same in every application.
        case word
        /// What is beside all applications.
        case ofServer
    }

    /// What each name in a path stands for. A route with another one has to be added here.
    private static let slots: [String: Slot] = [
        "user": .given, "session": .given, "merge": .given, "thumbprint": .given, "passkey": .given, "endpoint": .given,
        "grant": .given, "field": .given, "view": .given, "mail": .given,
        "provider": .word, "protocol": .word, "kind": .word, "language": .word, "hook": .word, "service": .word,
        "application": .ofServer, "id": .ofServer,
    ]

    /// Makes something in the world's application, and returns the member of the answer that names it.
    private func made(
        _ world: AdminWorld, _ method: HTTPRequest.Method, _ rest: String, _ body: String, _ member: String
    ) async throws -> String {
        let answer = try await world.send("owner", method, world.path(rest), body: body)
        try #require(answer.status < 300, "\(answer.text)")
        return try #require(try answer.json[member]?.text)
    }

    /// Puts a mail into the queue of the world's application.
    private func waitingMail(_ world: AdminWorld) async throws -> String {
        let test = #"{"kind": "log-in-code", "language": "en", "to": "me@example.com"}"#
        let answer = try await world.send("owner", .post, world.path("/mail/test"), body: test)
        try #require(answer.status == 202, "\(answer.text)")
        return try #require(
            try await world.send("owner", .get, world.path("/mail/queue")).json["mails"]?.list.first?["id"]?.text)
    }

    /// Makes one of each kind in the world's application.
    private func ids(in world: AdminWorld, of person: Person) async throws -> [String: String] {
        let (user, authenticator) = (person.logIn.user.id, SoftwareAuthenticator())
        // It registers the user, so that a guest can be merged into them.
        _ = try await PasskeyWorld(on: world.server).add(authenticator, to: person)
        let guest = try await world.server.person().logIn.user.id
        for (path, body) in [("/fields/points", #"{"type": "integer"}"#), ("/views/guests", #"{"kind": "leaving"}"#)] {
            let answer = try await world.send("owner", .put, world.path(path), body: body)
            try #require(answer.status == 200, "\(answer.text)")
        }
        return [
            "user": user, "session": person.logIn.session.id, "thumbprint": person.device.thumbprint,
            "passkey": authenticator.id, "field": "points", "view": "guests",
            "merge": try await made(world, .post, "/users/\(guest)/merge", #"{"into": "\#(user)"}"#, "merge"),
            "endpoint": try await made(
                world, .post, "/event-endpoints", #"{"url": "https://app.example.com/hooks"}"#, "id"),
            "role": try await made(world, .post, "/roles", #"{"name": "editor"}"#, "id"),
            "group": try await made(world, .post, "/groups", #"{"name": "staff"}"#, "id"),
            "mail": try await waitingMail(world),
        ]
    }

    /// A body that a route reads to its end.
    private func body(of route: AdminRoute, _ ids: [String: String], isOwn: Bool) -> String? {
        let (role, user) = (ids["role"] ?? "", ids["user"] ?? "")
        return switch route.method {
        case .get, .delete: nil
        case .put where route.path.hasSuffix("/{field}"): #"{"type": "integer"}"#
        case .patch where route.path.hasSuffix("/{grant}"): #"{"name": "other"}"#
        case .patch where route.path.hasSuffix("/{endpoint}"): #"{"isPaused": true}"#
        case .patch where route.path.hasSuffix("/roles") && isOwn: #"{"add": ["\#(role)"]}"#
        case .post where route.path.hasSuffix("/rotate"): #"{"overlapHours": 1}"#
        case .post where route.path.hasSuffix("/merge"): #"{"into": "\#(user)"}"#
        default: "{}"
        }
    }

    /// Asks in the other application, where `own` is a user.
    private func ask(
        _ world: AdminWorld, _ route: AdminRoute, _ ids: [String: String], own: String?
    ) async throws -> Answer {
        var named = ids
        named["application"] = world.foreign.id.rawValue
        named["grant"] = ids[route.path.contains("/groups/") ? "group" : "role"]
        if let own { named["user"] = own }
        var path = String(route.path.dropFirst(AdminAPI.root.count))
        for (name, value) in named { path = path.replacing("{\(name)}", with: value) }
        return try await world.send(
            "owner", route.method, path, route.method == .patch ? [("If-Match", "\"1\"")] : [],
            body: body(of: route, ids, isOwn: own != nil), changes: false)
    }

    /// What an error says, but for the number of its request.
    private func problem(_ answer: Answer) throws -> Problem? {
        guard answer.code != nil else { return nil }
        var problem = try answer.read(Problem.self)
        problem.requestId = nil
        return problem
    }

    /// What the world's application has.
    private func content(_ world: AdminWorld) async throws -> [JSONValue] {
        var content: [JSONValue] = []
        for list in ["/sessions", "/merges", "/event-endpoints", "/roles", "/groups", "/fields", "/views"] {
            let answer = try await world.send("owner", .get, world.path(list))
            try #require(answer.status == 200, "\(list): \(answer.text)")
            content.append(try answer.json)
        }
        return content
    }

    @Test("is answered as one that nobody has, also of a user who is there, and nothing happens to what has it")
    func otherApplication() async throws {
        let world = try await AdminWorld(try await TestServer(settings: ["dev": "on"]), roles: [])
        let server = world.server
        let person = try await server.person()
        let ids = try await ids(in: world, of: person)
        let unknown = ids.mapValues { String($0.reversed()) }
        let proof = try ProofMaker().proof("POST", server.url(APIPath.logInAutomatically), at: server.clock.now)
        let own = try await server.send(
            .post, APIPath.logInAutomatically,
            [("DPoP", proof), ("Okaeri-Application", world.foreign.id.rawValue)], isNamed: false
        ).read(LogInResponse.self).user.id
        let user = Identifier<User>(rawValue: person.logIn.user.id)
        let before = try await server.modules.directory.readUser(user, in: server.application.id)
        let content = try await content(world)
        var asked: Set<String> = []
        for route in AdminAPI.table {
            let names = route.path.matches(of: #/\{([A-Za-z]+)\}/#).map { String($0.output.1) }
            for name in names {
                #expect(Self.slots[name] != nil, "\(route.path): nobody knows whose {\(name)} is")
            }
            // The passkeys of admins are the server's.
            guard route.isInApplication else { continue }
            let given = names.filter { Self.slots[$0] == .given }
            asked.formUnion(given)
            var users: [String?] = given.isEmpty ? [] : [nil]
            let namesMore = given.count > 1 || route.path.hasSuffix("/merge") || route.path.hasSuffix("/roles")
            if given.contains("user"), namesMore { users.append(own) }
            for own in users {
                let answer = try await ask(world, route, ids, own: own)
                let twin = try await ask(world, route, unknown, own: own)
                let about = "\(route.method) \(route.path): \(answer.text), \(twin.text)"
                #expect(answer.status == twin.status, "\(about)")
                let (found, expected) = (try problem(answer), try problem(twin))
                #expect(found == expected, "\(about)")
                if given.contains("user"), own == nil { #expect(answer.status == 404, "\(about)") }
            }
        }
        #expect(asked == Set(Self.slots.filter { $0.value == .given }.keys))
        #expect(try await server.modules.directory.readUser(user, in: server.application.id) == before)
        #expect(try await self.content(world) == content)
        #expect(try await person.send(.get, APIPath.user).status == 200)
    }
}
