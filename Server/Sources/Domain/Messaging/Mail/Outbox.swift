import Foundation

/// A mail that was put into the outbox of a server under development. What it says is sealed.
package struct OutboxMail: Hashable, Sendable {
    package let id: Identifier<QueuedMail>
    package let application: Identifier<Application>
    package let sealed: [UInt8]
    package let createdAt: Timestamp

    package init(
        id: Identifier<QueuedMail>, application: Identifier<Application>, sealed: [UInt8], createdAt: Timestamp
    ) {
        self.id = id
        self.application = application
        self.sealed = sealed
        self.createdAt = createdAt
    }
}

/// Puts mails into the outbox instead of sending them.
package struct Outbox: MailCarrier {
    let store: any Store
    let clock: any WallClock
    let sealingKey: SealingKey
    let application: Identifier<Application>

    package func deliver(_ message: MailMessage) async -> MailOutcome {
        let id = Identifier<QueuedMail>(rawValue: message.id)
        do {
            let bytes = Array(try JSONEncoder().encode(message))
            let mail = OutboxMail(
                id: id, application: application,
                sealed: try sealingKey.seal(bytes, purpose: Self.purpose(id, application)), createdAt: clock.now)
            try await store.write { transaction throws(DomainError) in try transaction.insert(mail) }
            return .delivered
        } catch {
            return .failed(reason: DeliveryFault.text(.outboxUnwritable))
        }
    }

    static func purpose(_ id: Identifier<QueuedMail>, _ application: Identifier<Application>) -> String {
        "outbox \(application) \(id)"
    }
}

/// The mails in an application's outbox, newest first.
package struct ReadOutbox: Sendable {
    package static let maximumMails = 100

    let store: any Store
    let sealingKey: SealingKey

    /// - Throws: `applicationUnknown`, `secretUnreadable`, `storageUnavailable`.
    package func callAsFunction(
        of application: Identifier<Application>
    ) async throws(DomainError) -> [MailMessage] {
        let kept = try await store.read { transaction throws(DomainError) in
            guard try transaction.application(application) != nil else { throw .applicationUnknown }
            return try transaction.outboxMail(in: application, limit: Self.maximumMails)
        }
        var messages: [MailMessage] = []
        for mail in kept {
            let bytes = try sealingKey.open(mail.sealed, purpose: Outbox.purpose(mail.id, application))
            do {
                messages.append(try JSONDecoder().decode(MailMessage.self, from: Data(bytes)))
            } catch {
                throw .secretUnreadable
            }
        }
        return messages
    }
}
