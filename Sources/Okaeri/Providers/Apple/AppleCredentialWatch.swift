#if canImport(AuthenticationServices)
    import AuthenticationServices
    import Foundation

    /// Asks the system at start, and whenever it tells of a change, whether the person still lets the app use the Apple
    /// account, and logs out when not.
    ///
    /// ```swift
    /// Task { await AppleCredentialWatch(okaeri).run() }
    /// ```
    public struct AppleCredentialWatch: Sendable {
        private let client: OkaeriClient

        /// Makes a watch that does not watch yet.
        public init(_ client: OkaeriClient) {
            self.client = client
        }

        /// Watches until the task is cancelled.
        public func run() async {
            let (changes, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
            let observer = NotificationCenter.default.addObserver(
                forName: ASAuthorizationAppleIDProvider.credentialRevokedNotification, object: nil, queue: nil
            ) { _ in continuation.yield() }
            defer { NotificationCenter.default.removeObserver(observer) }
            await look()
            for await _ in changes { await look() }
        }

        private func look() async {
            guard let user = await client.appleUser, let state = await Self.state(of: user) else { return }
            await client.take(state, of: user)
        }

        /// What the system says; `nil` when it cannot say now, which is no reason to log anybody out.
        private static func state(of user: String) async -> AppleCredentialState? {
            // Without a response nothing is known.
            guard let state = try? await ASAuthorizationAppleIDProvider().credentialState(forUserID: user) else {
                return nil
            }
            switch state {
            case .authorized: return .authorized
            case .revoked: return .revoked
            case .notFound: return .notFound
            case .transferred: return .transferred
            @unknown default: return nil
            }
        }
    }
#endif
