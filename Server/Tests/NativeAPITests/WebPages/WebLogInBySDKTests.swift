import Domain
import Foundation
import Okaeri
import OkaeriWire
import Testing

/// The SDK and the real routes, with a person at the pages in between.
@Suite("Web log-in by the SDK")
struct WebLogInBySDKTests {
    static let password = "correct horse battery"
    private let redirect = URL(string: "com.example.app:/back") ?? URL(fileURLWithPath: "/")

    /// A person who signs up on the pages, or presses the button of somebody who is logged in there.
    private struct Person: WebLogInBrowser {
        let browser: Browser
        var name = "hana"

        func open(_ address: URL, redirect: URL) async throws(OkaeriError) -> URL {
            do {
                let asked = address.absoluteString.replacing(TestServer.url, with: "")
                let first = try await browser.get(asked)
                var back = first
                if let logIn = first.location, logIn.hasPrefix("/") {
                    let page = logIn.replacing("/log-in?", with: "/sign-up?")
                    let shown = try await browser.get(page)
                    back = try await browser.post(
                        page, ["username": name, "password": WebLogInBySDKTests.password], token: shown.token)
                } else if first.location == nil {
                    back = try await browser.post(asked, ["choice": "continue"], token: first.token)
                }
                guard let url = back.location.flatMap({ URL(string: $0) }) else { throw OkaeriError.cancelled }
                return url
            } catch {
                throw .cancelled
            }
        }
    }

    private func server(proofRequired: Bool = false) async throws -> TestServer {
        try await TestServer(
            settings: ["public-url": TestServer.url],
            application: ApplicationSettings(proofRequired: proofRequired, redirectAddresses: ["com.example.app:/back"])
        )
    }

    @Test("makes an app be logged in from then on, also where every request needs a proof", arguments: [false, true])
    func whole(proofRequired: Bool) async throws {
        let server = try await server(proofRequired: proofRequired)
        let vault = MemoryVault()
        let okaeri = try SDKClient.make(server, vault)
        let guest = try await okaeri.logInAutomatically().user
        let browser = Browser(server)
        let hana = try await okaeri.logIn(through: Person(browser: browser), redirect: redirect).user
        #expect(hana.username == "hana" && hana.id != guest.id)
        #expect(try await okaeri.reloadUser().id == hana.id)
        // On another phone one press of a button is enough.
        let phone = try SDKClient.make(server)
        #expect(try await phone.logIn(through: Person(browser: browser), redirect: redirect).user.id == hana.id)
        // The session ends; the key that joined brings the same user back.
        server.clock.advance(by: .days(61))
        #expect(try await okaeri.reloadUser().id == hana.id)
        #expect(try await SDKClient.make(server, vault).logInAutomatically().user.id == hana.id)
    }

    @Test("tells the app what the server refuses")
    func refused() async throws {
        let server = try await server()
        let okaeri = try SDKClient.make(server)
        let options = WebLogInOptions(prompt: .nothing)
        await #expect(throws: OkaeriError.webLogInRefused(.loginRequired)) {
            try await okaeri.logIn(
                through: Person(browser: Browser(server)), redirect: redirect, options: options)
        }
        let request = try await okaeri.beginWebLogIn(redirect: redirect)
        let back = try await Person(browser: Browser(server)).open(request.address, redirect: redirect)
        #expect(try await okaeri.finish(request, with: back).user.username == "hana")
        await #expect(throws: OkaeriError.webLogInRefused(.codeRefused)) {
            try await okaeri.finish(request, with: back)
        }
    }
}
