/// Orders a mail that allows a new password. Unknown addresses get the same answer and no mail.
package struct RequestPasswordReset: Sendable {
    let enqueueMessage: EnqueueMessage

    /// - Parameters:
    ///   - email: The address as typed.
    ///   - application: Where.
    ///   - languages: What the app or browser prefers, best first.
    ///   - client: Who orders.
    ///   - mayBeName: Whether the address may also be the name of a user who has no address.
    /// - Returns: how long the mail will be good.
    /// - Throws: `mailUnavailable`, `fieldsRefused`, `rateLimited`, `storageUnavailable`.
    package func callAsFunction(
        email: String, in application: Application, languages: [String], from client: ClientAddress,
        mayBeName: Bool = false
    ) async throws(DomainError) -> Duration {
        var message = MessageRequest(
            kind: .passwordReset, address: try EnqueueMessage.address(email), languages: languages)
        if mayBeName { message.mayBeName = true }
        return try await enqueueMessage(message, in: application, from: client, toPages: true)
    }
}
