import Domain
import FakeProviders
import Foundation
import HTTPTypes
import OkaeriWire
import Testing

/// People whose passwords only the service knows that they come from.
@Suite("A log-in that the service of before vouches for")
struct MigrationTests {
    private static let vouched: JSONValue = [
        "decision": "allow",
        "claims": [
            "sub": "old-1", "preferred_username": "hana", "email": "hana@example.com", "email_verified": true,
            "name": "はな", "locale": "ja",
        ], "fields": ["score": 7],
    ]

    private func world(_ response: JSONValue = vouched, _ settings: ApplicationSettings = ApplicationSettings())
        async throws -> HookWorld
    {
        let world = try await HookWorld(application: settings)
        try await world.set(.logIn)
        world.hook.decide(FakeResponse(200, response))
        return world
    }

    private func logIn(_ world: HookWorld, _ name: String = "hana", _ password: String = AccountTests.password)
        async throws -> Answer
    {
        try await world.server.logIn(name, password)
    }

    /// Somebody who was imported without a hash.
    private func importHana(into world: HookWorld, email: String? = nil) async throws {
        let now = world.server.clock.now
        var user = User(
            id: Identifier(rawValue: "imported"), application: world.server.application.id, createdAt: now,
            updatedAt: now)
        (user.username, user.email, user.passwordSetAt) = ("hana", email, now)
        let outcomes = try await world.server.modules.imports.importUsers(
            [ImportedUser(user: user)], into: world.server.application.id, of: .native, isRehearsal: false)
        #expect(outcomes == [.imported])
    }

    @Test(
        "makes the user once, signed, and the password is known here from then on",
        arguments: ["hana", "hana@example.com"])
    func unknownUser(identifier: String) async throws {
        let world = try await world()
        let answer = try await logIn(world, identifier)
        #expect(answer.status == 200, "\(answer.text)")
        let user = try answer.read(LogInResponse.self).user
        #expect(user.id == "old-1" && user.username == "hana" && user.displayName == "はな")
        #expect(user.fields["score"] == 7)
        let question = try #require(world.hook.questions.first)
        #expect(question["type"] == "hook.log-in")
        #expect(question["data"]?["logIn"]?["identifier"]?.text == identifier)
        #expect(question["data"]?["logIn"]?["password"]?.text == AccountTests.password)
        // Nobody is asked any more.
        #expect(try await logIn(world).status == 200)
        #expect(world.hook.requests.count == 1)
        let stored = try await world.server.modules.directory.readUser(
            Identifier(rawValue: "old-1"), in: world.server.application.id)
        #expect(stored.emailVerifiedAt != nil && stored.hasPassword)
    }

    @Test("gives an imported user the password that it came without, by the id that the import kept")
    func importedUser() async throws {
        let world = try await world(["decision": "allow", "claims": ["sub": "imported"]])
        try await importHana(into: world)
        let answer = try await logIn(world)
        #expect(answer.status == 200, "\(answer.text)")
        #expect(try answer.read(LogInResponse.self).user.id == "imported")
        #expect(try await logIn(world).status == 200)
        #expect(world.hook.requests.count == 1)
    }

    @Test(
        "gives no password to a user whose id it does not name, and says no more than of a wrong one",
        arguments: [[:], ["sub": "old-1"], ["sub": nil], ["sub": "IMPORTED"], ["sub": "imported "]]
            as [[String: JSONValue]])
    func otherId(claims: [String: JSONValue]) async throws {
        let world = try await world(["decision": "allow", "claims": .object(claims)])
        try await importHana(into: world)
        // Each is one failure, of which five cost no waiting: the password is not compared a second time.
        for _ in 0..<3 { expect(try await logIn(world), 401, .credentialRefused) }
        let stored = try await world.server.modules.directory.readUser(
            Identifier(rawValue: "imported"), in: world.server.application.id)
        #expect(stored.username == "hana" && stored.passwordSetAt == world.server.clock.now)
        // The right response is believed afterwards.
        world.hook.decide(FakeResponse(200, ["decision": "allow", "claims": ["sub": "imported"]]))
        #expect(try await logIn(world).status == 200)
    }

    /// Somebody who registered here at Google and typed a name and an address, which nobody has verified.
    private func registerAtGoogle(in world: HookWorld) async throws {
        let (tenant, now) = (world.server.application.id, world.server.clock.now)
        var victim = User(id: Identifier(rawValue: "victim"), application: tenant, createdAt: now, updatedAt: now)
        (victim.username, victim.email) = ("hana", "hana@example.com")
        let (user, identity) = (victim, Identity(provider: .google, subject: "g-1", linkedAt: now))
        try await world.server.store.write { transaction throws(DomainError) in
            try transaction.insert(user)
            try transaction.updateIdentifiers(of: user)
            try transaction.insert(identity, for: user.id, in: tenant)
        }
    }

