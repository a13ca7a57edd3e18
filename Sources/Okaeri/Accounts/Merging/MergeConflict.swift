public import Foundation
package import OkaeriWire

/// Two users of one person: the one that is logged in, and another that the person has proved to be too. Printed, it
/// hides its ticket.
public struct MergeConflict: Hashable, Sendable {
    /// Until when it can be resolved.
    public let expiresAt: Date
    let ticket: Secret

    package init(_ offer: MergeOfferBody) {
        expiresAt = Date(offer.expiresAt)
        ticket = Secret(offer.ticket)
    }
}

/// What to do with two users.
public enum MergeChoice: String, Hashable, Sendable {
    /// The current user stays the current one.
    case keep
    /// Go on as the other user, and leave the current one.
    case `switch`
    /// Go on as the other user, who takes over everything of the current one.
    case merge
}

/// What would become of two users.
public struct MergePreview: Hashable, Sendable {
    /// The user that is logged in.
    public let current: User
    /// The other one.
    public let other: User
    /// The other one after a merge.
    public let merged: User
}

/// How a conflict was resolved.
public struct MergeResult: Hashable, Sendable {
    /// The user that is logged in now.
    public let user: User
    /// The merge, for ``OkaeriClient/undoMerge(_:)``; `nil` when there was none, or the response that named it got lost.
    public let merge: String?
    /// The user that was left; `nil` when the current one was kept, or the response that named it got lost.
    public let leftUser: LeftUser?
}
