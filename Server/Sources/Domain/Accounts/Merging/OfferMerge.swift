/// Gives out a ticket for the merge of two users to a caller who has proved to be both: the one of the session by a recent log-in, as
/// for a link, because the ticket takes the device's key or everything from that one; the other by what was shown with the request.
package struct OfferMerge: Sendable {
    let store: any Store
    let clock: any WallClock
    let randomness: any Randomness
    let changes: AccountChanges

    /// - Parameters:
    ///   - who: The one user.
    ///   - author: Who asks, by the session of that one.
    ///   - other: The other one.
    ///   - proof: What has shown that the caller is that one too.
    ///   - cause: What brought the conflict about.
    ///   - origin: Where the request came from, for the audit log.
    /// - Returns: `nil` when the other user cannot be gone on with: kept out by an operator, on the way out, or let in with a second
    ///   factor alone, which no merge takes. What shows one factor shows nothing of such a user (decision 0213).
    /// - Throws: `reauthenticationRequired`, `sessionInvalid`, `storageUnavailable`.
    package func callAsFunction(
        _ who: Authenticated, _ author: AccountAuthor, other: Identifier<User>, by proof: AccountPolicy.Proof,
        cause: MergeOffer.Cause, from origin: RequestOrigin
    ) async throws(DomainError) -> MergeOffer? {
        try author.requireProof(of: .identityLinked, at: clock.now)
        let (application, factors) = (who.application.id, who.application.settings.secondFactors)
        let secret = MergeTicket.newSecret(randomness)
        let now = clock.now
        let ticket = MergeTicket(
            application: application, digest: MergeTicket.digest(of: secret.revealed), user: who.user.id, other: other,
            expiresAt: now + MergeTicket.lifetime, shownBy: cause.method)
        let ready = try changes.audit.ready(
            [.mergeOffered], in: application, by: .party(who, and: other, showing: proof, from: origin), at: now)
        let isOffered = try await store.write { transaction throws(DomainError) in
            try author.requireSession(in: transaction)
            guard var user = try transaction.user(other, in: application), user.mayBeMerged, ticket.user != other,
                factors.need(of: user) == nil
            else { return false }
            try transaction.insert(ticket)
            try ready.settle([.mergeOffered: [:]], of: &user, keeping: .nothing, in: transaction)
            return true
        }
        return isOffered ? MergeOffer(ticket: secret, expiresAt: ticket.expiresAt, cause: cause) : nil
    }
}

extension User {
    /// Whether nothing stands against going on with this user.
    var mayBeMerged: Bool { !isDisabled && deletionRequestedAt == nil }
}

extension Transaction {
    /// The two users of a ticket that still holds, for the session that it was given to.
    ///
    /// - Throws: `mergeTicketRefused`, `storageUnavailable`.
    func parties(
        of text: String, _ who: Authenticated, at now: Timestamp
    ) throws(DomainError) -> (ticket: MergeTicket, current: User, other: User) {
        let application = who.application.id
        guard let ticket = try mergeTicket(MergeTicket.digest(of: text), in: application), now < ticket.expiresAt,
            ticket.user == who.user.id,
            let current = try user(ticket.user, in: application), current.mayBeMerged,
            let other = try user(ticket.other, in: application), other.mayBeMerged
        else { throw .mergeTicketRefused }
        return (ticket, current, other)
    }
}
