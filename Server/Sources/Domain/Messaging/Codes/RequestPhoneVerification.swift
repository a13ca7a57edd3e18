/// Orders a text message that shows that a phone number is the user's: the present one, or a new one that takes its
/// place once it is verified.
package struct RequestPhoneVerification: Sendable {
    let enqueueMessage: EnqueueMessage

    /// - Parameters:
    ///   - phone: A new number; `nil` for the present one.
    ///   - user: Whose.
    ///   - session: The user's session; `nil` for an administrator.
    ///   - application: Where.
    ///   - languages: What the app prefers, best first.
    ///   - client: Who orders.
    /// - Returns: how long the code will be good. A number that somebody else has gets the same answer and no message.
    /// - Throws: `mailUnavailable` when no text messages are sent, `fieldsRefused`, `rateLimited`, `storageUnavailable`.
    @discardableResult
    package func callAsFunction(
        phone: String?, of user: User, by session: Session?, in application: Application, languages: [String],
        from client: ClientAddress
    ) async throws(DomainError) -> Duration {
        let number: String
        if let phone {
            number = try EnqueueMessage.number(phone)
        } else if let present = user.phone {
            number = present
        } else {
            throw .fieldsRefused([ValidationError(field: "phone", rule: .required)])
        }
        let message = MessageRequest(
            kind: .phoneVerification, address: number, of: user, by: session, languages: languages)
        return try await enqueueMessage(message, in: application, from: client)
    }
}
