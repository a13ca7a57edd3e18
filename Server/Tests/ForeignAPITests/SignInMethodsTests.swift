import Domain
import HTTPTypes
import OkaeriWire
import Testing

@Suite("One user, five protocols")
struct SignInMethodsTests {
    private static let password = "correct horse 7 staple"

    /// Every pair of two protocols.
    private static let pairs = SpokenProtocol.all.flatMap { one in
        SpokenProtocol.all.filter { $0.name != one.name }.map { (one, $0) }
    }

    /// Logs in by every protocol.
    private func passes(at world: ForeignWorld) async throws -> [(spoken: SpokenProtocol, pass: SpokenProtocol.Pass)] {
        var passes: [(spoken: SpokenProtocol, pass: SpokenProtocol.Pass)] = []
        for spoken in SpokenProtocol.all {
            passes.append(
                (spoken, try #require(try await spoken.logIn(world, "mina26", Self.password), "\(spoken.name)")))
        }
        return passes
    }

    @Test("opens to a user of any other, with one id and the same fields", arguments: SpokenProtocol.all)
    func sameUser(entrance: SpokenProtocol) async throws {
        let world = try await ForeignWorld()
        let made = try await entrance.register(world, "mina26", Self.password)
        #expect([200, 201].contains(made.status), "\(made.text)")
        let passes = try await passes(at: world)
        var ids: Set<String> = []
        for (spoken, pass) in passes {
            ids.insert(try #require(try await spoken.read(world, pass), "\(spoken.name)").id)
        }
        #expect(ids.count == 1)
        #expect(try await world.modules.directory.listUsers(in: world.application.id).count == 1)
        for (index, (writer, pass)) in passes.enumerated() {
            guard let update = writer.update else { continue }
            let written = try await update(world, pass, index + 10)
            #expect(written.status == 200, "\(writer.name): \(written.text)")
            for (reader, pass) in passes {
                let seen = try await reader.read(world, pass)
                #expect(seen?.score == .integer(Int64(index + 10)), "\(writer.name) wrote, \(reader.name) read")
            }
        }
    }

    @Test("refuses a name that was taken at another", arguments: pairs)
    func nameTaken(entrance: SpokenProtocol, other: SpokenProtocol) async throws {
        let world = try await ForeignWorld()
        _ = try await entrance.register(world, "mina26", Self.password)
        _ = try await other.register(world, "Mina26", "another horse 8 staple")
        #expect(try await world.modules.directory.listUsers(in: world.application.id).count == 1)
        #expect(try await other.logIn(world, "mina26", "another horse 8 staple") == nil)
    }

    @Test("gives tokens that no other takes", arguments: pairs)
    func tokensStay(spoken: SpokenProtocol, other: SpokenProtocol) async throws {
        let world = try await ForeignWorld()
        _ = try await SpokenProtocol.native.register(world, "mina26", Self.password)
        let pass = try #require(try await spoken.logIn(world, "mina26", Self.password))
        #expect(try await spoken.read(world, pass) != nil)
        #expect(try await other.read(world, pass) == nil)
    }

    @Test("shows in the list of sessions, by its name, and is shut from there")
    func sessions() async throws {
        let world = try await ForeignWorld()
        _ = try await SpokenProtocol.kii.register(world, "mina26", Self.password)
        let passes = try await passes(at: world)
        let own = try #require(passes.first { $0.spoken.name == "native" }).pass
        let listed = try await world.native("GET", "/v1/user/sessions", token: own.token)
        let sessions = try JSONValue(parsing: listed.body).decoded(as: SessionListResponse.self).sessions
        #expect(Set(sessions.map(\.protocol)) == Set(SpokenProtocol.all.map(\.name)))
        for session in sessions where !session.isCurrent {
            let ended = try await world.native("DELETE", "/v1/user/sessions/\(session.id)", token: own.token)
            #expect(ended.status == 204, "\(ended.text)")
        }
        for (spoken, pass) in passes {
            #expect(try await (spoken.read(world, pass) != nil) == (spoken.name == "native"), "\(spoken.name)")
        }
    }

    @Test("logs out alone", arguments: SpokenProtocol.all.filter { $0.logOut != nil })
    func logOut(spoken: SpokenProtocol) async throws {
        let world = try await ForeignWorld()
        _ = try await SpokenProtocol.kii.register(world, "mina26", Self.password)
        let passes = try await passes(at: world)
        let mine = try #require(passes.first { $0.spoken.name == spoken.name }).pass
        let left = try await spoken.logOut?(world, mine)
        #expect([200, 204].contains(left?.status))
        for (other, pass) in passes {
            #expect(try await (other.read(world, pass) == nil) == (other.name == spoken.name), "\(other.name)")
        }
    }

    @Test("is shut at once, with all others, when the user is disabled, and open to new log-ins afterwards")
    func disabled() async throws {
        let world = try await ForeignWorld()
        _ = try await SpokenProtocol.envelope.register(world, "mina26", Self.password)
        let passes = try await passes(at: world)
        let users = try await world.modules.directory.listUsers(in: world.application.id)
        let id = try #require(users.first).id
        for isDisabled in [true, false] {
            try await world.modules.accounts.setUserDisabled(
                id, in: world.application, isDisabled: isDisabled, by: .local)
            for (spoken, pass) in passes {
                #expect(try await spoken.read(world, pass) == nil, "\(spoken.name)")
            }
            for spoken in SpokenProtocol.all {
                let pass = try await spoken.logIn(world, "mina26", Self.password)
                #expect((pass == nil) == isDisabled, "\(spoken.name)")
                // NCMB has one session of a user: the new one goes on.
                if let pass, !isDisabled { #expect(try await spoken.read(world, pass) != nil) }
            }
        }
    }

    @Test(
        "is shut at once, with all others, when the user is deleted at one",
        arguments: SpokenProtocol.all.filter { $0.delete != nil })
    func deleted(spoken: SpokenProtocol) async throws {
        let world = try await ForeignWorld()
        _ = try await SpokenProtocol.envelope.register(world, "mina26", Self.password)
        let passes = try await passes(at: world)
        let mine = try #require(passes.first { $0.spoken.name == spoken.name }).pass
        let deleted = try #require(try await spoken.delete?(world, mine))
        #expect((200..<300).contains(deleted.status), "\(deleted.text)")
        for (other, pass) in passes { #expect(try await other.read(world, pass) == nil, "\(other.name)") }
        for other in SpokenProtocol.all {
            #expect(try await other.logIn(world, "mina26", Self.password) == nil, "\(other.name)")
        }
    }
}
