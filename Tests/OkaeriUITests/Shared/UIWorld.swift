import Foundation
import Okaeri
import OkaeriTesting
import OkaeriUI
import OkaeriWire

/// A server, a device and a clock that stands still, for screens.
@MainActor
struct UIWorld {
    let clock = TestClock()
    let server: InMemoryServer
    let vault = TestVault()
    let client: OkaeriClient
    let heard = Heard()

    init() {
        server = InMemoryServer(clock: clock)
        client = OkaeriClient(
            server: server.url, application: server.application, vault: vault, transport: server,
            configuration: OkaeriConfiguration(
                retry: RetryPolicy(maximumTries: 1), worksInBackground: false, device: DeviceInfo(name: "Hana's phone")),
            clock: clock, randomness: TestRandomness(seed: 7))
    }

    /// Another device of the same world.
    func anotherClient(_ vault: TestVault = TestVault(), seed: UInt64 = 8) -> OkaeriClient {
        OkaeriClient(
            server: server.url, application: server.application, vault: vault, transport: server,
            configuration: OkaeriConfiguration(worksInBackground: false, device: DeviceInfo(name: "Tablet")),
            clock: clock, randomness: TestRandomness(seed: seed))
    }

    /// A screen that is shown.
    func show<Model: ScreenModel>(
        _ model: Model, client: OkaeriClient? = nil, credentials: any ProviderCredentials = NoProviders(),
        memory: any MethodMemory = NoMethodMemory(), saved: (any SavedCredentials)? = nil, web: WebLogInWay? = nil,
        passkeys: (any PasskeyAuthenticator)? = nil
    ) async -> ScreenRunner<Model> {
        let runner = ScreenRunner(
            model,
            in: ScreenSurroundings(
                client: client ?? self.client, credentials: credentials, saved: saved, clock: clock, memory: memory,
                web: web, passkeys: passkeys,
                copy: { [heard] in heard.copied.append($0) }),
            hooks: heard.hooks)
        runner.begin()
        await runner.settle()
        return runner
    }
}

/// What an app heard from screens, and what it says to them.
@MainActor
final class Heard {
    /// In the order in which it came.
    var log: [String] = []
    var outcomes: [ScreenOutcome] = []
    var submissions: [Submission] = []
    var errors: [OkaeriError] = []
    var shown: [ScreenDestination] = []
    var copied: [String] = []
    var verdict: Verdict = .proceed
    var handlesFailures = false
    /// Lets the app think before it says its verdict.
    var gate: (@MainActor @Sendable () async -> Void)?

    var hooks: ScreenHooks {
        ScreenHooks(
            shouldBegin: { submission in
                self.log.append("should begin")
                self.submissions.append(submission)
                await self.gate?()
                return self.verdict
            },
            succeeded: { screen, outcome in
                self.log.append("\(screen.rawValue) succeeded")
                self.outcomes.append(outcome)
            },
            failed: { screen, error in
                self.log.append("\(screen.rawValue) failed: \(error.code)")
                self.errors.append(error)
                return self.handlesFailures
            },
            cancelled: { screen in self.log.append("\(screen.rawValue) cancelled") },
            show: { destination in
                self.log.append("show")
                self.shown.append(destination)
            },
            close: { self.log.append("close") })
    }
}

/// Gives what a test has prepared, or the sheet that a person closed.
struct TestCredentials: ProviderCredentials {
    var credential: ProviderCredential?

    func credential(for provider: Provider) async throws(OkaeriError) -> ProviderCredential {
        guard let credential else { throw .cancelled }
        return credential
    }
}

/// Gives what a person has saved on the system, or what they want none of.
struct TestSaved: SavedCredentials {
    var saved: SavedCredential?
    /// What the system says when there is nothing.
    var refusal = OkaeriError.cancelled

    func savedCredential() async throws(OkaeriError) -> SavedCredential {
        guard let saved else { throw refusal }
        return saved
    }
}

/// A memory in memory.
final class TestMemory: MethodMemory {
    private let method = Protected<LogInMethod?>(nil)

    func last() -> LogInMethod? { method.withValue { $0 } }
    func remember(_ method: LogInMethod?) { self.method.withValue { $0 = method } }
}

/// Texts that people and others type.
enum HostileText {
    static let all: [String] = [
        String(repeating: "ながい", count: 30_000), "مرحبا \u{202e}evil", "👩‍👩‍👧‍👦🏳️‍🌈", "a\u{0}b\u{7}c", "line\nbreak\r\ntab\t",
        "<script>alert(1)</script>", "'; DROP TABLE users; --", "{name}{minimum}%@%n", "\u{feff}\u{200b}",
        "ＨＡＮＡ＠ｅｘａｍｐｌｅ．ｃｏｍ",
        "Z̸̧͇̽a̶l̷g̵o̴", "\u{d7ff}\u{e000}\u{fffd}", "   ", "",
    ]
}
