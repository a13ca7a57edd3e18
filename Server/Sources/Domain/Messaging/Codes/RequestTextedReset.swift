/// Orders a text message that allows a new password. Unknown numbers get the same answer and no message.
package struct RequestTextedReset: Sendable {
    let enqueueMessage: EnqueueMessage

    /// - Parameters:
    ///   - phone: The number in E.164.
    ///   - application: Where.
    ///   - wantsVerified: Whether the number must be a verified one. One that is not is never a way around a verified
    /// mail
    ///     address.
    ///   - hasLink: Whether the message leads to this server's own pages instead of saying a code to type.
    ///   - languages: What the app prefers, best first.
    ///   - client: Who orders.
    /// - Returns: how long the code will be good.
    /// - Throws: `mailUnavailable` when no text messages are sent, `fieldsRefused`, `rateLimited`, `storageUnavailable`.
    @discardableResult
    package func callAsFunction(
        phone: String, in application: Application, wantsVerified: Bool, hasLink: Bool, languages: [String],
        from client: ClientAddress
    ) async throws(DomainError) -> Duration {
        var message = MessageRequest(
            kind: .textedReset, address: try EnqueueMessage.number(phone), languages: languages)
        message.wantsVerified = wantsVerified
        return try await enqueueMessage(message, in: application, from: client, toPages: hasLink)
    }
}
