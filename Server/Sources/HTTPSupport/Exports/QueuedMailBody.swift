package import Domain
import OkaeriWire

/// A mail that waits or was given up. Recipient and text are left out.
package struct QueuedMailBody: Encodable {
    let id: String
    let kind: String
    let createdAt: WireTime
    let expiresAt: WireTime
    let attempts: Int
    let nextTryAt: WireTime?
    let isGivenUp: Bool
    let lastFault: String?

    package init(_ mail: QueuedMail) {
        id = mail.id.rawValue
        kind = mail.kind.rawValue
        createdAt = mail.createdAt.wire
        expiresAt = mail.expiresAt.wire
        attempts = mail.attempts
        nextTryAt = mail.nextTryAt?.wire
        isGivenUp = mail.nextTryAt == nil
        lastFault = mail.lastFault
    }
}
