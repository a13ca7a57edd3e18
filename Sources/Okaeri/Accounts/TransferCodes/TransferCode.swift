public import Foundation
import OkaeriWire

/// What carries the user to another device (引き継ぎコード). Printed, it hides itself.
public struct TransferCode: Hashable, Sendable {
    /// The code as it is shown: four groups of four characters.
    public let code: String
    /// When it ends, by this device's clock.
    public let expiresAt: Date
    /// The code as a link into the app, when the application has a pattern for it.
    public let link: URL?
    /// A QR code of the link, or of the code alone, as an SVG document.
    public let qrSVG: String

    /// - Parameters:
    ///   - response: What the server sent.
    ///   - clockOffset: How far the device's clock is behind the server's, in seconds.
    init(_ response: TransferCodeResponse, clockOffset: TimeInterval) {
        code = response.code
        expiresAt = Date(response.expiresAt).addingTimeInterval(-clockOffset)
        link = response.link.flatMap { URL(string: $0) }
        qrSVG = response.qrSVG
    }
}

extension TransferCode: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Never the code.
    public var description: String { "TransferCode(<secret>)" }
    /// Never the code.
    public var debugDescription: String { description }
    /// The end of the code's life, never the code.
    public var customMirror: Mirror { Mirror(self, children: ["expiresAt": expiresAt]) }
}

/// How joining a user by a transfer code ended.
public struct TransferResult: Hashable, Sendable {
    /// Who is logged in now, and the time of the log-in before.
    public let welcome: Welcome
    /// The user that this device led to before, if any.
    public let leftUser: LeftUser?
}

/// The user that a device's key led to before it joined another one.
public struct LeftUser: Hashable, Sendable {
    /// The user's id.
    public let id: User.ID
    /// When the server erases it, because nothing leads to it any more; `nil` when something does.
    public let erasedAt: Date?

    init(_ body: LeftUserBody) {
        id = body.id
        erasedAt = body.erasedAt.map(Date.init(_:))
    }
}
