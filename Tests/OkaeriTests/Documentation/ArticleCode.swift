import Foundation
import Okaeri
import OkaeriTesting
import OkaeriWire
import Testing

// The code of the articles in Okaeri.docc, so that it compiles. `ArticleTests` sees to it that both stay the same.

/// GettingStarted.md
@MainActor
final class GettingStarted {
    let okaeri: OkaeriClient
    var shown: [String] = []

    init(_ okaeri: OkaeriClient) {
        self.okaeri = okaeri
    }

    static func client(serverURL: URL) -> OkaeriClient {
        let okaeri = OkaeriClient(server: serverURL, application: "your application's id")
        return okaeri
    }

    func greeting() async throws(OkaeriError) -> String {
        switch try await okaeri.logInAutomatically() {
        case .firstVisit:
            return "はじめまして！"
        case .returning(let user, let lastLogIn):
            return "おかえりなさい\(user.displayName ?? "")、最終ログイン \(format(lastLogIn))"
        }
    }

    func follow(_ okaeri: OkaeriClient) async {
        for await state in okaeri.states {
            switch state {
            case .unknown, .storageLocked:
                show("…")
            case .loggedIn(let user, freshness: _):
                show(user.displayName ?? "ゲスト")
            case .loggedOut:
                show("ログインしていません")
            }
        }
    }

    func finishTutorial() async throws(OkaeriError) {
        try await okaeri.update(
            UserChanges(displayName: .set("花子"), fields: ["level": 3, "tutorial": .null]))
    }

    func authorization() async throws(OkaeriError) -> String {
        let token = try await okaeri.accessToken(for: nil)
        return "Bearer \(token.value)"
    }

    func endOldSessions(before date: Date) async throws(OkaeriError) {
        for session in try await okaeri.sessions() where !session.isCurrent && session.lastUsedAt < date {
            try await okaeri.endSession(session.id)
        }
    }

    func leave() async {
        await okaeri.logOut()
    }

    private func format(_ date: Date) -> String {
        date.formatted(.iso8601)
    }

    private func show(_ text: String) {
        shown.append(text)
    }
}

/// Errors.md
enum Action: Equatable {
    case tryAgainLater
    case logInAgain
    case correct([String])
    case tell(String)
    case nothing
}

func action(after error: OkaeriError) -> Action {
    switch error {
    case .offline, .serverUnavailable, .rateLimited, .storageLocked:
        return .tryAgainLater
    case .notLoggedIn, .sessionEnded, .loggedOutMeanwhile, .userChanged, .credentialRefused, .codeRefused,
        .reauthenticationRequired, .webLogInRefused, .deviceKeyRemoved:
        return .logInAgain
    case .invalidValues(let problems), .identifierTaken(let problems):
        return .correct(problems.map(\.field))
    case .cancelled:
        return .nothing
    case .storageUnavailable, .storageDamaged, .userDisabled, .alreadyRegistered, .applicationUnknown, .proofRefused,
        .sessionUnknown, .audienceNotAllowed, .providerRefused, .identityTaken, .lastWayIn, .refused,
        .unexpectedResponse:
        return .tell(error.localizedDescription)
    case .conflict, .mergeRefused, .userDeleted, .transferCodeRefused, .undoTooLate, .passkeyRefused,
        .secondFactorRequired, .secondFactorEnrolmentRequired, .secondFactorNotRecent, .secondFactorRefused,
        .transferUnconfirmed:
        return .tell(error.localizedDescription)
    }
}

/// AnotherDevice.md
func showCode(_ okaeri: OkaeriClient) async throws -> (code: String, picture: String) {
    let code = try await okaeri.issueTransferCode()
    return (code.code, code.qrSVG)
}

/// AnotherDevice.md
func takeOver(_ okaeri: OkaeriClient, typed: String) async throws -> String {
    let result = try await okaeri.redeemTransferCode(typed)
    if let left = result.leftUser, let end = left.erasedAt {
        return "おかえりなさい。この端末の以前のデータは \(end.formatted()) に消去されます。"
    }
    return "おかえりなさい"
}

/// AnotherDevice.md
func watch(_ okaeri: OkaeriClient, ask: @Sendable (Notice) async -> Bool) async throws {
    for await notice in okaeri.notices where notice.kind == .deviceAdded {
        if await ask(notice) {
            try await okaeri.acknowledge(notice.id)
        } else {
            try await okaeri.undoTransfer(notice.id)
        }
    }
}

/// Apple.md
func keepAccount(with credential: AppleCredential, in okaeri: OkaeriClient) async throws(OkaeriError) -> User {
    do throws(OkaeriError) {
        return try await okaeri.link(.apple(credential))
    } catch {
        guard case .conflict(let conflict) = error else { throw error }
        return try await okaeri.resolve(conflict, by: .merge).user
    }
}

/// Vaults.md
func vaults(stateDirectory: URL) -> [any CredentialVault] {
    var all: [any CredentialVault] = []
    #if canImport(Security)
        do {
            let vault = KeychainVault(accessGroup: "TEAMID.com.example.app", applicationGroup: "group.com.example.app")
            all.append(vault)
        }
    #endif
    let vault = FileVault(directory: stateDirectory)
    all.append(vault)
    return all
}

/// FromAnotherSDK.md
func logIn(_ okaeri: OkaeriClient, after old: OldSessions) async throws(OkaeriError) -> Welcome {
    if try await okaeri.isFirstLaunch, let session = try old.session(in: .ncmb) {
        do throws(OkaeriError) {
            return try await okaeri.adopt(session)
        } catch {
            // A session that has ended leads to nobody any more. Everything else may pass: try again later.
            guard case .credentialRefused = error else { throw error }
        }
    }
    return try await okaeri.logInAutomatically()
}

/// FromAnotherSDK.md
func logIn(_ okaeri: OkaeriClient, from service: OldService, _ old: OldSessions) async throws(OkaeriError) -> Welcome {
    if try await okaeri.isFirstLaunch {
        do throws(OkaeriError) {
            if let welcome = try await okaeri.adopt(from: service, in: old) { return welcome }
        } catch {
            // The service or the server knows the user no more. Everything else may pass: try again later.
            guard case .credentialRefused = error else { throw error }
        }
    }
    return try await okaeri.logInAutomatically()
}

/// Vaults.md
func policy(confirm: @escaping @Sendable (String) async -> Bool) -> ReinstallPolicy {
    .ask { found in
        let name = found.user?.displayName ?? "前のアカウント"
        return await confirm("\(name)で続けますか？") ? .keep : .wipe
    }
}

/// Testing.md
func personComesBack() async throws {
    let clock = TestClock()
    let server = InMemoryServer(application: "demo", clock: clock)
    let vault = MemoryVault()

    let firstLaunch = OkaeriClient(
        server: server.url, application: "demo", vault: vault, transport: server, clock: clock)
    let user = try await firstLaunch.logInAutomatically().user

    let firstTime = clock.now
    clock.advance(by: .seconds(3600))
    server.isOffline = true
    let secondLaunch = OkaeriClient(
        server: server.url, application: "demo", vault: vault, transport: server, clock: clock)
    let welcome = try await secondLaunch.logInAutomatically()
    #expect(welcome == .returning(user, lastLogIn: firstTime))
}
