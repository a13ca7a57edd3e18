/// Orders a code to log in with, sent to a verified mail address. Unknown addresses get the same answer and no mail.
package struct RequestLogInCode: Sendable {
    let enqueueMessage: EnqueueMessage
    let randomness: any Randomness

    /// - Parameters:
    ///   - email: The address as typed.
    ///   - application: Where.
    ///   - languages: What the app or browser prefers, best first.
    ///   - client: Who orders.
    /// - Returns: a ticket, without which the code is no use, and how long the code will be good.
    /// - Throws: `mailUnavailable`, `fieldsRefused`, `rateLimited`, `storageUnavailable`.
    package func callAsFunction(
        email: String, in application: Application, languages: [String], from client: ClientAddress
    ) async throws(DomainError) -> (ticket: Secret, life: Duration) {
        let ticket = Secret(Base64URL.text(of: randomness.bytes(24)))
        let message = MessageRequest(
            kind: .logInCode, address: try EnqueueMessage.address(email), languages: languages, ticket: ticket)
        return (ticket, try await enqueueMessage(message, in: application, from: client))
    }
}

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
