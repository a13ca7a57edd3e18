import Domain
import HTTPTypes
import OkaeriWire
import Testing

/// What an application demands of people who register, and what its forms ask for (issue 20).
@Suite("What sign-up demands")
struct SignUpRulesTests {
    private static let password = "correct horse battery"

    private static var settings: ApplicationSettings {
        var settings = ApplicationSettings()
        settings.signUp.usernameMinimumCharacters = 3
        settings.signUp.isEmailRequired = true
        settings.signUp.asksPhone = true
        settings.signUp.asksDisplayName = true
        return settings
    }

    private func faults(_ answer: Answer) throws -> [String] {
        try #require(try answer.read(Problem.self).errors, "\(answer.text)").map { "\($0.field):\($0.code)" }
    }

    @Test(
        "is the server's to refuse, at sign-up and upgrade, with every other fault at once", arguments: [true, false])
    func refused(isUpgrade: Bool) async throws {
        let server = try await TestServer(application: Self.settings)
        let person = try await server.person()
        let path = isUpgrade ? APIPath.upgrade : APIPath.signUp
        func send(_ body: String) async throws -> Answer {
            isUpgrade ? try await person.send(.post, path, body: body) : try await server.send(.post, path, body: body)
        }
        let wrong = try await send(#"{"username": "ha", "phone": "12", "password": "short"}"#)
        #expect(wrong.status == 400)
        #expect(
            Set(try faults(wrong)) == [
                "username:too_short", "phone:not_a_phone_number", "email:required", "password:too_short",
            ])
        // Characters are counted, not bytes.
        let letters = try await send(
            #"{"username": "花子", "email": "hana@example.com", "password": "\#(Self.password)"}"#)
        #expect(try faults(letters) == ["username:too_short"])
        let right = try await send(
            #"{"username": "hana", "email": "hana@example.com", "password": "\#(Self.password)"}"#)
        #expect(right.status == (isUpgrade ? 200 : 201), "\(right.text)")
    }

    @Test("holds of changes that registered users make, and of nothing that they had before")
    func changes() async throws {
        let server = try await TestServer()
        let before = try await server.person()
        #expect(try await before.upgrade().status == 200)
        try await server.demand { $0.isEmailRequired = true }
        // The user has had no mail address from the start.
        #expect(try await before.send(.patch, APIPath.user, body: #"{"username": "hanako"}"#).status == 200)
        let named = try await before.send(.patch, APIPath.user, body: #"{"email": "hana@example.com"}"#)
        #expect(named.status == 200, "\(named.text)")
        let removed = try await before.send(.patch, APIPath.user, body: #"{"email": null}"#)
        #expect(try faults(removed) == ["email:required"])
        try await server.demand { $0.usernameMinimumCharacters = 7 }
        #expect(
            try faults(try await before.send(.patch, APIPath.user, body: #"{"username": "taro"}"#)) == [
                "username:too_short"
            ])
        #expect(try await before.send(.patch, APIPath.user, body: #"{"displayName": "花"}"#).status == 200)
    }

    @Test("asks nothing of first launches")
    func firstLaunch() async throws {
        let server = try await TestServer(application: Self.settings)
        #expect(try await server.logIn(ProofMaker()).status == 201)
    }

    @Test("stands in the published profile")
    func profile() async throws {
        let server = try await TestServer(application: Self.settings)
        let rules = try await server.send(.get, "/v1/application").read(ApplicationProfile.self).rules
        #expect(rules.username.minimumCharacters == 3 && rules.email.isRequired && rules.email.isOffered)
        #expect(rules.phone.isOffered && !rules.phone.isRequired && rules.displayName.isOffered)
        let standard = try await TestServer()
        let open = try await standard.send(.get, "/v1/application").read(ApplicationProfile.self).rules
        #expect(open.username.minimumCharacters == 1 && !open.email.isRequired)
        #expect(!open.phone.isOffered && !open.displayName.isOffered)
    }

    @Test("stands on the page, which shows every fault of a form at once", arguments: [true, false])
    func page(sendsMail: Bool) async throws {
        let server =
            sendsMail
            ? try await MailServerWorld(settings: ["public-url": TestServer.url], application: Self.settings).server
            : try await TestServer(settings: ["public-url": TestServer.url], application: Self.settings)
        let browser = Browser(server)
        let shown = try await browser.get(browser.path("sign-up"))
        #expect(shown.html.contains("At least 3 characters.") && !shown.html.contains("Mail address (optional)"))
        let sent = [
            "username": "ha", "email": "nowhere", "phone": "12", "displayName": String(repeating: "x", count: 201),
            "password": "short",
        ]
        let refused = try await browser.fill("sign-up", sent)
        #expect(refused.status == 422)
        for field in sent.keys { #expect(refused.error(field) != nil, "\(field)") }
        #expect(refused.value(of: "phone") == "12" && refused.value(of: "username") == "ha")
        let missing = try await browser.fill("sign-up", ["username": "hanako", "password": Self.password])
        #expect(missing.status == 422 && missing.error("email") != nil && missing.error("username") == nil)

        let made = try await browser.fill(
            "sign-up",
            [
                "username": "hanako", "email": "new@example.com", "phone": "+81 90 1234 5678", "displayName": "花",
                "password": Self.password,
            ])
        #expect(made.status == 303, "\(made.html)")
        let users = try await server.modules.directory.listUsers(in: server.application.id)
        let user = try #require(users.first { $0.username == "hanako" })
        #expect(user.phone == "+819012345678" && user.displayName == "花")
        #expect(user.email == (sendsMail ? nil : "new@example.com"))
    }

    @Test("leaves the page as it was where the application asks for nothing")
    func plainPage() async throws {
        let browser = Browser(try await TestServer())
        let shown = try await browser.get(browser.path("sign-up"))
        #expect(!shown.html.contains(#"name="phone""#) && !shown.html.contains(#"name="displayName""#))
        // What no field asked for is not taken.
        let made = try await browser.fill(
            "sign-up", ["username": "x", "password": Self.password, "phone": "12", "displayName": "花"])
        #expect(made.status == 303)
        let users = try await browser.server.modules.directory.listUsers(in: browser.server.application.id)
        #expect(users.first { $0.username == "x" }.map { $0.displayName == nil && $0.phone == nil } == true)
    }
}

extension TestServer {
    /// Changes what the application demands, as an operator does.
    fileprivate func demand(_ change: @escaping @Sendable (inout SignUpRules) -> Void) async throws {
        _ = try await modules.applications.changeApplication(
            application.id, isCurrent: { _ in true }, by: .local
        ) { change(&$0.settings.signUp) }
    }
}
