import Foundation
import Okaeri
import OkaeriTesting
import OkaeriUI
import OkaeriWire
import Testing

@MainActor
@Suite("The screens that make an account")
struct SignUpTests {
    let world = UIWorld()

    func fill(_ screen: ScreenRunner<SignUpModel>, name: String = "hana", password: String = "wind over the sea 7") {
        screen.send(.form(.typed(.username, name)))
        screen.send(.form(.typed(.password, password)))
    }

    @Test("sign up, log in and lead to the verification of the address")
    func signUp() async throws {
        let screen = await world.show(SignUpModel())
        fill(screen)
        screen.send(.form(.typed(.email, " hana@example.com ")))
        screen.send(.form(.submit))
        await screen.settle()
        #expect(world.heard.log == ["should begin", "signUp succeeded", "show"])
        #expect(world.heard.submissions.first?.email == "hana@example.com")
        #expect(world.heard.shown == [.verification(email: "hana@example.com")])
        #expect(await world.client.currentUser?.username == "hana")
    }

    @Test(
        "show beside the field what breaks the rules, with ParseUI's words where it had some",
        arguments: [
            ("ha", "long enough 1", "a@example.com", "At least 3 characters."),
            ("hana", "seven77", "a@example.com", "Password must be at least 8 characters."),
            ("hana", "", "a@example.com", "Please enter a password."),
            ("", "long enough 1", "a@example.com", "Please enter a username."),
            ("hana", "long enough 1", "", "Please enter an email."),
            ("hana", "long enough 1", "nobody", "The email address is invalid. Please enter a valid email."),
            (
                "+81901", "long enough 1", "a@example.com",
                "Letters, digits and visible signs, without @ and without + in front."
            ),
        ])
    func rules(name: String, password: String, email: String, words: String) async throws {
        let screen = await world.show(SignUpModel())
        fill(screen, name: name, password: password)
        screen.send(.form(.typed(.email, email)))
        screen.send(.form(.submit))
        await screen.settle()
        let field = try #require(screen.model.form.fields.first { $0.fault != nil })
        let message = try #require(field.fault?.message(in: field))
        #expect(ScreenTexts(languages: ["en"])(message).filter { !"\u{2068}\u{2069}".contains($0) } == words)
        #expect(screen.model.form.focus == field.id && world.server.requests.isEmpty)
        // The app is asked before the screen's own rules, as in ParseUI.
        #expect(world.heard.log == ["should begin"])
    }

    @Test("name the field whose text somebody else has, and lead there")
    func taken() async throws {
        _ = try await world.anotherClient().signUp(
            username: "hana", email: "hana@example.com", password: "another secret")
        let screen = await world.show(SignUpModel())
        fill(screen)
        screen.send(.form(.typed(.email, "HANA@example.com")))
        screen.send(.form(.submit))
        await screen.settle()
        #expect(screen.model.form[.username]?.fault == .taken && screen.model.form[.email]?.fault == .taken)
        #expect(screen.model.form.focus == .username)
        let field = try #require(screen.model.form[.email])
        #expect(ScreenTexts(languages: ["en"])(ValidationError.taken.message(in: field)).contains("HANA@example.com"))
        #expect(world.heard.log == ["should begin", "signUp failed: identifier_taken"])
    }

    @Test("ask for the mail address alone where it is the name")
    func emailAsUsername() async throws {
        let screen = await world.show(SignUpModel(SignUpOptions(emailAsUsername: true)))
        #expect(screen.model.form.fields.map(\.id) == [.username, .password])
        #expect(screen.model.form[.username]?.kind == .email)
        fill(screen, name: "hana@example.com")
        screen.send(.form(.submit))
        await screen.settle()
        #expect(await world.client.currentUser?.email == "hana@example.com")
        #expect(world.server.users.first?.username == nil)
    }

    @Test("store ParseUI's one additional field under its name")
    func additional() async throws {
        let screen = await world.show(SignUpModel(SignUpOptions(fields: [.additional, .signUpButton])))
        fill(screen)
        screen.send(.form(.typed(.custom("additional"), "likes the sea")))
        screen.send(.form(.submit))
        await screen.settle()
        #expect(world.heard.submissions.first?.additional == "likes the sea")
        #expect(await world.client.currentUser?.fields["additional"] == "likes the sea")
    }

