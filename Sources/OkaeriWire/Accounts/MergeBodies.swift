/// A conflict that can be resolved: the caller has proved to be both users. A member of the 409 that tells of it.
public struct MergeOfferBody: Codable, Hashable, Sendable {
    /// The secret to resolve it with: for ten minutes, and once.
    public var ticket: String
    /// When the ticket ends.
    public var expiresAt: WireTime

    /// Makes an offer.
    public init(ticket: String, expiresAt: WireTime) {
        self.ticket = ticket
        self.expiresAt = expiresAt
    }
}

/// The body of `POST /v1/user/merge/preview`.
public struct MergePreviewBody: Codable, Hashable, Sendable {
    /// The ticket of the conflict.
    public var ticket: String

    /// Makes a body.
    public init(ticket: String) {
        self.ticket = ticket
    }

    private enum CodingKeys: String, CodingKey, CaseIterable { case ticket }

    /// Reads a body that may hold no other members.
    public init(from decoder: any Decoder) throws {
        ticket = try decoder.closedContainer(keyedBy: CodingKeys.self).decode(String.self, forKey: .ticket)
    }
}

/// The response to `POST /v1/user/merge/preview`.
public struct MergePreviewResponse: Codable, Hashable, Sendable {
    /// The user that is logged in.
    public var current: UserBody
    /// The other one.
    public var other: UserBody
    /// The other one after a merge.
    public var merged: UserBody
    /// When the ticket ends.
    public var expiresAt: WireTime

    /// Makes a response.
    public init(current: UserBody, other: UserBody, merged: UserBody, expiresAt: WireTime) {
        self.current = current
        self.other = other
        self.merged = merged
        self.expiresAt = expiresAt
    }
}

/// The body of `POST /v1/user/merge`.
public struct MergeBody: Codable, Hashable, Sendable {
    /// The ticket of the conflict.
    public var ticket: String
    /// `keep` the current user, `switch` to the other, or `merge` the current one into the other.
    public var choice: String

    /// Makes a body.
    public init(ticket: String, choice: String) {
        self.ticket = ticket
        self.choice = choice
    }

    private enum CodingKeys: String, CodingKey, CaseIterable { case ticket, choice }

    /// Reads a body that may hold no other members.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.closedContainer(keyedBy: CodingKeys.self)
        ticket = try members.decode(String.self, forKey: .ticket)
        choice = try members.decode(String.self, forKey: .choice)
    }
}

/// The response to `POST /v1/user/merge`.
public struct MergeResponse: Codable, Hashable, Sendable {
    /// The user to go on with.
    public var user: UserBody
    /// That user's session; `nil` when the current user was kept.
    public var session: NewSessionBody?
    /// The merge's id, to undo it by; `nil` when there was none.
    public var merge: String?
    /// The user that was left or merged; `nil` when the current user was kept.
    public var leftUser: LeftUserBody?

    /// Makes a response.
    public init(user: UserBody, session: NewSessionBody?, merge: String?, leftUser: LeftUserBody?) {
        self.user = user
        self.session = session
        self.merge = merge
        self.leftUser = leftUser
    }
}

/// The body of `POST /v1/user/merge/undo`.
public struct UndoMergeBody: Codable, Hashable, Sendable {
    /// The id from the merge's response.
    public var merge: String

    /// Makes a body.
    public init(merge: String) {
        self.merge = merge
    }

    private enum CodingKeys: String, CodingKey, CaseIterable { case merge }

    /// Reads a body that may hold no other members.
    public init(from decoder: any Decoder) throws {
        merge = try decoder.closedContainer(keyedBy: CodingKeys.self).decode(String.self, forKey: .merge)
    }
}