    @Test(
        "gives a user of Google, made here, no password of the person with the same name or address there",
        arguments: ["hana", "hana@example.com"])
    func victimOfTheSameName(identifier: String) async throws {
        let world = try await world()
        try await registerAtGoogle(in: world)
        expect(try await logIn(world, identifier), 401, .credentialRefused)
        let stored = try await world.server.modules.directory.readUser(
            Identifier(rawValue: "victim"), in: world.server.application.id)
        #expect(!stored.hasPassword && stored.emailVerifiedAt == nil)
    }

    @Test("makes the user though another's name here reads like the address, proved or not", arguments: [true, false])
    func addressLikeName(isVerified: Bool) async throws {
        let claims: JSONValue = [
            "sub": "old-1", "preferred_username": "hana", "email": "hana@example.com",
            "email_verified": .bool(isVerified),
        ]
        let world = try await world(["decision": "allow", "claims": claims])
        let (tenant, now) = (world.server.application.id, world.server.clock.now)
        var stranger = User(id: Identifier(rawValue: "stranger"), application: tenant, createdAt: now, updatedAt: now)
        stranger.username = "hana@example.com"
        let other = stranger
        try await world.server.store.write { transaction throws(DomainError) in
            try transaction.insert(other)
            try transaction.updateIdentifiers(of: other)
        }
        let answer = try await logIn(world)
        #expect(answer.status == 200, "\(answer.text)")
        #expect(try answer.read(LogInResponse.self).user.id == "old-1")
    }

    @Test("is not believed of somebody whose password is known here, who is asked about like everybody")
    func knownUser() async throws {
        let world = try await world(["decision": "allow"])
        #expect(try await world.server.signUp("hana").status == 201)
        expect(try await logIn(world, "hana", "another long password"), 401, .credentialRefused)
        #expect(world.hook.requests.count == 1)
        #expect(try await logIn(world).status == 200)
        #expect(world.hook.requests.count == 1)
    }

    @Test(
        "says no more than a wrong password when the service refuses",
        arguments: [["decision": "refuse"], ["decision": "refuse", "message": "No."]] as [JSONValue])
    func refused(response: JSONValue) async throws {
        let world = try await world(response)
        let unknown = try await logIn(world, "nobody")
        expect(unknown, 401, .credentialRefused)
        #expect(try await world.server.signUp("hana").status == 201)
        let known = try await logIn(world, "hana", "another long password")
        expect(known, 401, .credentialRefused)
        let bodies = try [known, unknown].map { answer in
            let members = try answer.read([String: JSONValue].self)
            return members.filter { $0.key != "requestId" }
        }
        #expect(bodies[0] == bodies[1] && bodies[0].count == 4)
        #expect(world.hook.requests.count == 2)
    }

    @Test(
        "is no response when the user cannot be made of it",
        arguments: [
            ["decision": "allow", "claims": ["preferred_username": "mika"]],
            ["decision": "allow", "claims": ["email": "no address"]],
            ["decision": "allow", "claims": ["email_verified": "yes"]],
            ["decision": "allow", "claims": ["sub": 5]],
            ["decision": "allow", "claims": ["sub": .string(String(repeating: "x", count: 200))]],
            ["decision": "allow", "claims": ["admin": true]], ["decision": "allow", "claims": ["locale": "?"]],
            ["decision": "allow", "fields": ["x": .string(String(repeating: "y", count: 200))], "claims": 5],
            ["decision": "maybe"], [],
        ] as [JSONValue])
    func hostile(response: JSONValue) async throws {
        let world = try await world(response)
        expect(try await logIn(world), 503, .hookUnavailable)
        try await world.server.settle(whenDown: .allow, in: world)
        expect(try await logIn(world), 401, .credentialRefused)
        // Nobody was made.
        try await world.server.remove(.logIn, in: world)
        expect(try await logIn(world), 401, .credentialRefused)
    }

    @Test("of two at once makes one user")
    func race() async throws {
        let world = try await world()
        let (both, opened) = AsyncStream<Void>.makeStream()
        let (arrivals, arrived) = AsyncStream<Void>.makeStream()
        world.hook.work {
            arrived.yield()
            for await _ in both {}
        }
        async let one = logIn(world, "hana")
        async let other = logIn(world, "hana@example.com")
        var waiting = arrivals.makeAsyncIterator()
        _ = await waiting.next()
        _ = await waiting.next()
        opened.finish()
        let answers = try await [one, other]
        #expect(answers.map(\.status) == [200, 200], "\(answers.map(\.text))")
        #expect(try answers.map { try $0.read(LogInResponse.self).user.id } == ["old-1", "old-1"])
    }