    func profile() -> ApplicationProfile {
        ApplicationProfile(
            id: "demo", name: "Kaze",
            rules: AccountRulesBody(
                username: IdentifierRuleBody(isOffered: true, isRequired: true, minimumCharacters: 5),
                email: IdentifierRuleBody(isOffered: true, isRequired: false),
                password: PasswordRuleBody(minimumCharacters: 12)),
            fields: [
                ProfileField(name: "age", kind: .number, label: ["en": "Age"]),
                ProfileField(name: "born", kind: .date, label: ["en": "Birthday"], isRequired: true),
                ProfileField(
                    name: "size", kind: .choice, label: ["en": "Size"],
                    choices: [.init(value: "s", label: ["en": "Small"]), .init(value: "l", label: ["en": "Large"])]),
                ProfileField(name: "news", kind: .checkbox, label: ["en": "News"]),
                ProfileField(name: "later", kind: .init(rawValue: "hologram"), label: ["en": "Later"]),
            ],
            consents: [
                ProfileConsent(name: "terms", label: ["en": "Terms", "ja": "規約"], url: "https://example.com/terms"),
                ProfileConsent(name: "mail", label: ["en": "Mail"], url: "javascript:alert(1)", isRequired: false),
            ],
            providers: [
                ProfileProvider(name: "apple"), ProfileProvider(name: "oidc:corp", displayName: ["en": "Corp"]),
            ])
    }

    @Test("have the rules, fields, consents and providers that the server publishes")
    func published() async throws {
        world.server.profile = profile()
        let profile = try await world.client.applicationProfile()
        let screen = await world.show(SignUpModel(SignUpOptions(profile)))
        #expect(screen.model.options.providers.map(\.name) == [.literal("Apple"), .localized(["en": "Corp"])])
        fill(screen, name: "hana", password: "wind 777777")
        screen.send(.form(.typed(.custom("age"), "old")))
        screen.send(.form(.typed(.custom("born"), "2001-02-29")))
        screen.send(.form(.typed(.custom("size"), "xxl")))
        screen.send(.form(.submit))
        await screen.settle()
        let form = screen.model.form
        #expect(form[.username]?.fault == .tooShort(minimum: 5) && form[.password]?.fault == .tooShort(minimum: 12))
        #expect(form[.custom("age")]?.fault == .notANumber && form[.custom("born")]?.fault == .notADate)
        #expect(form[.custom("size")]?.text == "" && form[.consent("terms")]?.fault == .notAccepted)
        #expect(form[.consent("mail")]?.kind == .consent(page: nil))
        #expect(world.server.users.isEmpty)
    }

