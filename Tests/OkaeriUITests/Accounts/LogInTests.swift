import Foundation
import Okaeri
import OkaeriTesting
import OkaeriUI
import OkaeriWire
import Testing

@MainActor
@Suite("The log-in screen")
struct LogInTests {
    let world = UIWorld()

    func signUpElsewhere() async throws -> User {
        try await world.anotherClient().signUp(username: "hana", password: "a long enough secret")
    }

    func fill(_ screen: ScreenRunner<LogInModel>, _ name: String = "hana", _ password: String) {
        screen.send(.form(.typed(.username, name)))
        screen.send(.form(.typed(.password, password)))
    }

    @Test("has ParseUI's names and numbers for its parts")
    func numbers() {
        let parts: [LogInFields] = [
            .usernameAndPassword, .passwordForgotten, .logInButton, .facebook, .twitter, .signUpButton, .dismissButton,
        ]
        #expect(parts.map(\.rawValue) == [1, 2, 4, 8, 16, 32, 64])
        #expect(LogInFields.default.rawValue == 103)
        #expect(SignUpFields.usernameAndPassword.rawValue == 0 && SignUpFields.default.rawValue == 13)
        #expect([SignUpFields.email, .additional, .signUpButton, .dismissButton].map(\.rawValue) == [1, 2, 4, 8])
    }

    @Test(
        "cannot be made of nothing, nor of buttons that have nothing to work with",
        arguments: [
            (LogInFields(), FieldSetFault.noFields), (.logInButton, .needsUsernameAndPassword),
            ([.passwordForgotten, .apple], .needsUsernameAndPassword), (.rememberMe, .needsUsernameAndPassword),
        ] as [(LogInFields, FieldSetFault)])
    func faults(fields: LogInFields, fault: FieldSetFault) {
        #expect(throws: fault) { try LogInModel(LogInOptions(fields: fields)) }
    }

    @Test("names providers as people know them")
    func providerNames() {
        let names = [Provider.apple, .openID("corp"), Provider(rawValue: "twitter")].map { ProviderOption($0).name }
        #expect(names == [.literal("Apple"), .literal("corp"), .literal("X")])
    }

    @Test("is filled in by the system also where the mail address is the name", arguments: [true, false])
    func autoFill(emailAsUsername: Bool) throws {
        let logIn = try LogInModel(LogInOptions(emailAsUsername: emailAsUsername))
        let signUp = SignUpModel(SignUpOptions(emailAsUsername: emailAsUsername))
        for form in [logIn.form, signUp.form] {
            let field = try #require(form[.username])
            let traits = FieldTraits(field)
            #expect(traits.content == .username)
            #expect((traits.keyboard == .email) == emailAsUsername && traits.isLeftToRight == emailAsUsername)
        }
        let contents = signUp.form.fields.dropFirst().map { FieldTraits($0).content }
        // An address beside a user name is an address.
        let expected: [FieldTraits.Content?] = emailAsUsername ? [.newPassword] : [.newPassword, .email]
        #expect(contents == expected)
    }

