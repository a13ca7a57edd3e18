/// A device key that came with a log-in by other means: it is bound to the session, and joins the user, so that the
/// device's next launch is automatic.
package struct DeviceLink: Sendable {
    /// A proof that holds.
    package let proof: DeviceProof?
    /// Whether the key shall lead to the user from now on.
    let joins: Bool
    /// By which it joins.
    private let method: Session.LogInMethod
    let now: Timestamp
    /// What the keys leave that go because it joins; `nil` when it does not.
    private let excess: ReadyChanges?

    init(
        proof: DeviceProof?, joins: Bool, by method: Session.LogInMethod, in application: Identifier<Application>,
        now: Timestamp, audit: AuditTrail
    ) {
        self.proof = proof
        self.joins = joins
        self.method = method
        self.now = now
        excess = joins && proof != nil ? audit.excessDeviceKeys(in: application, at: now) : nil
    }

    /// Notes the proof as used.
    ///
    /// - Throws: `proofReplayed`, `storageUnavailable`.
    package func use(in transaction: any Transaction) throws(DomainError) {
        guard let proof else { return }
        guard try transaction.markUsed(proof) else { throw .proofReplayed }
    }

    /// The user with the key, when it may join: a key that leads to somebody else already stays with them, because
    /// taking it away could lose an anonymous user for good.
    ///
    /// - Throws: `storageUnavailable`.
    package func joined(to user: User, in transaction: any Transaction) throws(DomainError) -> User {
        guard let excess, let identity = try free(for: user.application, in: transaction) else { return user }
        try transaction.insert(identity, for: user.id, in: user.application)
        var user = user
        user.identities.append(identity)
        try transaction.removeExcessDeviceKeys(of: &user, keeping: identity.subject, recording: excess)
        return user
    }

    /// Whether the key is to join a user, and will not: it leads to somebody else.
    ///
    /// - Throws: `storageUnavailable`.
    func leadsElsewhere(than user: User, in transaction: any Transaction) throws(DomainError) -> Bool {
        guard joins, let proof,
            let owner = try transaction.user(provider: .device, subject: proof.thumbprint, in: user.application)
        else { return false }
        return owner.id != user.id
    }

    /// Notes that the device has passed the second factor, of a user who has one and whom the key leads to.
    ///
    /// - Throws: `storageUnavailable`.
    func noteSecondFactor(of user: User, in transaction: any Transaction) throws(DomainError) -> User {
        guard user.hasSecondFactor, let proof,
            let index = user.identities.firstIndex(where: { $0.provider == .device && $0.subject == proof.thumbprint })
        else { return user }
        try transaction.noteSecondFactor(ofDevice: proof.thumbprint, of: user.id, in: user.application, at: now)
        var user = user
        user.identities[index].secondFactorAt = now
        return user
    }

    /// The identity that the key makes, when nobody has it. It is to be linked then.
    ///
    /// - Throws: `storageUnavailable`.
    package func free(
        for application: Identifier<Application>, in transaction: any Transaction
    ) throws(DomainError) -> Identity? {
        guard joins, let proof,
            try transaction.user(provider: .device, subject: proof.thumbprint, in: application) == nil
        else { return nil }
        // It leads to a user again, and is removed no more.
        try transaction.forgetRemovedDeviceKey(proof.thumbprint, in: application)
        var identity = Identity(provider: .device, subject: proof.thumbprint, linkedAt: now)
        identity.joinedBy = method
        return identity
    }
}
