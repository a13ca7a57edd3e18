// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation
// A stand-in for Apple's GameKit: the few declarations that the SDK uses, without behaviour.

public import Foundation

@MainActor public final class GKLocalPlayer: NSObject {
    public class var local: GKLocalPlayer { GKLocalPlayer() }
    public var isAuthenticated: Bool { false }
    public var displayName: String { "" }
    public var teamPlayerID: String { "" }
    public var gamePlayerID: String { "" }

    public func fetchItemsForIdentityVerificationSignature() async throws -> (URL, Data, Data, UInt64) {
        throw CancellationError()
    }
}
