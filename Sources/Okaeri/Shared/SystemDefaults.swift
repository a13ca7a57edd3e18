public import Foundation

/// The system's clock.
public struct SystemClock: WallClock {
    /// Makes the clock.
    public init() {}

    /// The present instant.
    public var now: Date { Date() }

    /// Waits in real time.
    public func sleep(for duration: Duration) async throws(CancellationError) {
        do {
            try await Task.sleep(for: duration)
        } catch {
            throw CancellationError()
        }
    }
}

/// The system's cryptographic random number generator.
public struct SystemRandomness: Randomness {
    /// Makes the generator.
    public init() {}

    /// Unpredictable bytes from the system.
    public func bytes(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }
}

/// What a client uses by default.
enum SystemDefaults {
    /// The Keychain where there is one, else files below the user's state directory (XDG Base Directory).
    static func vault() -> any CredentialVault {
        #if canImport(Security)
            KeychainVault()
        #else
            FileVault(directory: stateDirectory())
        #endif
    }

    /// `$XDG_STATE_HOME/okaeri`, else `~/.local/state/okaeri`. A relative value does not count, as the specification says.
    static func stateDirectory(
        environment: [String: String] = ProcessInfo.processInfo.environment, home: String = URL.homeDirectory.path
    ) -> URL {
        let chosen = environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        let base =
            chosen.map { URL(fileURLWithPath: $0, isDirectory: true) }
            ?? URL(fileURLWithPath: home, isDirectory: true).appendingPathComponent(".local/state", isDirectory: true)
        return base.appendingPathComponent("okaeri", isDirectory: true)
    }

    /// The languages that the person prefers, best first.
    static func preferredLanguages() -> [String] {
        Locale.preferredLanguages
    }
}
