import Foundation
import Okaeri
import OkaeriTesting
import OkaeriUI
import OkaeriWire
import Testing

@MainActor
@Suite("What a person has saved on the system")
struct SavedCredentialTests {
    let world = UIWorld()
    let password = "a long enough secret"
    let options = LogInOptions(fields: [.default, .savedCredentials])

    @Test("logs in when the screen appears, by a password of the Keychain")
    func keychain() async throws {
        _ = try await world.anotherClient().signUp(username: "hana", password: password)
        let memory = TestMemory()
        let saved = TestSaved(saved: .password(SavedPassword(identifier: "hana", password: password)))
        let screen = await world.show(try LogInModel(options), memory: memory, saved: saved)
        #expect(await world.client.currentUser?.username == "hana" && screen.model.form.phase == .done)
        #expect(world.heard.log == ["logIn succeeded", "show"] && memory.last() == .password)
        #expect(world.heard.submissions.isEmpty)
    }

    @Test("logs in by Sign in with Apple too")
    func apple() async throws {
        let memory = TestMemory()
        _ = await world.show(
            try LogInModel(options), memory: memory, saved: TestSaved(saved: .apple(.test(user: "hana"))))
        #expect(await world.client.currentUser != nil && memory.last() == .provider(.apple))
    }

    @Test("is no reason for a word when there is none, and leaves the screen ready", arguments: [true, false])
    func nothing(hasSource: Bool) async throws {
        let screen = await world.show(try LogInModel(options), saved: hasSource ? TestSaved() : nil)
        #expect(world.heard.log.isEmpty && screen.model.form.isEnabled && screen.model.form.banner == nil)
    }

    @Test("is no reason for a word either where the system cannot offer any")
    func unavailable() async throws {
        let saved = TestSaved(refusal: .providerRefused(.providerRefused))
        let screen = await world.show(try LogInModel(options), saved: saved)
        #expect(world.heard.log.isEmpty && screen.model.form.isEnabled && screen.model.form.banner == nil)
    }

    @Test("is not asked for unless the app wants it")
    func notWanted() async throws {
        _ = try await world.anotherClient().signUp(username: "hana", password: password)
        let saved = TestSaved(saved: .password(SavedPassword(identifier: "hana", password: password)))
        _ = await world.show(try LogInModel(), saved: saved)
        #expect(await world.client.currentUser == nil)
    }

    @Test("says at the password when what was saved is an old one")
    func oldPassword() async throws {
        _ = try await world.anotherClient().signUp(username: "hana", password: password)
        let saved = TestSaved(saved: .password(SavedPassword(identifier: "hana", password: "an older secret")))
        let screen = await world.show(try LogInModel(options), saved: saved)
        #expect(world.heard.errors == [.credentialRefused] && screen.model.form.focus == .password)
        #expect(screen.model.form.banner?.message == .key(.logInMismatch))
    }

    @Test("never prints the password")
    func redaction() {
        let saved = SavedCredential.password(SavedPassword(identifier: "hana", password: password))
        var dumped = ""
        dump(saved, to: &dumped)
        #expect(!dumped.contains(password) && !"\(saved)".contains(password))
    }
}
