import Domain
import HTTPTypes
import OkaeriWire
import Testing

@Suite("One user, five doors")
struct SignInMethodsTests {
    private static let password = "correct horse 7 staple"

    /// Every pair of two doors.
    private static let pairs = Door.all.flatMap { one in
        Door.all.filter { $0.name != one.name }.map { (one, $0) }
    }

    /// Logs in at every door.
    private func passes(at world: ForeignWorld) async throws -> [(door: Door, pass: Door.Pass)] {
        var passes: [(door: Door, pass: Door.Pass)] = []
        for door in Door.all {
            passes.append((door, try #require(try await door.logIn(world, "mina26", Self.password), "\(door.name)")))
        }
        return passes
    }

    @Test("opens to a user of any other, with one id and the same fields", arguments: Door.all)
    func sameUser(entrance: Door) async throws {
        let world = try await ForeignWorld()
        let made = try await entrance.register(world, "mina26", Self.password)
        #expect([200, 201].contains(made.status), "\(made.text)")
        let passes = try await passes(at: world)
        var ids: Set<String> = []
        for (door, pass) in passes { ids.insert(try #require(try await door.read(world, pass), "\(door.name)").id) }
        #expect(ids.count == 1)
        #expect(try await world.modules.accounts.listUsers(in: world.application.id).count == 1)
        for (place, (writer, pass)) in passes.enumerated() {
            guard let update = writer.update else { continue }
            let written = try await update(world, pass, place + 10)
            #expect(written.status == 200, "\(writer.name): \(written.text)")
            for (reader, pass) in passes {
                let seen = try await reader.read(world, pass)
                #expect(seen?.score == .integer(Int64(place + 10)), "\(writer.name) wrote, \(reader.name) read")
            }
        }
    }

    @Test("refuses a name that was taken at another", arguments: pairs)
    func nameTaken(entrance: Door, other: Door) async throws {
        let world = try await ForeignWorld()
        _ = try await entrance.register(world, "mina26", Self.password)
        _ = try await other.register(world, "Mina26", "another horse 8 staple")
        #expect(try await world.modules.accounts.listUsers(in: world.application.id).count == 1)
        #expect(try await other.logIn(world, "mina26", "another horse 8 staple") == nil)
    }

    @Test("gives tokens that no other takes", arguments: pairs)
    func tokensStay(door: Door, other: Door) async throws {
        let world = try await ForeignWorld()
        _ = try await Door.native.register(world, "mina26", Self.password)
        let pass = try #require(try await door.logIn(world, "mina26", Self.password))
        #expect(try await door.read(world, pass) != nil)
        #expect(try await other.read(world, pass) == nil)
    }

    @Test("shows in the list of sessions, by its name, and is shut from there")
    func sessions() async throws {
        let world = try await ForeignWorld()
        _ = try await Door.kii.register(world, "mina26", Self.password)
        let passes = try await passes(at: world)
        let own = try #require(passes.first { $0.door.name == "native" }).pass
        let listed = try await world.native("GET", "/v1/user/sessions", token: own.token)
        let sessions = try JSONValue(parsing: listed.body).decoded(as: SessionListResponse.self).sessions
        #expect(Set(sessions.map(\.protocol)) == Set(Door.all.map(\.name)))
        for session in sessions where !session.isCurrent {
            let ended = try await world.native("DELETE", "/v1/user/sessions/\(session.id)", token: own.token)
            #expect(ended.status == 204, "\(ended.text)")
        }
        for (door, pass) in passes {
            #expect(try await (door.read(world, pass) != nil) == (door.name == "native"), "\(door.name)")
        }
    }

    @Test("logs out alone", arguments: Door.all.filter { $0.logOut != nil })
    func logOut(door: Door) async throws {
        let world = try await ForeignWorld()
        _ = try await Door.kii.register(world, "mina26", Self.password)
        let passes = try await passes(at: world)
        let mine = try #require(passes.first { $0.door.name == door.name }).pass
        let left = try await door.logOut?(world, mine)
        #expect([200, 204].contains(left?.status))
        for (other, pass) in passes {
            #expect(try await (other.read(world, pass) == nil) == (other.name == door.name), "\(other.name)")
        }
    }

    @Test("is shut at once, with all others, when the user is disabled, and open to new log-ins afterwards")
    func disabled() async throws {
        let world = try await ForeignWorld()
        _ = try await Door.envelope.register(world, "mina26", Self.password)
        let passes = try await passes(at: world)
        let users = try await world.modules.accounts.listUsers(in: world.application.id)
        let id = try #require(users.first).id
        for isDisabled in [true, false] {
            try await world.modules.accounts.setUserDisabled(
                id, in: world.application, isDisabled: isDisabled, by: .local)
            for (door, pass) in passes {
                #expect(try await door.read(world, pass) == nil, "\(door.name)")
            }
            for door in Door.all {
                let pass = try await door.logIn(world, "mina26", Self.password)
                #expect((pass == nil) == isDisabled, "\(door.name)")
                // NCMB has one session of a user: the new one goes on.
                if let pass, !isDisabled { #expect(try await door.read(world, pass) != nil) }
            }
        }
    }

    @Test(
        "is shut at once, with all others, when the user is deleted at one",
        arguments: Door.all.filter { $0.delete != nil })
    func deleted(door: Door) async throws {
        let world = try await ForeignWorld()
        _ = try await Door.envelope.register(world, "mina26", Self.password)
        let passes = try await passes(at: world)
        let mine = try #require(passes.first { $0.door.name == door.name }).pass
        let deleted = try #require(try await door.delete?(world, mine))
        #expect((200..<300).contains(deleted.status), "\(deleted.text)")
        for (other, pass) in passes { #expect(try await other.read(world, pass) == nil, "\(other.name)") }
        for other in Door.all { #expect(try await other.logIn(world, "mina26", Self.password) == nil, "\(other.name)") }
    }
}
