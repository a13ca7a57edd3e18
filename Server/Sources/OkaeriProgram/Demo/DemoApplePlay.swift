import Foundation
import Okaeri

/// The scenes of `okaeri demo apple`.
struct DemoApplePlay: Sendable {
    /// How long the server may take to tell Apple of an unlinked user.
    private static let patience = 40

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

    /// Plays all scenes.
    ///
    /// - Throws: `OkaeriError` when a scene goes wrong.
    func steps() async throws(OkaeriError) -> [Step] {
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
        let outcome: String
        do throws(OkaeriError) {
            try await third.link(.apple(try await signIn(hana)))
            outcome = ""
        } catch {
            guard error == .identityTaken else { throw error }
            outcome = error.message(in: [language.rawValue])
        }
        steps.append(Step(scene: "taken", title: texts.taken, outcome: outcome, user: nil))

        let before = try await revokedCount()
        let unlinked = try await other.unlink(.apple)
        var isRevoked = false
        for _ in 0..<Self.patience where !isRevoked {
            // A cancelled demo has ended anyway.
            try? await Task.sleep(for: .milliseconds(250))
            isRevoked = try await revokedCount() > before
        }
        steps.append(
            Step(scene: "unlink", title: texts.unlink, outcome: texts.revoked(isRevoked), user: unlinked.id))
        return steps
    }

    /// A new phone.
    private func device() -> OkaeriClient {
        OkaeriClient(
            server: server, application: application, vault: MemoryVault(),
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

/// What the demo of Apple says, in one language.
struct DemoAppleTexts {
    let signUp: String
    let logIn: String
    let link: String
    let taken: String
    let unlink: String
    let same: String
    let different: String
    let hello: String
    let revokedAtApple: String
    let notRevoked: String

    func greets(_ name: String) -> String { hello.replacing("%", with: name) }
    func sameUser(_ isSame: Bool) -> String { isSame ? same : different }
    func revoked(_ isRevoked: Bool) -> String { isRevoked ? revokedAtApple : notRevoked }
}

extension DemoLanguage {
    var appleTexts: DemoAppleTexts {
        switch self {
        case .japanese:
            DemoAppleTexts(
                signUp: "Appleでサインアップ", logIn: "別の端末でAppleログイン", link: "匿名ユーザーにAppleを連携",
                taken: "使用中のAppleアカウントを連携", unlink: "Appleの連携を解除", same: "同じユーザーのままです。",
                different: "別のユーザーになりました。", hello: "はじめまして、%さん！",
                revokedAtApple: "Appleにも連携の取り消しが伝わりました。",
                notRevoked: "Appleへの取り消しはまだ伝わっていません。サーバーが再試行します。")
        case .korean:
            DemoAppleTexts(
                signUp: "Apple로 가입", logIn: "다른 기기에서 Apple로 로그인", link: "익명 사용자에 Apple 연결",
                taken: "이미 사용 중인 Apple 계정 연결", unlink: "Apple 연결 해제", same: "같은 사용자입니다.",
                different: "다른 사용자가 되었습니다.", hello: "처음 뵙겠습니다, %님!",
                revokedAtApple: "Apple에도 연결 취소가 전달되었습니다.",
                notRevoked: "Apple에 아직 전달되지 않았습니다. 서버가 다시 시도합니다.")
        case .english:
            DemoAppleTexts(
                signUp: "Sign up with Apple", logIn: "Log in with Apple on another device",
                link: "Link Apple to an anonymous user", taken: "Link an Apple account that is taken",
                unlink: "Unlink Apple", same: "The same user as before.", different: "Another user than before.",
                hello: "Nice to meet you, %!", revokedAtApple: "Apple has revoked the grant too.",
                notRevoked: "Apple has not been told yet; the server tries again.")
        }
    }
}