    @Test("is no matter any more after its time, before it, and without the hook")
    func window() async throws {
        let world = try await HookWorld()
        let now = world.server.clock.now.milliseconds
        func wire(_ minutes: Int64) -> String { WireTime(millisecondsSince1970: now + minutes * 60_000).description }
        try await world.set(.logIn, #", "from": "\#(wire(1))", "until": "\#(wire(2))""#)
        world.hook.decide(FakeResponse(200, ["decision": "allow"]))
        expect(try await logIn(world), 401, .credentialRefused)
        world.server.clock.advance(by: .seconds(2 * 60))
        expect(try await logIn(world), 401, .credentialRefused)
        #expect(world.hook.requests.isEmpty)
        try await world.set(.logIn, again: true, #", "until": "\#(wire(4))""#)
        #expect(try await logIn(world).status == 200)
        try await world.server.remove(.logIn, in: world)
        expect(try await logIn(world, "mika"), 401, .credentialRefused)
        #expect(world.hook.requests.count == 1)
    }

    @Test("needs an end, which no other hook has")
    func windowFaults() async throws {
        let world = try await HookWorld()
        for (point, rest) in [
            ("log-in", ""), ("log-in", #", "from": "2030-01-01T00:00:00Z", "until": "2029-01-01T00:00:00Z""#),
            ("sign-up", #", "until": "2029-01-01T00:00:00Z""#),
        ] {
            let answer = try await world.world.send(
                "owner", .put, world.world.path("/hooks/\(point)"),
                body: #"{"url": "\#(world.url)", "whenDown": "refuse"\#(rest)}"#)
            #expect(answer.status == 400 && answer.text.contains("until"), "\(point)\(rest): \(answer.text)")
        }
    }

    @Test("asks about no more guesses than passwords may be tried")
    func guesses() async throws {
        let world = try await world(["decision": "refuse"])
        for _ in 0..<5 { expect(try await logIn(world), 401, .credentialRefused) }
        #expect(try await logIn(world).status == 429)
        #expect(world.hook.requests.count == 5)
    }

    @Test(
        "asks about no password that nobody can have, which counts once like any other",
        arguments: ["", String(repeating: "x", count: 1025)])
    func impossiblePassword(password: String) async throws {
        let world = try await world()
        for _ in 0..<5 { expect(try await logIn(world, "hana", password), 401, .credentialRefused) }
        #expect(try await logIn(world, "hana", password).status == 429)
        #expect(world.hook.requests.isEmpty)
    }

    @Test("gives no password while the user has to wait for guesses under another name")
    func waiting() async throws {
        let world = try await world(["decision": "refuse"])
        try await importHana(into: world, email: "hana@example.com")
        for _ in 0..<5 { expect(try await logIn(world), 401, .credentialRefused) }
        world.hook.decide(FakeResponse(200, ["decision": "allow", "claims": ["sub": "imported"]]))
        expect(try await logIn(world, "hana@example.com"), 401, .credentialRefused)
        #expect(world.hook.requests.count == 6)
        // Were the password kept, it would be right by now, whatever the service says.
        world.hook.decide(FakeResponse(200, ["decision": "refuse"]))
        world.server.clock.advance(by: .seconds(2))
        expect(try await logIn(world, "hana@example.com"), 401, .credentialRefused)
    }
}

extension TestServer {
    /// Changes what happens while the log-in hook gives no valid response.
    fileprivate func settle(whenDown: Hook.WhenDown, in world: HookWorld) async throws {
        try await world.set(.logIn, again: true, whenDown: whenDown)
    }

    fileprivate func remove(_ point: HookPoint, in world: HookWorld) async throws {
        let answer = try await world.world.send("owner", .delete, world.world.path("/hooks/\(point.rawValue)"))
        #expect(answer.status == 204, "\(answer.text)")
    }
}

extension HookWorld {
    /// Changes a hook that is there.
    fileprivate func set(
        _ point: HookPoint, again: Bool, whenDown: Hook.WhenDown = .refuse,
        _ rest: String = #", "until": "2099-01-01T00:00:00.000Z""#
    ) async throws {
        let answer = try await world.send(
            "owner", .put, world.path("/hooks/\(point.rawValue)"),
            body: """
                {"url": "\(url)", "whenDown": "\(whenDown.rawValue)", "timeoutMilliseconds": 5000\(rest)}
                """)
        #expect(answer.status == 200, "\(answer.text)")
    }
}
