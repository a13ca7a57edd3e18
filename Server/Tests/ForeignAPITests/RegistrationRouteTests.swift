import Domain
import OkaeriWire
import Testing

/// Registration and erasure through the routes of every protocol: one room behind all of them.
@Suite("Registration by any protocol")
struct RegistrationRouteTests {
    /// A route that makes a user.
    enum Route: CaseIterable {
        case native, ncmb, ncmbAuthData, parse, parseAuthData, kii, kiiPseudoUser, authService

        /// What stands in the audit log of the user.
        var actions: [AuditEntry.Action] {
            switch self {
            case .native, .ncmb, .parse: [.loggedIn]
            case .kii, .authService: [.userCreated]
            case .ncmbAuthData, .parseAuthData, .kiiPseudoUser: []
            }
        }

        var isNamed: Bool {
            switch self {
            case .native, .ncmb, .parse, .kii, .authService: true
            case .ncmbAuthData, .parseAuthData, .kiiPseudoUser: false
            }
        }

        /// Registers somebody.
        func register(_ name: String, in world: ForeignWorld) async throws -> Answer {
            let anonymous = #"{"authData":{"anonymous":{"id":"0A4F7C11-3D52-4E6B-9C8A-5B1E2F3D4C60"}}}"#
            let pseudoUser = "application/vnd.kii.RegistrationAndAuthorizationRequest+json"
            return switch self {
            case .native:
                try await world.native(
                    "POST", "/v1/sign-up", #"{"username":"\#(name)","password":"four quiet words"}"#)
            case .ncmb:
                try await world.ncmb("POST", "/users", #"{"userName":"\#(name)","password":"secret"}"#)
            case .ncmbAuthData: try await world.ncmb("POST", "/users", anonymous)
            case .parse:
                try await world.parse("POST", "/users", #"{"username":"\#(name)","password":"secret"}"#)
            case .parseAuthData: try await world.parse("POST", "/users", anonymous)
            case .kii:
                try await world.kii("POST", "/users", #"{"loginName":"\#(name)","password":"secret"}"#)
            case .kiiPseudoUser: try await world.kii("POST", "/users", #"{"score":1}"#, type: pseudoUser)
            case .authService:
                try await world.send(
                    "POST", "/user/signup", body: #"{"id":"\#(name)","password":"secret","name":"Mina"}"#)
            }
        }
    }

    private static func users(_ world: ForeignWorld) async throws -> [User] {
        let id = world.application.id
        return try await world.reading { transaction throws(DomainError) in
            try transaction.users(in: id, after: nil, limit: 100)
        }
    }

    @Test("makes one user, with the entry in the audit log that the way has", arguments: Route.allCases)
    func one(route: Route) async throws {
        let world = try await ForeignWorld()
        let answer = try await route.register("hana", in: world)
        #expect((200..<300).contains(answer.status), "\(answer.text)")
        let users = try await Self.users(world)
        let user = try #require(users.first)
        #expect(users.count == 1 && user.username == (route.isNamed ? "hana" : user.username))
        let entries = try await world.modules.administration.audit.list(
            in: world.application.id, matching: AuditFilter(target: .user(user.id)))
        #expect(entries.map(\.action) == route.actions)
        #expect(entries.allSatisfy { $0.actor == .user(user.id) })
    }

    @Test("makes one user of twenty requests at once", arguments: Route.allCases)
    func race(route: Route) async throws {
        let world = try await ForeignWorld()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<20 { group.addTask { _ = try await route.register("hana", in: world) } }
            try await group.waitForAll()
        }
        // Pseudo users have nothing by which two requests would be one person's.
        #expect(try await Self.users(world).count == (route == .kiiPseudoUser ? 20 : 1))
    }

    @Test("stores nothing of a user whose name is longer than any protocol lets", arguments: Route.allCases)
    func longName(route: Route) async throws {
        guard route.isNamed else { return }
        let world = try await ForeignWorld()
        let answer = try await route.register(String(repeating: "n", count: 256), in: world)
        #expect(!answer.text.contains(#""success":true"#))
        if route != .authService { #expect((400..<500).contains(answer.status), "\(answer.text)") }
        #expect(try await Self.users(world).isEmpty)
    }

    @Test("refuses the second user of a name, whichever protocol made the first", arguments: Route.allCases)
    func taken(second: Route) async throws {
        guard second.isNamed else { return }
        for first in Route.allCases where first.isNamed {
            let world = try await ForeignWorld()
            _ = try await first.register("hana", in: world)
            let answer = try await second.register("hana", in: world)
            #expect(!answer.text.contains(#""success":true"#))
            if second != .authService { #expect((400..<500).contains(answer.status), "\(first): \(answer.text)") }
            #expect(try await Self.users(world).count == 1)
        }
    }

    /// Who asks Kii to delete a user.
    enum Caller: CaseIterable { case owner, other, administrator, app }

    @Test("ends in Kii by the user and by administrators alone", arguments: Caller.allCases)
    func kiiErasure(caller: Caller) async throws {
        let world = try await ForeignWorld()
        let (user, other) = (try await world.kiiUser("hana"), try await world.kiiUser("hanako"))
        let token: String? =
            switch caller {
            case .owner: user.token
            case .other: other.token
            case .administrator: try await world.administrator()
            case .app: nil
            }
        let answer = try await world.kii("DELETE", "/users/\(user.id)", token: token)
        let may = caller == .owner || caller == .administrator
        #expect(answer.status == (may ? 204 : 401), "\(answer.text)")
        #expect(try await Self.users(world).count == (may ? 1 : 2))
        let entries = try await world.modules.administration.audit.list(
            in: world.application.id, matching: AuditFilter(action: .userErased))
        let actor: AuditEntry.Actor =
            caller == .owner ? .user(Identifier(rawValue: user.id)) : AuditEntry.Actor(rawValue: "protocol-key:kii")
        #expect(entries.map(\.actor) == (may ? [actor] : []))
        #expect(entries.allSatisfy { $0.details == ["reason": "deletion"] })
    }

    @Test("of Kii lets an administrator erase somebody who is on the way out")
    func kiiLeaving() async throws {
        let world = try await ForeignWorld()
        let user = try await world.kiiUser("hana")
        _ = try await world.modules.deletion.deleteUser(
            Identifier(rawValue: user.id), in: world.application, by: .local)
        // Nobody else sees the user by then, by whatever name.
        let other = try await world.kiiUser("other")
        for name in [user.id, "LOGIN_NAME:hana"] {
            let read = try await world.kii("GET", "/users/\(name)", token: other.token)
            #expect(read.status == 404 && read.code == "USER_NOT_FOUND", "\(read.text)")
        }
        let answer = try await world.kii("DELETE", "/users/\(user.id)", token: try await world.administrator())
        #expect(answer.status == 204, "\(answer.text)")
        #expect(try await Self.users(world).count == 1)
    }
}
