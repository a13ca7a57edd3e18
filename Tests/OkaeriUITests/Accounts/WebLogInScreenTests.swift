import Foundation
import Okaeri
import OkaeriTesting
import OkaeriUI
import OkaeriWire
import Testing

/// A person in front of the hosted pages, who logs in there as somebody or closes the browser.
private struct FakeBrowser: WebLogInBrowser {
    let server: InMemoryServer
    let user: User.ID?
    let opened = Protected<[URL]>([])

    func open(_ address: URL, redirect: URL) async throws(OkaeriError) -> URL {
        opened.withValue { $0.append(address) }
        guard let user, let back = server.visit(address, as: user) else { throw .cancelled }
        return back
    }
}

@MainActor
@Suite("Log-in with the browser, from the log-in screen")
struct WebLogInScreenTests {
    let world = UIWorld()
    let memory = TestMemory()
    private let redirect = URL(string: "com.example.app:/back") ?? URL(fileURLWithPath: "/")

    private func screen(
        _ browser: (any WebLogInBrowser)?, fields: LogInFields = [.default, .webLogIn]
    ) async throws -> ScreenRunner<LogInModel> {
        await world.show(
            try LogInModel(LogInOptions(fields: fields)), memory: memory,
            web: browser.map { WebLogInWay($0, redirect: redirect) })
    }

    private func hana() async throws -> User {
        try await world.anotherClient().signUp(username: "hana", password: "a long enough secret")
    }

    @Test("logs in the user who logs in there, tells the app as other ways do, and is remembered")
    func whole() async throws {
        let user = try await hana()
        let browser = FakeBrowser(server: world.server, user: user.id)
        let screen = try await screen(browser)
        screen.send(.form(.typed(.username, " hana ")))
        screen.send(.web)
        await screen.settle()
        #expect(world.heard.log == ["logIn succeeded", "show"])
        guard case .loggedIn(let welcome, by: .web)? = world.heard.outcomes.first else {
            Issue.record("\(world.heard.outcomes)")
            return
        }
        #expect(welcome.user.id == user.id && world.heard.shown == [.home(welcome.user)])
        #expect(memory.last() == .web && screen.model.form.phase == .done)
        let address = try #require(browser.opened.withValue { $0 }.first?.absoluteString)
        #expect(address.contains("login_hint=hana&") || address.hasSuffix("login_hint=hana"))
        #expect(address.contains("code_challenge_method=S256"))
    }

    @Test("says nothing when the person closes the browser, and can be pressed again")
    func closed() async throws {
        let screen = try await screen(FakeBrowser(server: world.server, user: nil))
        for _ in 0..<2 {
            screen.send(.web)
            await screen.settle()
            #expect(screen.model.form.phase == .idle && screen.model.form.banner == nil)
        }
        #expect(world.heard.log.isEmpty)
    }

    @Test("tells what went wrong: an answer of somebody else's, and an app without a browser")
    func refused() async throws {
        struct Liar: WebLogInBrowser {
            func open(_ address: URL, redirect: URL) async throws(OkaeriError) -> URL {
                URL(string: "\(redirect.absoluteString)?code=x&state=y") ?? redirect
            }
        }
        for browser in [Liar(), nil] as [(any WebLogInBrowser)?] {
            let screen = try await screen(browser)
            screen.send(.web)
            await screen.settle()
            #expect(screen.model.form.banner?.kind == .failure && screen.model.form.isEnabled)
        }
        #expect(
            world.heard.log == ["logIn failed: issuer_mismatch", "logIn failed: pages_unavailable"]
                || world.heard.log == ["logIn failed: state_mismatch", "logIn failed: pages_unavailable"])
    }

    @Test("is no part of a screen that does not offer it, nor of one whose server has no pages")
    func offered() async throws {
        let browser = FakeBrowser(server: world.server, user: try await hana().id)
        let screen = try await screen(browser, fields: .default)
        screen.send(.web)
        await screen.settle()
        #expect(browser.opened.withValue { $0 }.isEmpty && world.heard.log.isEmpty)
        let bare = ApplicationProfile(id: "a", name: "A")
        #expect(!LogInOptions(bare, fields: [.default, .webLogIn]).fields.contains(.webLogIn))
        let pages = ApplicationProfile(id: "a", name: "A", pages: ProfilePages(issuer: "https://id.example.com/a/a"))
        #expect(LogInOptions(pages, fields: [.default, .webLogIn]).fields.contains(.webLogIn))
        #expect(try LogInModel(LogInOptions(fields: .webLogIn)).form.fields.isEmpty)
    }
}
