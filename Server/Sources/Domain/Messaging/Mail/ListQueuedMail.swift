/// An application's mails that wait or were given up, oldest first. What they say is not told.
package struct ListQueuedMail: Sendable {
    package static let maximumMails = 1000

    let store: any Store

    /// - Throws: `applicationUnknown`, `storageUnavailable`.
    package func callAsFunction(in application: Identifier<Application>) async throws(DomainError) -> [QueuedMail] {
        try await store.read { transaction throws(DomainError) in
            guard try transaction.application(application) != nil else { throw .applicationUnknown }
            return try transaction.queuedMail(in: application, limit: Self.maximumMails)
        }
    }
}
