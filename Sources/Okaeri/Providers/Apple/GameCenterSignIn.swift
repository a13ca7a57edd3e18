#if canImport(GameKit) && !os(watchOS)
    import Foundation
    import GameKit
    import OkaeriWire

    extension GameCenterCredential {
        /// Asks Game Center to sign for the player who is logged in there.
        ///
        /// ```swift
        /// try await okaeri.logIn(with: .gameCenter(GameCenterCredential.current()))
        /// ```
        ///
        /// - Returns: What it signed.
        /// - Throws: `OkaeriError.cancelled` when nobody is logged in at Game Center, `OkaeriError.providerRefused` when it
        ///   does not sign.
        @MainActor
        public static func current() async throws(OkaeriError) -> GameCenterCredential {
            let player = GKLocalPlayer.local
            guard player.isAuthenticated, let bundleId = Bundle.main.bundleIdentifier else { throw .cancelled }
            do {
                let (url, signature, salt, timestamp) = try await player.fetchItemsForIdentityVerificationSignature()
                return GameCenterCredential(
                    publicKeyURL: url, signature: signature, salt: salt, timestamp: timestamp,
                    playerId: player.teamPlayerID, bundleId: bundleId, name: player.displayName)
            } catch {
                throw .providerRefused(.providerRefused)
            }
        }
    }
#endif
