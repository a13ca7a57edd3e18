import Foundation
import Okaeri

/// The scenes of `okaeri demo apple`.
struct DemoApplePlay: Sendable {
    /// How often is asked whether Apple has revoked the grant of an unlinked user, four times a second.
    private static let patience = 240

    let server: URL
    let application: String
    let fake: DemoApple
    let language: DemoLanguage

    struct Step: Encodable, Sendable {
        /// The scene's stable name.
        let scene: String
        let title: String
        let outcome: String
        /// The user that it ended with.
        let user: String?
    }

    /// Plays all scenes but the last.
    ///
    /// - Returns: the scenes, and the phone of the person whom the last one is about.
    /// - Throws: `OkaeriError` when a scene goes wrong.
    func steps() async throws(OkaeriError) -> (steps: [Step], phone: OkaeriClient) {
        let texts = language.appleTexts
        let (hana, taro) = ("hana-\(application)", "taro-\(application)")
        let phone = device()
        var steps: [Step] = []

        let new = try await phone.logIn(with: .apple(try await signIn(hana, name: "花"))).user
        steps.append(
            Step(scene: "sign-up", title: texts.signUp, outcome: texts.greets(new.displayName ?? ""), user: new.id))

        let known = try await device().logIn(with: .apple(try await signIn(hana))).user
        steps.append(
            Step(scene: "log-in", title: texts.logIn, outcome: texts.sameUser(known.id == new.id), user: known.id))

        let other = device()
        let anonymous = try await other.logInAutomatically().user
        let linked = try await other.link(.apple(try await signIn(taro)))
        steps.append(
            Step(scene: "link", title: texts.link, outcome: texts.sameUser(linked.id == anonymous.id), user: linked.id))

        let third = device()
        try await third.logInAutomatically()
        let merged = try await merge(third, with: try await signIn(hana))
        steps.append(Step(scene: "taken", title: texts.taken, outcome: texts.merged, user: merged.id))

        let before = try await revokedCount()
        let unlinked = try await other.unlink(.apple)
        let isRevoked = try await isRevoked(after: before)
        steps.append(
            Step(scene: "unlink", title: texts.unlink, outcome: texts.revoked(isRevoked), user: unlinked.id))
        return (steps, phone)
    }

    /// Links an identity that is somebody else's. Apple is asked once: the ticket does the rest.
    private func merge(
        _ device: OkaeriClient, with credential: AppleCredential
    ) async throws(OkaeriError) -> User {
        do throws(OkaeriError) {
            return try await device.link(.apple(credential))
        } catch {
            guard case .conflict(let conflict) = error else { throw error }
            return try await device.resolve(conflict, by: .merge).user
        }
    }

    /// The person proves to be there, asks to be deleted, and reads of it at the next log-in.
    ///
    /// - Returns: who it was, and how many grants Apple had revoked before.
    /// - Throws: `OkaeriError` when a scene goes wrong.
    func requestDeletion(on device: OkaeriClient) async throws(OkaeriError) -> (user: String, revoked: Int) {
        let person = "hana-\(application)"
        let user = try await device.reloadUser().id
        try await device.reauthenticate(with: .apple(try await signIn(person)))
        let revoked = try await revokedCount()
        _ = try await device.deleteUser()
        do throws(OkaeriError) {
            try await device.logIn(with: .apple(try await signIn(person)))
            throw .userChanged
        } catch {
            guard case .userDeleted = error else { throw error }
        }
        return (user, revoked)
    }

    /// The last scene, after somebody or the time has erased the user.
    func erased(_ user: String, after revoked: Int) async throws(OkaeriError) -> Step {
        let isRevoked = try await isRevoked(after: revoked)
        return Step(
            scene: "deletion", title: language.appleTexts.deletion,
            outcome: language.appleTexts.revoked(isRevoked), user: user)
    }

    /// Whether Apple has been asked to revoke one more grant, soon.
    private func isRevoked(after before: Int) async throws(OkaeriError) -> Bool {
        for _ in 0..<Self.patience {
            // A cancelled demo has ended anyway.
            try? await Task.sleep(for: .milliseconds(250))
            if try await revokedCount() > before { return true }
        }
        return false
    }

    /// A new phone.
    private func device() -> OkaeriClient {
        OkaeriClient(
            server: server, application: application, vault: MemoryVault(), transport: CurlTransport.shared,
            configuration: OkaeriConfiguration(
                requestTimeout: .seconds(10), retry: RetryPolicy(maximumTries: 2, firstDelay: .milliseconds(200))))
    }

    private func signIn(_ person: String, name: String? = nil) async throws(OkaeriError) -> AppleCredential {
        do {
            return try await fake.signIn(person, name: name)
        } catch {
            throw .offline
        }
    }

    private func revokedCount() async throws(OkaeriError) -> Int {
        do {
            return try await fake.revokedCount()
        } catch {
            throw .offline
        }
    }
}
