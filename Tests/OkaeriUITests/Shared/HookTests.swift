import Foundation
import Okaeri
import OkaeriTesting
import OkaeriUI
import OkaeriWire
import Testing

@MainActor
@Suite("What apps hear from screens")
struct HookTests {
    let world = UIWorld()

    /// An app that had ParseUI's delegate.
    final class Delegate: ScreenDelegate {
        var log: [String] = []

        func didFail(_ screen: ScreenName, with error: OkaeriError) async -> Bool {
            log.append(error.code)
            return true
        }
    }

    @Test("begins with whether there is somewhere to copy a text to: a button that does nothing is not shown")
    func copying() {
        var surroundings = ScreenSurroundings(client: world.client, copy: nil)
        #expect(!ScreenRunner(TransferCodeModel(), in: surroundings).canCopy)
        surroundings.copy = { _ in }
        #expect(ScreenRunner(TransferCodeModel(), in: surroundings).canCopy)
        let isThere = ScreenSurroundings.systemCopy != nil
        #expect(ScreenRunner(TransferCodeModel(), in: ScreenSurroundings(client: world.client)).canCopy == isThere)
    }

    @Test("reaches a delegate that has only some of the methods, and does not keep it alive")
    func delegate() async throws {
        var delegate: Delegate? = Delegate()
        weak let kept = delegate
        let hooks = ScreenHooks(try #require(delegate))
        let screen = ScreenRunner(
            try LogInModel(identifier: "hana"), in: ScreenSurroundings(client: world.client, clock: world.clock),
            hooks: hooks)
        screen.send(.form(.typed(.password, "wrong")))
        screen.send(.form(.submit))
        await screen.settle()
        #expect(delegate?.log == ["credential_refused"] && screen.model.form.banner == nil)
        delegate = nil
        #expect(kept == nil)
        screen.send(.form(.submit))
        await screen.settle()
        #expect(screen.model.form.banner != nil)
        screen.send(.form(.dismiss))
        await screen.settle()
    }

    @Test("is posted as notifications too, as ParseUI did")
    func notifications() async throws {
        let screen = await world.show(TransferEntryModel(), client: world.anotherClient())
        let posted = Protected<[String]>([])
        let observers = ["success", "failure", "cancel"].map { word in
            NotificationCenter.default.addObserver(
                forName: Notification.Name("okaeri.ui.transferEntry.\(word)"), object: screen, queue: nil
            ) { _ in posted.withValue { $0.append(word) } }
        }
        defer { for observer in observers { NotificationCenter.default.removeObserver(observer) } }
        screen.send(.form(.typed(.transferCode, "ACDE-FGHJ-KMNP-QRTW")))
        screen.send(.form(.submit))
        await screen.settle()
        screen.send(.form(.dismiss))
        await screen.settle()
        #expect(posted.withValue { $0 } == ["failure", "cancel"])
    }

    @Test("remembers the way of the last log-in and nothing else, and forgets it")
    func memory() {
        let memory = DefaultsMethodMemory(application: "test-\(ProcessInfo.processInfo.globallyUniqueString)")
        #expect(memory.last() == nil)
        memory.remember(.provider(.google))
        #expect(memory.last() == .provider(.google))
        memory.remember(nil)
        #expect(memory.last() == nil)
        #expect(NoMethodMemory().last() == nil)
    }

    @Test("says that a screen without providers has none")
    func noProviders() async throws {
        let options = SignUpOptions(providers: [ProviderOption(.apple)])
        let screen = await world.show(SignUpModel(options))
        screen.send(.provider(.google))
        screen.send(.provider(.apple))
        await screen.settle()
        #expect(world.heard.log == ["signUp failed: provider_not_enabled"])
        screen.send(.logIn)
        await screen.settle()
        #expect(world.heard.shown == [.logIn(identifier: "")])
        let apple = await world.show(
            SignUpModel(options), credentials: TestCredentials(credential: .apple(.test(user: "hana"))))
        apple.send(.provider(.apple))
        await apple.settle()
        guard case .loggedIn(_, by: .provider(.apple))? = world.heard.outcomes.last else {
            Issue.record("\(world.heard.outcomes)")
            return
        }
    }

    @Test("tells of a deleted account that a mailed code leads to, and brings it back")
    func restoreByCode() async throws {
        let elsewhere = world.anotherClient()
        _ = try await elsewhere.signUp(username: "hana", email: "hana@example.com", password: "a long enough secret")
        world.server.verify(email: "hana@example.com")
        _ = try await elsewhere.deleteUser()
        let screen = await world.show(CodeModel(email: "hana@example.com"))
        screen.send(.form(.submit))
        await screen.settle()
        let problem = Problem(title: "", status: 403, code: .userDeleted)
        world.server.fail(.problem(problem), path: APIPath.logInWithCode)
        screen.send(.form(.typed(.code, try #require(world.server.mails.last?.code))))
        await screen.settle()
        #expect(screen.model.form.banner?.offersRestoring == true)
        screen.send(.restore)
        await screen.settle()
        #expect(await world.client.currentUser?.username == "hana")
    }

    @Test("does not undo where a form puts the focus before a view has put it there, and hears where a person puts it")
    func focus() {
        var watch = FocusWatch()
        var heard: [FieldID?] = []
        // A view appears without a focus while its form wants one, puts it there, and follows the form to the next field.
        let steps: [(focus: FieldID?, wanted: FieldID?)] = [
            (nil, .code), (.code, .code), (.password, .password), (.email, .password), (.email, .email), (nil, .email),
        ]
        for step in steps where watch.takes(step.focus, wanted: step.wanted) { heard.append(step.focus) }
        let expected: [FieldID?] = [.email, nil]
        #expect(heard == expected)
    }

    @Test("shows no secret in the app switcher, a revealed password neither: marking it changes nothing there")
    func covered() throws {
        let views = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../Sources/OkaeriUI/Views").standardizedFileURL
        let files = try FileManager.default.contentsOfDirectory(at: views, includingPropertiesForKeys: nil)
        let marked = try files.filter { try String(contentsOf: $0, encoding: .utf8).contains("privacySensitive(") }
        #expect(marked.map(\.lastPathComponent) == ["SecretCover.swift"])
    }
}
