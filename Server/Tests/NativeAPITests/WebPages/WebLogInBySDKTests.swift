import Domain
import Foundation
import HTTPTypes
import Okaeri
import OkaeriWire
import Testing

/// The SDK and the real routes, with a person at the pages in between.
@Suite("Web log-in by the SDK")
struct WebLogInBySDKTests {
    static let password = "correct horse battery"
    private let redirect = URL(string: "com.example.app:/back") ?? URL(fileURLWithPath: "/")

    /// Carries the SDK's requests to the server under test.
    private struct Wire: Transport {
        let server: TestServer

        func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
            let parts = URLComponents(url: request.url, resolvingAgainstBaseURL: false)
            let path = (parts?.percentEncodedPath ?? "/") + (parts?.percentEncodedQuery.map { "?\($0)" } ?? "")
            do {
                let answer = try await server.send(
                    HTTPRequest.Method(rawValue: request.method) ?? .get, path,
                    request.headers.all.map { ($0.key, $0.value) }, bytes: request.body.map(Array.init),
                    isNamed: false)
                var headers = HeaderFields()
                for field in answer.headers { headers[field.name.canonicalName] = field.value }
                return TransportResponse(status: answer.status, headers: headers, body: Data(answer.text.utf8))
            } catch {
                throw .unreachable("\(error)")
            }
        }
    }

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

    private struct Now: Okaeri.WallClock {
        let server: TestServer
        var now: Date { Date(timeIntervalSince1970: Double(server.clock.now.milliseconds) / 1000) }
        func sleep(for duration: Duration) async throws(CancellationError) {}
    }

    private func client(_ server: TestServer, _ vault: MemoryVault = MemoryVault()) throws -> OkaeriClient {
        OkaeriClient(
            server: try #require(URL(string: TestServer.url)), application: server.application.id.rawValue,
            vault: vault, transport: Wire(server: server),
            configuration: OkaeriConfiguration(worksInBackground: false), clock: Now(server: server))
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
        let okaeri = try client(server, vault)
        let guest = try await okaeri.logInAutomatically().user
        let browser = Browser(server)
        let hana = try await okaeri.logIn(through: Person(browser: browser), redirect: redirect).user
        #expect(hana.username == "hana" && hana.id != guest.id)
        #expect(try await okaeri.reloadUser().id == hana.id)
        // On another phone one press of a button is enough.
        let phone = try client(server)
        #expect(try await phone.logIn(through: Person(browser: browser), redirect: redirect).user.id == hana.id)
        // The session ends; the key that joined brings the same user back.
        server.clock.advance(by: .days(61))
        #expect(try await okaeri.reloadUser().id == hana.id)
        #expect(try await client(server, vault).logInAutomatically().user.id == hana.id)
    }

    @Test("tells the app what the server refuses")
    func refused() async throws {
        let server = try await server()
        let okaeri = try client(server)
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
