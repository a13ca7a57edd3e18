/// What the slice asks of storage.
package protocol TransferQueries {
    /// Stores a code in place of the one that the user had.
    func replace(_ code: StoredTransferCode) throws(DomainError)
    /// The code that waits under a digest.
    func transferCode(
        _ digest: SecretDigest, in application: Identifier<Application>
    ) throws(DomainError) -> StoredTransferCode?
    /// Takes the user's code away; `false` when there was none.
    func removeTransferCode(
        of user: Identifier<User>, in application: Identifier<Application>
    ) throws(DomainError) -> Bool
    func insert(_ transfer: Transfer) throws(DomainError)
    /// The user's transfers, oldest first.
    func transfers(of user: Identifier<User>, in application: Identifier<Application>) throws(DomainError) -> [Transfer]
    /// The transfer that a code made.
    func transfer(
        codeDigest: SecretDigest, in application: Identifier<Application>
    ) throws(DomainError) -> Transfer?
    /// Writes `acknowledgedAt` and `undoneAt`.
    func update(_ transfer: Transfer) throws(DomainError)
    /// Lets an identity lead to nobody; `false` when it did not lead to this user.
    func remove(
        _ provider: Identity.Provider, subject: String, of user: Identifier<User>,
        in application: Identifier<Application>
    ) throws(DomainError) -> Bool
    /// Ends a user's sessions that a device key opened; the number that ended.
    func endSessions(
        of user: Identifier<User>, in application: Identifier<Application>, deviceKey: String
    ) throws(DomainError) -> Int
    /// Removes codes that were issued, and transfers that happened, before the given times.
    func removeTransfers(issuedBefore codes: Timestamp, redeemedBefore transfers: Timestamp) throws(DomainError)
}
