import Foundation
import Okaeri
import OkaeriTesting
import OkaeriUI
import OkaeriWire
import Testing

@Suite("What screens are drawn from")
struct PictureTests {
    @Test("is a QR code in bars, read from the server's document")
    func picture() throws {
        let svg = """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 29 29" shape-rendering="crispEdges">\
            <path fill="#fff" d="M0 0h29v29h-29z"/><path d="M4 4h7v1h-7zM13 4h2v1h-2zM4 24h25v1h-25z"/></svg>
            """
        let picture = try #require(QRPicture(svg: svg))
        #expect(picture.side == 29 && picture.bars.count == 3)
        #expect(picture.bars.map(\.column) == [4, 13, 4] && picture.bars.map(\.length) == [7, 2, 25])
    }

    @Test(
        "is nothing when the document is another one",
        arguments: [
            "", "<svg viewBox=\"0 0 1 1\"/>", "<svg viewBox=\"0 0 29 29\"><path d=\"M99 0h1v1h-1z\"/>",
            "<svg viewBox=\"0 0 29 29\"><path d=\"M1 1h1v2h-1z\"/>", "<svg viewBox=\"0 0 29 29\"><path d=\"\"/>",
            "<svg viewBox=\"0 0 29 29\"><path d=\"M1 1h99999999999999999999v1h-1z\"/>",
            "<svg viewBox=\"0 0 29 29\"><path d=\"M9223372036854775807 1h1v1h-1z\"/>",
            "<svg viewBox=\"0 0 29 29\"><path d=\"M1 1h9223372036854775807v1h-9223372036854775807z\"/>",
            "<svg viewBox=\"0 0 29 29\"><path d=\"M1 9223372036854775807h1v1h-1z\"/>",
            "<svg viewBox=\"0 0 9223372036854775807 9223372036854775807\"><path d=\"M1 1h1v1h-1z\"/>",
            "<svg viewBox=\"0 0 9999 9999\"><path d=\"M1 1h1v1h-1z\"/>",
        ])
    func noPicture(svg: String) {
        #expect(QRPicture(svg: svg) == nil)
    }

    @Test("tells systems what can be filled in where")
    func traits() {
        #expect(FieldTraits(.oneTimeCode).content == .oneTimeCode && FieldTraits(.newPassword).content == .newPassword)
        #expect(FieldTraits(.identifier).content == .username && FieldTraits(.password).content == .password)
        #expect(FieldTraits(.email).isLeftToRight && !FieldTraits(.name).isLeftToRight)
        let ids = ScreenName.allCases.map { $0.identifier(.custom("town")) }
        #expect(ids.first == "okaeri.logIn.custom.town" && Set(ids).count == ids.count)
    }
}

@Suite("Screens on each other")
struct ScreenStackTests {
    @Test("lead onwards once, and back to a log-in that is below")
    func go() {
        var stack = ScreenStack(root: .logIn(identifier: ""))
        stack.go(to: .signUp(identifier: "hana"))
        stack.go(to: .signUp(identifier: "hana"))
        #expect(stack.path.count == 1)
        stack.go(to: .verification(email: "hana@example.com"))
        // Nothing leads back to the screen that made the account.
        #expect(stack.path == [.verification(email: "hana@example.com")] && !stack.close())
        stack.go(to: .logIn(identifier: "hana"))
        #expect(stack.path.isEmpty && !stack.close())
        var other = ScreenStack(root: .upgrade)
        other.go(to: .logIn(identifier: ""))
        // A double tap.
        other.go(to: .logIn(identifier: ""))
        #expect(other.path == [.logIn(identifier: "")] && other.close() && other.path.isEmpty)
    }

    @Test("pass a proof of presence on to the screen that asked for it, and nothing else")
    func presence() {
        var stack = ScreenStack(root: .deletion)
        stack.hear(.presenceProved, from: .reauthentication)
        #expect(stack.proof.count == 0)
        stack.go(to: .reauthentication(for: .deletion))
        stack.hear(.mailed(to: "hana@example.com"), from: .reauthentication)
        stack.hear(.presenceProved, from: .deletion)
        #expect(stack.proof.count == 0)
        stack.hear(.presenceProved, from: .reauthentication)
        #expect(stack.proof == .init(count: 1, screen: .deletion))
    }

    @Test("tell nobody of the proof of before when the person goes back without another one")
    func backWithoutProof() {
        var stack = ScreenStack(root: .deletion)
        stack.go(to: .reauthentication(for: .deletion))
        stack.hear(.presenceProved, from: .reauthentication)
        let isClosed = stack.close()
        #expect(isClosed && stack.proof.screen == .deletion)
        stack.go(to: .reauthentication(for: .deletion))
        stack.path = []
        #expect(stack.proof == .init(count: 1))
    }

    @Test("end with the user who came in")
    func home() async throws {
        let server = InMemoryServer()
        let client = OkaeriClient(
            server: server.url, application: "demo", vault: TestVault(), transport: server)
        let user = try await client.logInAutomatically().user
        var stack = ScreenStack(root: .logIn(identifier: ""))
        stack.go(to: .home(user))
        #expect(stack.user == user && stack.path.isEmpty)
    }
}
