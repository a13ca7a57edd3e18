import Domain
import FakeProviders
import Foundation
import HTTPTypes
import OkaeriWire
import Testing

@Suite("A hook")
struct HookTests {
    /// What a user's next token says.
    private func claims(_ person: Person) async throws -> [String: JSONValue] {
        let token = try await person.send(.post, APIPath.token).read(TokenResponse.self).accessToken
        let part = token.split(separator: ".")[1]
        return try JSONDecoder().decode(
            [String: JSONValue].self, from: Data(try #require(Base64URL.bytes(of: part.utf8))))
    }

    /// Settings with a field that only the server writes, and one that users write.
    private static var withFields: ApplicationSettings {
        ApplicationSettings(
            fieldRules: FieldRules([
                FieldRule(name: "plan", kind: .string, writer: .server), FieldRule(name: "mood"),
            ]))
    }

    @Test("is asked before a sign-up, signed as webhooks are, without the password")
    func question() async throws {
        let world = try await HookWorld()
        let secret = try await world.set(.signUp)
        let answer = try await world.server.signUp("hana", #", "email": "hana@example.com""#, peer: "198.51.100.7")
        #expect(answer.status == 201, "\(answer.text)")
        let request = try #require(world.hook.requests.first)
        #expect(world.hook.requests.count == 1 && request.method == "POST")
        #expect(request.isSigned(by: secret) && !request.isSigned(by: Secret("whsec_AAAAAAAAAAAAAAAAAAAAAAAA")))
        let question = try JSONValue(parsing: request.body)
        #expect(question["type"] == "hook.sign-up" && question["id"]?.text == request.headers["webhook-id"])
        let data = try #require(question["data"])
        #expect(data["user"]?.text == (try answer.read(LogInResponse.self)).user.id)
        #expect(data["application"]?.text == world.server.application.id.rawValue)
        #expect(data["way"] == "signUp" && data["address"] == "198.51.100.7" && data["isTest"] == nil)
        #expect(data["profile"]?["username"] == "hana" && data["profile"]?["email"] == "hana@example.com")
        #expect(!String(decoding: request.body, as: UTF8.self).contains(AccountTests.password))
        // It is no matter of a hook that a known user comes back.
        #expect(try await world.server.logIn("hana", AccountTests.password).status == 200)
        #expect(world.hook.requests.count == 1)
    }

    @Test("is not asked about what breaks a rule")
    func faults() async throws {
        let world = try await HookWorld()
        try await world.set(.signUp)
        expect(try await world.server.signUp("hana", #", "email": "nothing""#), 400, .invalidMember)
        #expect(world.hook.requests.isEmpty)
    }

    @Test(
        "that refuses keeps somebody out, with its message as the detail",
        arguments: [
            (#"{"decision": "refuse", "message": "By invitation only."}"#, "By invitation only."),
            (#"{"decision": "refuse"}"#, nil), (#"{"decision": "refuse", "message": 5, "fields": 7}"#, nil),
            (#"{"decision": "refuse", "message": "two\nlines\u202eand  more"}"#, "two lines and more"),
            (
                #"{"decision": "refuse", "message": "\#(String(repeating: "長", count: 300))"}"#,
                String(repeating: "長", count: 200)
            ),
        ] as [(String, String?)])
    func refusal(response: String, detail: String?) async throws {
        let world = try await HookWorld()
        try await world.set(.signUp, whenDown: .allow)
        world.hook.decide(FakeResponse(200, try JSONValue(parsing: Array(response.utf8))))
        let answer = try await world.server.signUp("hana")
        expect(answer, 403, .hookRefused)
        #expect(try answer.read(Problem.self).detail == detail)
        world.hook.decide(FakeResponse(204))
        #expect(try await world.server.signUp("hana").status == 201)
    }

    @Test("adds fields that only the server writes, from the user's first moment")
    func fields() async throws {
        let world = try await HookWorld(application: Self.withFields)
        try await world.set(.signUp)
        world.hook.decide(FakeResponse(200, ["decision": "allow", "fields": ["plan": "trial"]]))
        let answer = try await world.server.signUp("hana", #", "fields": {"mood": "good"}"#)
        #expect(answer.status == 201, "\(answer.text)")
        #expect(try answer.read(LogInResponse.self).user.fields == ["mood": "good", "plan": "trial"])
    }

    @Test(
        "that adds something it may not add gives no valid response",
        arguments: [
            ["fields": ["mood": "bad"]], ["fields": ["unknown": 1]], ["fields": ["plan": 5]], ["fields": ["plan": nil]],
            ["fields": "plan"], ["claims": ["a": 1]],
            ["fields": ["plan": .string(String(repeating: "x", count: 40_000))]],
        ] as [[String: JSONValue]])
    func wrongFields(added: [String: JSONValue]) async throws {
        let world = try await HookWorld(application: Self.withFields)
        try await world.set(.signUp)
        world.hook.decide(FakeResponse(200, .object(added.merging(["decision": "allow"]) { $1 })))
        expect(try await world.server.signUp("hana"), 503, .hookUnavailable)
    }

    @Test("is asked about guests only where the application wants it, and then at the first launch alone")
    func guests() async throws {
        let world = try await HookWorld()
        try await world.set(.signUp)
        #expect(try await world.server.logIn(ProofMaker()).status == 201)
        #expect(world.hook.requests.isEmpty)
        let path = world.world.path("/hooks/sign-up")
        let changed = try await world.world.send(
            "owner", .put, path,
            body: #"{"url": "\#(world.url)", "whenDown": "refuse", "timeoutMilliseconds": 5000, "asksGuests": true}"#)
        #expect(changed.status == 200 && !changed.text.contains("whsec_"), "\(changed.text)")
        let device = ProofMaker()
        world.hook.decide(FakeResponse(200, ["decision": "refuse"]))
        expect(try await world.server.logIn(device), 403, .hookRefused)
        world.hook.decide(FakeResponse(200, ["decision": "allow"]))
        let first = try await world.server.logIn(device)
        #expect(first.status == 201)
        let data = try world.hook.questions.last?["data"]
        #expect(data?["way"] == "device" && data?["profile"]?["isAnonymous"] == true)
        #expect(data?["user"]?.text == (try first.read(LogInResponse.self)).user.id)
        #expect(try await world.server.logIn(device).status == 200)
        #expect(world.hook.requests.count == 2)
    }

    @Test("is asked before a guest is upgraded, and the guest stays one when it refuses")
    func upgrade() async throws {
        let world = try await HookWorld()
        let secret = try await world.set(.upgrade)
        let person = try await world.server.person()
        world.hook.decide(FakeResponse(200, ["decision": "refuse", "message": "Not yet."]))
        let refused = try await person.upgrade()
        expect(refused, 403, .hookRefused)
        #expect(try refused.read(Problem.self).detail == "Not yet.")
        #expect(try await person.send(.get, APIPath.user).read(UserBody.self).isAnonymous)
        world.hook.decide(FakeResponse(204))
        #expect(try await person.upgrade().status == 200)
        let question = try #require(try world.hook.questions.last)
        #expect(question["type"] == "hook.upgrade" && question["data"]?["profile"]?["username"] == "hana")
        #expect(question["data"]?["user"]?.text == person.logIn.user.id)
        #expect(world.hook.requests.allSatisfy { $0.isSigned(by: secret) } && world.hook.requests.count == 2)
        // A sign-up is no upgrade, and neither is a change of somebody registered.
        #expect(try await world.server.signUp("yuki").status == 201)
        let renamed = try await person.send(.patch, APIPath.user, body: #"{"displayName": "Hana"}"#)
        #expect(renamed.status == 200 && world.hook.requests.count == 2, "\(renamed.text)")
    }

    @Test("is not asked when an operator gives a guest a name")
    func operators() async throws {
        let world = try await HookWorld()
        try await world.set(.upgrade)
        world.hook.decide(FakeResponse(200, ["decision": "refuse"]))
        let person = try await world.server.person()
        var identifiers = NewIdentifiers(rules: .native)
        identifiers.username = .set("hana")
        var edit = UserEdit(compatible: .unchanged, identifiers: identifiers)
        edit.displayName = .set("Hana")
        let changed = try await world.server.modules.accounts.editUser(
            edit, of: Identifier(rawValue: person.logIn.user.id), in: try await world.application(),
            by: .operator(.local))
        #expect(changed.user.username == "hana" && world.hook.requests.isEmpty)
    }

    @Test("adds claims to access tokens beside those by rules, and is asked with what the token says")
    func tokens() async throws {
        let world = try await HookWorld()
        try await world.set(.accessToken)
        let rules = #"{"claims": [{"claim": "tier", "value": "gold"}]}"#
        #expect(try await world.world.send("owner", .put, world.world.path("/claims"), body: rules).status == 200)
        let person = try await world.server.person()
        world.hook.decide(FakeResponse(200, ["decision": "allow", "claims": ["tenant": "north", "seats": [1, 2]]]))
        let said = try await claims(person)
        #expect(said["tenant"] == "north" && said["seats"] == [1, 2] && said["tier"] == "gold")
        let data = try #require(try world.hook.questions.last?["data"])
        #expect(data["session"] == said["sid"] && data["audience"] == said["aud"] && data["claims"] == ["tier": "gold"])
        // What the SDK compares is the version of what the user shows.
        let shown = try await person.send(.get, APIPath.user).read(UserBody.self)
        #expect(shown.claimsVersion.map { .string($0) } == said["claims_version"])
        world.hook.decide(FakeResponse(200, ["decision": "refuse", "message": "No seat is free."]))
        let refused = try await person.send(.post, APIPath.token)
        expect(refused, 403, .hookRefused)
        #expect(try refused.read(Problem.self).detail == "No seat is free.")
    }

    @Test(
        "cannot say what the token says by itself or by a rule, nor more than a token holds",
        arguments: [
            ["sub": "somebody"], ["EXP": 1], ["tier": "platinum"], ["": 1], ["a b": 1], ["tenant": nil],
            ["big": .string(String(repeating: "x", count: 5000))],
        ] as [[String: JSONValue]])
    func wrongClaims(claims: [String: JSONValue]) async throws {
        let world = try await HookWorld()
        try await world.set(.accessToken)
        let rules = #"{"claims": [{"claim": "tier", "value": "gold"}]}"#
        #expect(try await world.world.send("owner", .put, world.world.path("/claims"), body: rules).status == 200)
        let person = try await world.server.person()
        world.hook.decide(FakeResponse(200, ["decision": "allow", "claims": .object(claims)]))
        expect(try await person.send(.post, APIPath.token), 503, .hookUnavailable)
    }

    @Test("is asked before a provider's code is spent, with the address that the provider vouches for")
    func providers() async throws {
        let world = try await OpenIDWorld()
        let hook = FakeHook()
        _ = try await world.server.modules.hooks.manage.set(
            .signUp,
            to: .init(url: await FakeHost.address(of: hook), timeoutMilliseconds: 5000, whenDown: .refuse),
            in: world.server.application.id, by: .local)
        let claims = world.provider.claims(
            subject: "hana", audience: OpenIDWorld.client, nonce: "n",
            more: ["email": "hana@example.com", "email_verified": true])
        var body = world.code(claims, nonce: "n")
        body.idToken = try world.provider.key.token(claims)
        hook.decide(FakeResponse(200, ["decision": "refuse"]))
        expect(try await world.logIn(body), 403, .hookRefused)
        let data = try #require(try hook.questions.last?["data"])
        #expect(data["vouchedEmail"] == ["address": "hana@example.com", "isVerified": true])
        #expect(data["providers"] == ["oidc:work"] && data["way"] == "provider")
        hook.decide(FakeResponse(204))
        let made = try await world.logIn(body)
        #expect(made.status == 201, "\(made.text)")
        #expect(try hook.questions.last?["data"]?["user"]?.text == (try made.read(LogInResponse.self)).user.id)
        #expect(hook.requests.count == 2)
    }

    @Test("that refuses an upgrade or a token leaves that in the audit log and the time line, once an hour for a user")
    func refusedEntries() async throws {
        let world = try await HookWorld()
        try await world.set(.upgrade)
        try await world.set(.accessToken)
        let (person, other) = (try await world.server.person(), try await world.server.person())
        let user = person.logIn.user.id
        world.hook.decide(FakeResponse(200, ["decision": "refuse"]))
        func entries() async throws -> [String] {
            try await world.server.modules.administration.audit.list(in: world.server.application.id, limit: 100)
                .filter { $0.result == .refused && $0.target == .user(.init(rawValue: user)) }
                .map { "\($0.action.rawValue) \($0.details["hook"] ?? "")" }.sorted()
        }
        for _ in 0..<3 {
            expect(try await person.upgrade(), 403, .hookRefused)
            expect(try await person.send(.post, APIPath.token), 403, .hookRefused)
        }
        let both = ["access-token.issued access-token", "user.upgraded upgrade"]
        #expect(try await entries() == both)
        expect(try await other.send(.post, APIPath.token), 403, .hookRefused)
        #expect(try await entries() == both)
        let page = try await world.world.browser().get(world.world.page("users/\(user)"))
        #expect(page.html.contains("access-token.issued") && page.html.contains("refused"))
        #expect(page.html.contains("<code>refused by the hook: access-token</code>"))
        world.server.clock.advance(by: .seconds(3600))
        expect(try await person.send(.post, APIPath.token), 403, .hookRefused)
        #expect(try await entries().count == 3)
    }

    @Test("is asked while no transaction is open: the database can be written to meanwhile")
    func transactions() async throws {
        let world = try await HookWorld()
        try await world.set(.signUp, ", \"asksGuests\": true")
        try await world.set(.upgrade)
        try await world.set(.accessToken)
        let (store, id) = (world.server.store, world.server.application.id)
        world.hook.work {
            // A failure shows as a hook that does not respond.
            try? await store.write { transaction throws(DomainError) in
                guard let application = try transaction.application(id) else { return }
                try transaction.update(application)
            }
        }
        let person = try await world.server.person()
        #expect(try await person.upgrade().status == 200)
        #expect(try await person.send(.post, APIPath.token).status == 200)
        #expect(try await world.server.signUp("yuki").status == 201)
        #expect(world.hook.requests.count == 4)
    }

    @Test("that is not there costs no transaction, and one that is there costs none either")
    func cost() async throws {
        var counts: [Int] = []
        for isSet in [false, true] {
            let engine = try CountingEngine()
            let world = try await HookWorld(store: engine)
            if isSet {
                for point in HookPoint.allCases { try await world.set(point) }
            }
            _ = try await world.application()
            let before = engine.transactions
            let person = try await world.server.person()
            #expect(try await person.upgrade().status == 200)
            #expect(try await person.send(.post, APIPath.token).status == 200)
            #expect(try await world.server.signUp("yuki").status == 201)
            counts.append(engine.transactions - before)
        }
        #expect(counts[0] == counts[1])
    }
}
