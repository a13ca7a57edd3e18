import Foundation
import Okaeri
import OkaeriTesting
import OkaeriUI
import OkaeriWire
import Testing

@MainActor
@Suite("The screens that wait for a mail")
struct MailedCodeTests {
    let world = UIWorld()

    func makeUser() async throws -> User {
        let user = try await world.anotherClient().signUp(
            username: "hana", email: "hana@example.com", password: "a long enough secret")
        world.server.verify(email: "hana@example.com")
        return user
    }

    @Test("mail a code and log in as soon as a whole one is pasted, with spaces and full-width digits")
    func logIn() async throws {
        let user = try await makeUser()
        let screen = await world.show(CodeModel(email: "hana@example.com"))
        screen.send(.form(.submit))
        await screen.settle()
        #expect(screen.model.step == .code && screen.model.form.focus == .code)
        let code = try #require(world.server.mails.last?.code)
        let wide = code.unicodeScalars.compactMap { Unicode.Scalar($0.value + 0xfee0) }.map(String.init)
        screen.send(.form(.typed(.code, "コード：" + wide.prefix(4).joined() + " " + wide.dropFirst(4).joined())))
        await screen.settle()
        #expect(await world.client.currentUser?.id == user.id)
        guard case .loggedIn(_, by: .code)? = world.heard.outcomes.last else {
            Issue.record("\(world.heard.outcomes)")
            return
        }
    }

    @Test("say the same whether there is an account or not")
    func uniform() async throws {
        _ = try await makeUser()
        var banners: [ScreenMessage?] = []
        for address in ["hana@example.com", "nobody@example.com"] {
            let screen = await world.show(CodeModel(email: address))
            screen.send(.form(.submit))
            await screen.settle()
            banners.append(screen.model.form.banner?.message)
            #expect(screen.model.step == .code)
        }
        #expect(
            banners == ["hana@example.com", "nobody@example.com"].map { .key(.codeSent, ["name": $0]) })
        #expect(world.heard.log == ["should begin", "code succeeded", "should begin", "code succeeded"])
    }

    @Test("empty the field after a wrong code, and take the next one at once")
    func wrongCode() async throws {
        _ = try await makeUser()
        let screen = await world.show(CodeModel(email: "hana@example.com"))
        screen.send(.form(.submit))
        await screen.settle()
        screen.send(.form(.typed(.code, "00000000")))
        await screen.settle()
        #expect(world.heard.errors == [.codeRefused] && screen.model.form.text(of: .code).isEmpty)
        screen.send(.form(.typed(.code, try #require(world.server.mails.last?.code))))
        await screen.settle()
        #expect(screen.model.form.phase == .done)
    }

    @Test("send no second mail before the minute is over")
    func resend() async throws {
        _ = try await makeUser()
        let screen = await world.show(CodeModel(email: "hana@example.com"))
        screen.send(.form(.submit))
        await screen.settle()
        #expect(screen.model.resendPause?.secondsLeft == 60 && !screen.model.canResend)
        screen.send(.resend)
        await world.clock.waitForSleepers()
        world.clock.advance(by: .seconds(59))
        await world.clock.waitForSleepers()
        #expect(screen.model.resendPause?.secondsLeft == 1)
        world.clock.advance(by: .seconds(1))
        while screen.model.resendPause != nil { await Task.yield() }
        #expect(world.server.mails.count == 1)
        screen.send(.resend)
        screen.send(.resend)
        await screen.settle()
        #expect(world.server.mails.count == 2)
        screen.send(.otherAddress)
        #expect(screen.model.step == .address && screen.model.form.text(of: .email) == "hana@example.com")
    }

    @Test("verify the address of a new account, whose code is mailed when the screen appears")
    func verification() async throws {
        _ = try await world.client.signUp(
            username: "hana", email: "hana@example.com", password: "a long enough secret")
        let screen = await world.show(CodeModel(.verification, email: "hana@example.com", digitCount: 8))
        screen.send(.otherAddress)
        #expect(screen.model.step == .code)
        screen.send(.form(.typed(.code, try #require(world.server.mails.last?.code))))
        await screen.settle()
        guard case .emailVerified(let user)? = world.heard.outcomes.last else {
            Issue.record("\(world.heard.outcomes)")
            return
        }
        #expect(user.emailVerified && world.heard.shown == [.home(user)])
    }

    @Test("reset a forgotten password, in ParseUI's words, and lead to the log-in")
    func reset() async throws {
        _ = try await makeUser()
        let screen = await world.show(ResetModel())
        screen.send(.form(.typed(.email, "hana@example.com")))
        screen.send(.form(.submit))
        await screen.settle()
        let banner = try #require(screen.model.form.banner)
        let words = ScreenTexts(languages: ["en"])(banner.message).filter { !"\u{2068}\u{2069}".contains($0) }
        #expect(words == "An email with reset instructions has been sent to 'hana@example.com'.")
        screen.send(.form(.typed(.token, try #require(world.server.mails.last?.code))))
        screen.send(.form(.typed(.password, "short")))
        screen.send(.form(.submit))
        await screen.settle()
        #expect(screen.model.form[.password]?.fault == .tooShort(minimum: 8))
        screen.send(.form(.typed(.password, "wind over the sea 7")))
        screen.send(.form(.submit))
        await screen.settle()
        #expect(screen.model.step == .done && world.heard.shown == [.logIn(identifier: "hana@example.com")])
        #expect(world.heard.outcomes == [.mailed(to: "hana@example.com"), .passwordReset])
        #expect(
            try await world.client.logIn(identifier: "hana", password: "wind over the sea 7").user.username == "hana")
    }

    @Test("begin with the new password when the app was opened by the mail's link, and tell when it is too old")
    func link() async throws {
        let screen = await world.show(ResetModel(token: "Token"))
        #expect(screen.model.step == .newPassword && screen.model.form.focus == .password)
        screen.send(.form(.typed(.password, "wind over the sea 7")))
        screen.send(.form(.submit))
        await screen.settle()
        #expect(world.heard.errors == [.codeRefused] && screen.model.form.focus == .token)
        screen.send(.resend)
        screen.send(.otherAddress)
        screen.send(.haveCode)
        #expect(screen.model.step == .newPassword && world.server.mails.isEmpty)
        screen.send(.logIn)
        await screen.settle()
        #expect(world.heard.shown == [.logIn(identifier: "")])
    }

    @Test("take any text for a code and make digits of it", arguments: HostileText.all)
    func hostile(text: String) async throws {
        let screen = await world.show(CodeModel(email: text))
        screen.send(.form(.typed(.email, text)))
        screen.send(.form(.submit))
        await screen.settle()
        #expect(screen.model.step == .address)
        #expect(CodeText.digits(text, atMost: 8).allSatisfy { ("0"..."9").contains($0) })
        #expect(CodeText.grouped(text, atMost: 16).utf8.count <= 19)
        let reset = await world.show(ResetModel(email: text, token: text))
        reset.send(.form(.typed(.token, text)))
        reset.send(.form(.typed(.password, text)))
        reset.send(.form(.submit))
        await reset.settle()
        #expect(reset.model.form.phase == .idle)
    }

    @Test(
        "read codes as people type and dictate them",
        arguments: [
            ("1234 5678", "12345678"), ("１２３４－５６７８", "12345678"), ("١٢٣٤", "1234"), ("code: 12.", "12"), ("", ""),
        ])
    func digits(text: String, digits: String) {
        #expect(CodeText.digits(text, atMost: 8) == digits)
    }
}