    @Test("may consist of providers alone")
    func providersAlone() throws {
        #expect(try LogInModel(LogInOptions(fields: .apple)).form.fields.isEmpty)
        #expect(
            try LogInModel(LogInOptions(fields: [], providers: [ProviderOption(.openID("corp"))])).options.allProviders
                .map(\.name) == [.literal("corp")])
    }

    @Test("asks the app, then the server, then tells the app, in ParseUI's order")
    func order() async throws {
        let user = try await signUpElsewhere()
        let screen = await world.show(try LogInModel())
        fill(screen, " hana ", "a long enough secret")
        screen.send(.form(.submit))
        await screen.settle()
        #expect(world.heard.log == ["should begin", "logIn succeeded", "show"])
        // As typed: nothing is trimmed.
        #expect(world.heard.submissions.first?.username == " hana ")
        guard case .loggedIn(let welcome, by: .password)? = world.heard.outcomes.first else {
            Issue.record("\(world.heard.outcomes)")
            return
        }
        #expect(welcome.user.id == user.id && world.heard.shown == [.home(welcome.user)])
        #expect(screen.model.form.phase == .done && screen.model.form.text(of: .password).isEmpty)
    }

    @Test("stops silently when the app says so, and shows the app's texts beside the fields")
    func verdicts() async throws {
        let screen = await world.show(try LogInModel())
        fill(screen, "hana", "x")
        world.heard.verdict = .stop
        screen.send(.form(.submit))
        await screen.settle()
        #expect(screen.model.form.phase == .idle && screen.model.form.banner == nil)
        world.heard.verdict = .refuse([.username: "Not today."])
        screen.send(.form(.submit))
        await screen.settle()
        #expect(screen.model.form[.username]?.fault == .told("Not today.") && screen.model.form.focus == .username)
        #expect(world.server.requests.isEmpty)
    }

    @Test("asks for both texts before it asks the server, and leads to the first that is missing")
    func required() async throws {
        let screen = await world.show(try LogInModel())
        screen.send(.form(.submit))
        await screen.settle()
        #expect(screen.model.form[.username]?.fault == .required && screen.model.form[.password]?.fault == .required)
        #expect(screen.model.form.focus == .username && world.server.requests.isEmpty)
        screen.send(.form(.typed(.username, "h")))
        #expect(screen.model.form[.username]?.fault == nil)
    }

    @Test("says in ParseUI's words that name and password do not match, without telling which")
    func mismatch() async throws {
        _ = try await signUpElsewhere()
        for name in ["hana", "nobody"] {
            let screen = await world.show(try LogInModel())
            fill(screen, name, "wrong")
            screen.send(.form(.submit))
            await screen.settle()
            let banner = try #require(screen.model.form.banner)
            #expect(
                ScreenTexts(languages: ["en"])(banner.message) == "The username and password you entered don't match")
            #expect(ScreenTexts(languages: ["en"])(banner.title ?? .literal("")) == "Login Failed")
            #expect(screen.model.form.focus == .password && screen.model.form.phase == .idle)
        }
    }

    @Test("leaves showing a failure to an app that does it itself")
    func handled() async throws {
        world.heard.handlesFailures = true
        let screen = await world.show(try LogInModel())
        fill(screen, "hana", "wrong")
        screen.send(.form(.submit))
        await screen.settle()
        #expect(world.heard.log == ["should begin", "logIn failed: credential_refused"])
        #expect(screen.model.form.banner == nil)
    }

    @Test("sends a double tap once, and takes neither letters nor dismissal while it waits")
    func doubleTap() async throws {
        _ = try await signUpElsewhere()
        world.server.hold(path: APIPath.logInWithPassword)
        let screen = await world.show(try LogInModel())
        fill(screen, "hana", "a long enough secret")
        screen.send(.form(.submit))
        screen.send(.form(.submit))
        screen.send(.form(.returned(.password)))
        await world.server.waitForRequests(1, to: APIPath.logInWithPassword)
        #expect(screen.model.form.isRunning && !screen.model.form.canDismiss)
        screen.send(.form(.typed(.username, "kenji")))
        screen.send(.form(.dismiss))
        screen.send(.passwordForgotten)
        screen.send(.guest)
        world.server.release()
        await screen.settle()
        #expect(world.heard.log == ["should begin", "logIn succeeded", "show"])
        #expect(screen.model.form.text(of: .username) == "hana")
        #expect(world.server.requests(to: APIPath.logInWithPassword).count <= 2)
    }

    @Test("tells the app what has happened although the screen is gone, and goes nowhere")
    func lateAnswer() async throws {
        _ = try await signUpElsewhere()
        world.server.hold(path: APIPath.logInWithPassword)
        let screen = await world.show(try LogInModel())
        fill(screen, "hana", "a long enough secret")
        screen.send(.form(.submit))
        await world.server.waitForRequests(1, to: APIPath.logInWithPassword)
        screen.send(.form(.disappeared))
        world.server.release()
        await screen.settle()
        #expect(world.heard.log == ["should begin", "logIn succeeded"])
    }

    @Test("forgets a failure that comes after the screen is gone")
    func lateFailure() async throws {
        world.server.hold(path: APIPath.logInWithPassword)
        let screen = await world.show(try LogInModel())
        fill(screen, "hana", "wrong")
        screen.send(.form(.submit))
        await world.server.waitForRequests(1, to: APIPath.logInWithPassword)
        screen.send(.form(.disappeared))
        world.server.release()
        await screen.settle()
        #expect(world.heard.log == ["should begin"] && screen.model.form.banner == nil)
    }

    @Test("can be left while the app thinks, and takes no verdict after that")
    func lateVerdict() async throws {
        let (gate, opener) = AsyncStream<Void>.makeStream()
        world.heard.gate = { for await _ in gate { return } }
        let screen = await world.show(try LogInModel())
        fill(screen, "hana", "a long enough secret")
        screen.send(.form(.submit))
        #expect(screen.model.form.phase == .asking)
        screen.send(.form(.dismiss))
        opener.yield()
        await screen.settle()
        #expect(Set(world.heard.log) == ["should begin", "logIn cancelled", "close"])
        #expect(world.server.requests.isEmpty && screen.model.form.phase == .idle)
    }

    @Test("counts the seconds down when the server wants a pause, and sends nothing until then")
    func pause() async throws {
        let problem = Problem(title: "", status: 429, code: .rateLimited)
        world.server.fail(.problem(problem, retryAfter: 30), path: APIPath.logInWithPassword)
        let screen = await world.show(try LogInModel())
        fill(screen, "hana", "wrong")
        screen.send(.form(.submit))
        await screen.settle()
        #expect(screen.model.form.pause?.secondsLeft == 30 && !screen.model.form.canSubmit)
        screen.send(.form(.submit))
        await screen.settle()
        #expect(world.heard.log.count == 2)
        await world.clock.waitForSleepers()
        world.clock.advance(by: .seconds(10))
        await world.clock.waitForSleepers()
        #expect(screen.model.form.pause?.secondsLeft == 20)
        world.clock.advance(by: .seconds(20))
        while screen.model.form.pause != nil { await Task.yield() }
        #expect(screen.model.form.canSubmit)
    }

    @Test("waits a day at the most, whatever a server asks for", arguments: [Int.max, .min, 86_401])
    func endlessPause(seconds: Int) async throws {
        let problem = Problem(title: "", status: 429, code: .rateLimited)
        world.server.fail(.problem(problem, retryAfter: seconds), path: APIPath.logInWithPassword)
        let screen = await world.show(try LogInModel())
        fill(screen, "hana", "wrong")
        screen.send(.form(.submit))
        await screen.settle()
        #expect(screen.model.form.pause?.secondsLeft == (seconds > 0 ? 86_400 : nil))
    }

    @Test("keeps the device's anonymous user for the next launch when it shall not remember", arguments: [true, false])
    func rememberMe(isOn: Bool) async throws {
        let user = try await signUpElsewhere()
        let anonymous = try await world.client.logInAutomatically().user
        let screen = await world.show(
            try LogInModel(LogInOptions(fields: [.usernameAndPassword, .logInButton, .rememberMe])))
        #expect(screen.model.form[.rememberMe]?.isOn == true)
        screen.send(.form(.ticked(.rememberMe, isOn)))
        fill(screen, "hana", "a long enough secret")
        screen.send(.form(.submit))
        await screen.settle()
        let next = world.anotherClient(world.vault, seed: 9)
        #expect(try await next.logInAutomatically().user.id == (isOn ? user.id : anonymous.id))
    }

    @Test("does not ask the app about providers, and a sheet that is closed tells nothing")
    func providers() async throws {
        let options = LogInOptions(fields: [.default, .apple])
        let closed = await world.show(try LogInModel(options), credentials: TestCredentials())
        closed.send(.provider(.apple))
        closed.send(.provider(.google))
        await closed.settle()
        #expect(world.heard.log.isEmpty && closed.model.form.phase == .idle)
        let memory = TestMemory()
        let screen = await world.show(
            try LogInModel(options), credentials: TestCredentials(credential: .apple(.test(user: "hana"))),
            memory: memory)
        screen.send(.provider(.apple))
        await screen.settle()
        #expect(world.heard.log == ["logIn succeeded", "show"] && memory.last() == .provider(.apple))
        let next = await world.show(try LogInModel(options), memory: memory)
        #expect(next.model.lastMethod == .provider(.apple))
    }

    @Test("offers to bring a deleted account back, and does it with the same password")
    func restore() async throws {
        let elsewhere = world.anotherClient()
        let user = try await elsewhere.signUp(username: "hana", password: "a long enough secret")
        _ = try await elsewhere.deleteUser()
        let screen = await world.show(try LogInModel())
        fill(screen, "hana", "a long enough secret")
        screen.send(.restore)
        screen.send(.form(.submit))
        await screen.settle()
        #expect(screen.model.form.banner?.offersRestoring == true)
        screen.send(.restore)
        await screen.settle()
        #expect(await world.client.currentUser?.id == user.id)
    }

    @Test("lets a person go on as guest, or to the other screens with what was typed")
    func elsewhere() async throws {
        let screen = await world.show(try LogInModel(LogInOptions(fields: [.default, .guestButton])))
        screen.send(.form(.typed(.username, "hana@example.com")))
        screen.send(.passwordForgotten)
        screen.send(.signUp)
        screen.send(.mailedCode)
        screen.send(.transferCode)
        await screen.settle()
        #expect(
            Set(world.heard.shown) == [
                .reset(email: "hana@example.com"), .signUp(identifier: "hana@example.com"),
                .code(email: "hana@example.com"), .transferEntry,
            ])
        screen.send(.guest)
        await screen.settle()
        #expect(await world.client.currentUser?.isAnonymous == true)
        guard case .loggedIn(_, by: .guest)? = world.heard.outcomes.last else {
            Issue.record("\(world.heard.outcomes)")
            return
        }
    }

    @Test("says that a guest is a new one after a registered person has logged out, and makes one")
    func newGuest() async throws {
        let hana = try await world.client.signUp(username: "hana", password: "a long enough secret")
        let before = await world.show(try LogInModel(LogInOptions(fields: [.default, .guestButton])))
        #expect(before.model.guestTitle == .logInGuest)
        await world.client.logOut()
        let screen = await world.show(try LogInModel(LogInOptions(fields: [.default, .guestButton])))
        #expect(screen.model.guestTitle == .logInNewGuest)
        screen.send(.guest)
        await screen.settle()
        let guest = await world.client.currentUser
        #expect(guest?.isAnonymous == true && guest?.id != hana.id)
    }

    @Test("lets a person go on as guest whose device's key is lost, with the second tap")
    func lostKey() async throws {
        let user = try await world.client.logInAutomatically().user
        await world.client.logOut()
        world.vault.loseKeys()
        let screen = await world.show(try LogInModel(LogInOptions(fields: [.default, .guestButton])))
        screen.send(.guest)
        await screen.settle()
        #expect(await world.client.currentUser == nil)
        screen.send(.guest)
        await screen.settle()
        let guest = await world.client.currentUser
        #expect(guest != nil && guest?.id != user.id)
    }

    @Test("adds and removes parts while it is shown, and keeps what was typed")
    func changedParts() async throws {
        let screen = await world.show(try LogInModel())
        fill(screen, "hana", "secret")
        screen.send(.fieldsChanged([.usernameAndPassword, .logInButton, .rememberMe, .facebook, .twitter]))
        #expect(screen.model.form.text(of: .username) == "hana" && screen.model.form[.rememberMe]?.isOn == true)
        #expect(screen.model.options.allProviders.map(\.provider.rawValue) == ["facebook", "twitter"])
        #expect(!screen.model.showsDismissButton)
        screen.send(.fieldsChanged([.logInButton]))
        #expect(screen.model.options.fields.contains(.usernameAndPassword))
        #expect(try LogInModel(LogInOptions(isInNavigation: true)).showsDismissButton == false)
    }

    @Test("moves with Return from name to password, and sends from there")
    func returnKey() async throws {
        let screen = await world.show(try LogInModel())
        fill(screen, "hana", "wrong")
        #expect(!screen.model.form.returnSubmits(in: .username) && screen.model.form.returnSubmits(in: .password))
        screen.send(.form(.focused(.username)))
        screen.send(.form(.returned(.username)))
        #expect(screen.model.form.focus == .password)
        screen.send(.form(.revealed(.password, true)))
        #expect(screen.model.form[.password]?.isRevealed == true)
        screen.send(.form(.returned(.password)))
        await screen.settle()
        #expect(world.heard.log.first == "should begin")
    }

    @Test("takes any text, and never more than a person could mean", arguments: HostileText.all)
    func hostile(text: String) async throws {
        let screen = await world.show(try LogInModel(identifier: text))
        fill(screen, text, text)
        screen.send(.form(.submit))
        await screen.settle()
        #expect(screen.model.form.phase == .idle && screen.model.form.text(of: .username).count <= 4096)
        #expect(!String(reflecting: screen.model).contains("secret") && !"\(screen.model.form)".contains("alert"))
    }

    @Test("shows no text and no password when it is printed")
    func redaction() async throws {
        let screen = await world.show(try LogInModel())
        fill(screen, "hana-tanaka", "hunter2-hunter2")
        screen.send(.form(.submit))
        let printed =
            String(reflecting: screen.model) + "\(screen.model)" + String(reflecting: world.heard.submissions)
        var dumped = ""
        dump(screen.model, to: &dumped)
        await screen.settle()
        dump(world.heard.submissions, to: &dumped)
        #expect(!(printed + dumped).contains("hunter2") && !(printed + dumped).contains("tanaka"))
    }
}