    @Test("ask for a mail address, a phone number and a name as the server says, which refuses what they would")
    func demanded() async throws {
        world.server.profile = ApplicationProfile(
            id: "demo", name: "Kaze",
            rules: AccountRulesBody(
                email: IdentifierRuleBody(isOffered: true, isRequired: true),
                phone: IdentifierRuleBody(isOffered: true, isRequired: false),
                displayName: IdentifierRuleBody(isOffered: true, isRequired: false)))
        let profile = try await world.client.applicationProfile()
        #expect(profile.rules.email.isRequired && profile.rules.phone.isOffered)
        let screen = await world.show(SignUpModel(SignUpOptions(profile)))
        #expect(screen.model.form[.phone] != nil && screen.model.form[.displayName] != nil)
        fill(screen)
        screen.send(.form(.submit))
        await screen.settle()
        #expect(screen.model.form[.email]?.fault == .required)
        await #expect(throws: OkaeriError.self) {
            try await world.client.signUp(username: "hana", password: "wind over the sea 7")
        }
        #expect(world.server.users.isEmpty)
    }

    @Test("store the application's own fields by their kind, and the time of each consent")
    func stored() async throws {
        let screen = await world.show(SignUpModel(SignUpOptions(profile())))
        fill(screen, name: "hana.t", password: "wind over the sea 7")
        screen.send(.form(.typed(.custom("age"), "４２")))
        screen.send(.form(.typed(.custom("born"), "2000-02-29")))
        screen.send(.form(.typed(.custom("size"), "l")))
        screen.send(.form(.ticked(.custom("news"), true)))
        screen.send(.form(.ticked(.consent("terms"), true)))
        screen.send(.form(.submit))
        await screen.settle()
        let fields = await world.client.currentUser?.fields
        #expect(
            fields == [
                "age": 42, "born": "2000-02-29", "size": "l", "news": true,
                "consent_terms": "2026-11-21T00:15:42.000Z",
            ])
    }

    @Test("move with Return through what is typed, past what is ticked or chosen")
    func returnKey() {
        var model = SignUpModel(SignUpOptions(profile()))
        var visited: [FieldID] = [.username]
        _ = model.handle(.form(.focused(.username)))
        while let focus = model.form.focus, !model.form.returnSubmits(in: focus) {
            _ = model.handle(.form(.returned(focus)))
            visited.append(model.form.focus ?? .code)
        }
        #expect(
            visited == [.username, .password, .email, .custom("age"), .custom("born"), .custom("later")])
    }

    @Test("give the anonymous user a permanent account, who keeps id and data")
    func upgrade() async throws {
        let anonymous = try await world.client.logInAutomatically(user: NewUser(fields: ["score": 3])).user
        let screen = await world.show(UpgradeModel(SignUpOptions(fields: [.signUpButton, .displayName])))
        screen.send(.form(.typed(.username, "hana")))
        screen.send(.form(.typed(.password, "wind over the sea 7")))
        screen.send(.form(.typed(.displayName, "花")))
        screen.send(.form(.submit))
        await screen.settle()
        #expect(world.heard.log == ["should begin", "upgrade succeeded", "show"])
        let user = try #require(await world.client.currentUser)
        #expect(user.id == anonymous.id && user.displayName == "花" && user.fields["score"] == 3 && !user.isAnonymous)
    }

    @Test("link a provider to the anonymous user, and lead to the choice when somebody has it already")
    func link() async throws {
        let options = SignUpOptions(providers: [ProviderOption(.apple)])
        let apple = TestCredentials(credential: .apple(.test(user: "hana")))
        _ = try await world.anotherClient().logIn(with: .apple(.test(user: "hana")))
        try await world.client.logInAutomatically()
        let screen = await world.show(UpgradeModel(options), credentials: apple)
        screen.send(.provider(.apple))
        await screen.settle()
        guard case .conflict? = world.heard.shown.first else {
            Issue.record("\(world.heard.log)")
            return
        }
        #expect(world.heard.errors.isEmpty && screen.model.form.phase == .idle)
    }

    @Test("lead to the choice when name and password are those of another account of the person")
    func conflict() async throws {
        _ = try await world.anotherClient().signUp(username: "hana", password: "wind over the sea 7")
        try await world.client.logInAutomatically()
        let screen = await world.show(UpgradeModel(SignUpOptions(fields: .signUpButton)))
        screen.send(.form(.typed(.username, "hana")))
        screen.send(.form(.typed(.password, "wind over the sea 7")))
        screen.send(.form(.submit))
        await screen.settle()
        guard case .conflict? = world.heard.shown.first else {
            Issue.record("\(world.heard.log)")
            return
        }
    }

    @Test("take any text in any field", arguments: HostileText.all)
    func hostile(text: String) async throws {
        var profile = profile()
        profile.fields.append(ProfileField(name: text, kind: .multiline, label: LocalizedText([text: text])))
        let screen = await world.show(SignUpModel(SignUpOptions(profile), identifier: text))
        for field in screen.model.form.fields {
            screen.send(.form(.typed(field.id, text)))
            screen.send(.form(.ticked(field.id, true)))
            screen.send(.form(.returned(field.id)))
        }
        screen.send(.logIn)
        screen.send(.form(.submit))
        await screen.settle()
        for field in screen.model.form.fields {
            _ = ScreenTexts(languages: ["ja"])(field.fault?.message(in: field) ?? field.label)
        }
        #expect(screen.model.form.phase == .idle && world.server.users.isEmpty)
    }

    @Test("rate a password by how long it withstands guessing")
    func strength() {
        #expect(PasswordStrength(of: "password") == .veryWeak && PasswordStrength(of: "12345678") == .veryWeak)
        #expect(PasswordStrength(of: "aaaaaaaaaaaaaaaa") == .veryWeak)
        #expect(PasswordStrength(of: "abcdefghijklmnop") == .veryWeak)
        #expect(PasswordStrength(of: "hana.tanaka1", context: ["hana", "tanaka@example.com"]) < .fair)
        #expect(PasswordStrength(of: "wind over the sea 7") == .strong)
        #expect(PasswordStrength(of: "風と海とおかえりなさい") >= .fair)
        #expect(PasswordStrength(of: String(repeating: "長い👩‍👩‍👧", count: 100_000)) == .strong)
        var model = SignUpModel()
        _ = model.handle(.form(.typed(.password, "hana.tanaka1")))
        let before = model.form[.password]?.strength
        _ = model.handle(.form(.typed(.username, "hana.tanaka")))
        #expect((model.form[.password]?.strength ?? .strong) < (before ?? .veryWeak))
    }
}
