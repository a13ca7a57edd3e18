import Foundation
import Okaeri
import OkaeriTesting
import OkaeriUI
import OkaeriWire
import Testing

@MainActor
@Suite("The screens of an account")
struct AccountScreenTests {
    let world = UIWorld()
    let password = "a long enough secret"

    func conflict() async throws -> MergeConflict {
        _ = try await world.anotherClient().signUp(username: "hana", password: password)
        try await world.client.logInAutomatically(user: NewUser(fields: ["score": 3]))
        let error = await #expect(throws: OkaeriError.self) {
            try await world.client.upgrade(username: "hana", password: password)
        }
        guard case .conflict(let conflict)? = error else { throw OkaeriError.conflictExpected }
        return conflict
    }

    @Test("show two accounts, bring them together, and take that apart again")
    func merge() async throws {
        let screen = await world.show(ConflictModel(try await conflict()))
        let preview = try #require(screen.model.preview)
        #expect(preview.other.username == "hana" && preview.merged.fields["score"] == 3)
        #expect(screen.model.choices == [.keep, .switch, .merge])
        screen.send(.confirmed)
        #expect(!screen.model.canConfirm && !screen.model.canUndo)
        screen.send(.chosen(.merge))
        screen.send(.confirmed)
        screen.send(.confirmed)
        await screen.settle()
        #expect(screen.model.canUndo && world.heard.log == ["conflict succeeded"])
        #expect(await world.client.currentUser?.username == "hana")
        screen.send(.undo)
        screen.send(.undo)
        await screen.settle()
        #expect(screen.model.isUndone && !screen.model.canUndo && world.heard.outcomes.last == .mergeUndone)
        let guest = try #require(await world.client.currentUser)
        #expect(guest.isAnonymous && guest.fields["score"] == 3)
        screen.send(.finished)
        await screen.settle()
        #expect(world.heard.shown == [.home(guest)])
    }

    @Test("lead on after two accounts were brought together, once")
    func finishMerge() async throws {
        let screen = await world.show(ConflictModel(try await conflict()))
        screen.send(.finished)
        screen.send(.chosen(.merge))
        screen.send(.confirmed)
        await screen.settle()
        let user = try #require(screen.model.result?.user)
        #expect(world.heard.shown.isEmpty)
        screen.send(.finished)
        screen.send(.finished)
        await screen.settle()
        #expect(world.heard.shown == [.home(user)])
    }

    @Test("go on with the account that was chosen", arguments: [MergeChoice.keep, .switch])
    func choose(choice: MergeChoice) async throws {
        let screen = await world.show(ConflictModel(try await conflict()))
        screen.send(.chosen(choice))
        screen.send(.confirmed)
        await screen.settle()
        #expect(await world.client.currentUser?.isAnonymous == (choice == .keep))
        #expect(world.heard.log == ["conflict succeeded", "show"])
    }

    @Test("offer no merge of a registered user's account, which the server refuses")
    func registeredConflict() async throws {
        let credential = ProviderCredential.test(.google, user: "hana", nonce: "first")
        _ = try await world.anotherClient().logIn(with: credential)
        _ = try await world.client.signUp(username: "taro", password: password)
        let error = await #expect(throws: OkaeriError.self) {
            try await world.client.link(.test(.google, user: "hana", nonce: "second"))
        }
        guard case .conflict(let conflict)? = error else { throw OkaeriError.conflictExpected }
        let screen = await world.show(ConflictModel(conflict))
        #expect(screen.model.choices == [.keep, .switch])
        screen.send(.chosen(.merge))
        #expect(screen.model.choice == nil && !screen.model.canConfirm)
        screen.send(.chosen(.switch))
        screen.send(.confirmed)
        await screen.settle()
        let user = try #require(await world.client.currentUser)
        #expect(!user.isAnonymous && user.username == nil && world.heard.log == ["conflict succeeded", "show"])
    }

    @Test("look at both accounts once more after a failure")
    func reloadConflict() async throws {
        let conflict = try await conflict()
        world.server.isOffline = true
        let screen = await world.show(ConflictModel(conflict))
        #expect(world.heard.errors == [.offline] && screen.model.form.banner?.kind == .failure)
        world.server.isOffline = false
        screen.send(.reload)
        screen.send(.reload)
        await screen.settle()
        #expect(screen.model.preview != nil && screen.model.form.banner == nil)
        screen.send(.form(.dismiss))
        await screen.settle()
        #expect(world.heard.log.suffix(2) == ["conflict cancelled", "close"])
    }

    @Test("carry the user to another device by a code that is typed there")
    func transfer() async throws {
        let user = try await world.client.logInAutomatically().user
        let giver = await world.show(TransferCodeModel())
        #expect(giver.model.code == nil)
        giver.send(.copy)
        giver.send(.withdraw)
        giver.send(.issue)
        giver.send(.issue)
        await giver.settle()
        let code = try #require(giver.model.code)
        giver.send(.copy)
        await giver.settle()
        #expect(world.heard.copied == [code.code] && !code.qrSVG.isEmpty)
        let tablet = world.anotherClient()
        try await tablet.logInAutomatically()
        let taker = await world.show(TransferEntryModel(), client: tablet)
        taker.send(.form(.typed(.transferCode, code.code.lowercased().replacingOccurrences(of: "-", with: " "))))
        #expect(taker.model.form.text(of: .transferCode) == code.code)
        taker.send(.form(.submit))
        await taker.settle()
        #expect(await tablet.currentUser?.id == user.id && taker.model.result?.leftUser != nil)
        // What becomes of the tablet's guest is to be read before the app goes on.
        #expect(taker.model.erasedAt != nil && world.heard.shown.isEmpty)
        #expect(taker.model.staysUntilRead, "a swipe would take it away unread")
        taker.send(.finished)
        #expect(!taker.model.staysUntilRead)
        taker.send(.form(.dismiss))
        await taker.settle()
        #expect(world.heard.shown.count == 1 && !world.heard.log.contains("transferEntry cancelled"))
        guard case .home(let shown)? = world.heard.shown.last else {
            Issue.record("\(world.heard.shown)")
            return
        }
        #expect(shown.id == user.id)
    }

    @Test("go on at once after a code where the device had nobody")
    func transferToNewDevice() async throws {
        let user = try await world.client.logInAutomatically().user
        let code = try await world.client.issueTransferCode().code
        let screen = await world.show(TransferEntryModel(), client: world.anotherClient())
        screen.send(.scanned(code))
        await screen.settle()
        #expect(screen.model.erasedAt == nil && screen.model.form.phase == .done)
        guard case .home(let shown)? = world.heard.shown.last else {
            Issue.record("\(world.heard.shown)")
            return
        }
        #expect(shown.id == user.id)
    }

    @Test("read the code from a QR code, bare or in a link, and refuse other pictures")
    func scan() async throws {
        try await world.client.logInAutomatically()
        let code = try await world.client.issueTransferCode().code
        for (text, isCode) in [
            ("https://example.com/", false), ("WIFI:T:WPA;S:home;;", false), (String(repeating: "A", count: 99), false),
            ("myapp://transfer?code=\(code)", true),
        ] {
            let screen = await world.show(TransferEntryModel(), client: world.anotherClient())
            screen.send(.scanned(text))
            await screen.settle()
            #expect((screen.model.result != nil) == isCode, "\(text)")
            #expect(isCode || screen.model.form[.transferCode]?.fault == .notACode)
        }
    }

    @Test("take a code away when it is over, withdrawn, or the screen is left")
    func codeEnds() async throws {
        try await world.client.logInAutomatically()
        let screen = await world.show(TransferCodeModel())
        screen.send(.issue)
        await screen.settle()
        await world.clock.waitForSleepers()
        world.clock.advance(by: .seconds(86_401))
        while screen.model.code != nil { await Task.yield() }
        #expect(screen.model.form.banner?.message == .key(.transferExpired))
        screen.send(.issue)
        await screen.settle()
        screen.send(.withdraw)
        await screen.settle()
        #expect(screen.model.code == nil && world.heard.outcomes.last == .transferCodeWithdrawn)
        screen.send(.issue)
        await screen.settle()
        screen.send(.form(.disappeared))
        #expect(screen.model.code == nil)
    }

    @Test("tell of a transfer code that leads nowhere", arguments: ["ACDE-FGHJ-KMNP-QRTW", "short", ""])
    func wrongTransferCode(code: String) async throws {
        let screen = await world.show(TransferEntryModel())
        screen.send(.form(.typed(.transferCode, code)))
        screen.send(.form(.submit))
        await screen.settle()
        #expect(screen.model.result == nil && screen.model.form.banner != nil)
        if code == "short" { #expect(screen.model.form[.transferCode]?.fault == .notACode) }
    }

    @Test("list log-ins, this device first, and end them after a question")
    func sessions() async throws {
        _ = try await world.client.signUp(username: "hana", password: password)
        for seed in 0..<2 {
            world.clock.advance(by: .seconds(60))
            let other = OkaeriClient(
                server: world.server.url, application: "demo", vault: TestVault(), transport: world.server,
                configuration: OkaeriConfiguration(device: DeviceInfo(name: "Tablet \(seed)")), clock: world.clock,
                randomness: TestRandomness(seed: UInt64(20 + seed)))
            try await other.logIn(identifier: "hana", password: password)
        }
        let screen = await world.show(SessionsModel())
        let list = try #require(screen.model.sessions)
        #expect(list.map(\.isCurrent) == [true, false, false] && screen.model.hasOthers)
        screen.send(.confirmed)
        screen.send(.remove("nobody"))
        #expect(screen.model.question == nil)
        screen.send(.remove(list[1].id))
        #expect(screen.model.question == .remove(list[1]))
        screen.send(.refused)
        screen.send(.remove(list[1].id))
        screen.send(.confirmed)
        await screen.settle()
        #expect(screen.model.sessions?.count == 2 && world.server.sessionCount == 2)
        screen.send(.removeOthers)
        screen.send(.confirmed)
        await screen.settle()
        #expect(screen.model.sessions?.count == 1 && !screen.model.hasOthers)
        #expect(world.heard.outcomes == [.sessionsEnded(count: 1), .sessionsEnded(count: 1)])
        screen.send(.removeOthers)
        #expect(screen.model.question == nil)
        screen.send(.reload)
        await screen.settle()
        screen.send(.remove(list[0].id))
        screen.send(.confirmed)
        await screen.settle()
        #expect(await world.client.currentUser == nil && world.heard.shown == [.logIn(identifier: "")])
    }

    @Test("show no log-ins any more of who has ended their own, and list those of who comes next")
    func sessionsOfBefore() async throws {
        _ = try await world.client.signUp(username: "hana", password: password)
        try await world.anotherClient().logIn(identifier: "hana", password: password)
        let screen = await world.show(SessionsModel())
        screen.send(.remove(try #require(screen.model.sessions?.first?.id)))
        screen.send(.confirmed)
        await screen.settle()
        #expect(await world.client.currentUser == nil && screen.model.sessions == nil)
        _ = try await world.client.signUp(username: "kenji", password: password)
        screen.send(.reload)
        await screen.settle()
        #expect(screen.model.sessions?.map(\.isCurrent) == [true])
    }

    @Test("delete the account after the word was typed, give everything before, and bring it back")
    func deletion() async throws {
        let user = try await world.client.logInAutomatically().user
        let screen = await world.show(DeletionModel(word: "DELETE"))
        screen.send(.restore)
        screen.send(.form(.typed(.confirmation, "no")))
        screen.send(.form(.submit))
        await screen.settle()
        #expect(screen.model.form[.confirmation]?.fault == .notAChoice && !screen.model.isConfirmed)
        screen.send(.export)
        await screen.settle()
        #expect(screen.model.exported?.isEmpty == false)
        screen.send(.form(.typed(.confirmation, " ｄelete ")))
        #expect(screen.model.isConfirmed)
        screen.send(.form(.submit))
        await screen.settle()
        #expect(screen.model.erasedAt == world.clock.now.addingTimeInterval(7 * 86_400))
        #expect(await world.client.currentUser == nil)
        screen.send(.export)
        screen.send(.form(.submit))
        screen.send(.restore)
        await screen.settle()
        #expect(await world.client.currentUser?.id == user.id && screen.model.isRestored)
        #expect(world.heard.outcomes.count == 3)
    }

    @Test("ask whether it is still the person, by password or by a mailed code")
    func reauthentication() async throws {
        let user = try await world.client.signUp(username: "hana", email: "hana@example.com", password: password)
        #expect(!ReauthenticationModel(user, for: .deletion).canMailCode)
        world.server.verify(email: "hana@example.com")
        let verified = try await world.client.reloadUser()
        let screen = await world.show(ReauthenticationModel(verified, for: .deletion))
        screen.send(.form(.typed(.password, "wrong")))
        screen.send(.form(.submit))
        await screen.settle()
        #expect(world.heard.errors == [.credentialRefused])
        screen.send(.form(.typed(.password, password)))
        screen.send(.form(.submit))
        await screen.settle()
        #expect(world.heard.outcomes == [.presenceProved] && world.heard.log.last == "close")
        let other = await world.show(ReauthenticationModel(verified, for: .deletion))
        other.send(.provider(.apple))
        other.send(.mailCode)
        await other.settle()
        #expect(!other.model.canMailCode)
        other.send(.form(.typed(.code, try #require(world.server.mails.last?.code))))
        await other.settle()
        #expect(world.heard.outcomes.last == .presenceProved)
    }

    @Test("prove an anonymous user by the device's key alone, and others by the provider that they have")
    func keyAndProvider() async throws {
        let user = try await world.client.logInAutomatically().user
        let screen = await world.show(ReauthenticationModel(user, for: .deletion))
        #expect(screen.model.form.phase == .done && world.heard.log == ["reauthentication succeeded", "close"])
        let linked = try await world.client.link(.apple(.test(user: "hana")))
        let apple = await world.show(
            ReauthenticationModel(linked, for: .deletion),
            credentials: TestCredentials(credential: .apple(.test(user: "hana"))))
        #expect(apple.model.providers.map(\.provider) == [.apple])
        apple.send(.provider(.apple))
        await apple.settle()
        #expect(world.heard.outcomes == [.presenceProved, .presenceProved])
    }

    @Test("say so where nothing of the account can prove the person")
    func nothingToProveBy() async throws {
        func model(
            isAnonymous: Bool = false, email: String? = nil, hasPassword: Bool = false
        ) -> ReauthenticationModel {
            ReauthenticationModel(
                ScreenReports.user(isAnonymous: isAnonymous, email: email, hasPassword: hasPassword), for: .deletion)
        }
        #expect(model().hasNoProof)
        #expect(!model(isAnonymous: true).hasNoProof)
        #expect(!model(email: "hana@example.com").hasNoProof && !model(hasPassword: true).hasNoProof)
        // It asks nobody, and the person can leave.
        let screen = await world.show(model())
        #expect(world.server.requests.isEmpty)
        screen.send(.form(.dismiss))
        await screen.settle()
        #expect(world.heard.log == ["reauthentication cancelled", "close"])
    }

    @Test("lead to that question when the server asks it, and go on by themselves afterwards")
    func presence() async throws {
        _ = try await world.client.logInAutomatically()
        let problem = Problem(title: "", status: 403, code: .reauthenticationRequired)
        world.server.fail(.problem(problem), path: APIPath.user)
        let screen = await world.show(DeletionModel(word: "DELETE"))
        screen.send(.form(.presenceProved))
        screen.send(.form(.typed(.confirmation, "DELETE")))
        screen.send(.form(.submit))
        await screen.settle()
        #expect(world.heard.shown == [.reauthentication(for: .deletion)] && world.heard.errors.isEmpty)
        screen.send(.form(.presenceProved))
        await screen.settle()
        #expect(screen.model.erasedAt != nil)
    }
}

extension OkaeriError {
    static var conflictExpected: OkaeriError { .unexpectedResponse(status: 0) }
}
