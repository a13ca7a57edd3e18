public import Foundation
import OkaeriWire

/// What Game Center signed for a player. It counts once, and for five minutes.
///
/// ```swift
/// let items = try await GKLocalPlayer.local.fetchItemsForIdentityVerificationSignature()
/// let credential = GameCenterCredential(
///     publicKeyURL: items.0, signature: items.1, salt: items.2, timestamp: items.3,
///     playerId: GKLocalPlayer.local.teamPlayerID, bundleId: "com.example.app")
/// try await okaeri.logIn(with: .gameCenter(credential))
/// ```
public struct GameCenterCredential: Sendable {
    /// The person's name to greet by, such as the player's alias. It is taken when the user has none.
    public var name: String?
    let body: PlayerSignatureBody

    /// Takes what `fetchItems(forIdentityVerificationSignature:)` gave.
    ///
    /// - Parameters:
    ///   - publicKeyURL: Where the certificate of the key is.
    ///   - signature: The signature.
    ///   - salt: The salt.
    ///   - timestamp: When it was signed, in milliseconds since 1970.
    ///   - playerId: `teamPlayerID`; in Apple Arcade `gamePlayerID`.
    ///   - bundleId: The app's bundle id.
    ///   - name: The person's name to greet by.
    public init(
        publicKeyURL: URL, signature: Data, salt: Data, timestamp: UInt64, playerId: String, bundleId: String,
        name: String? = nil
    ) {
        self.name = name
        body = PlayerSignatureBody(
            publicKeyUrl: publicKeyURL.absoluteString, signature: signature.base64EncodedString(),
            salt: salt.base64EncodedString(), timestamp: Int64(clamping: timestamp), playerId: playerId,
            bundleId: bundleId)
    }
}

extension GameCenterCredential: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The player alone.
    public var description: String { "signature for \(body.playerId)" }
    /// The player alone.
    public var debugDescription: String { description }
    /// The player alone.
    public var customMirror: Mirror { Mirror(self, children: ["playerId": body.playerId]) }
}
