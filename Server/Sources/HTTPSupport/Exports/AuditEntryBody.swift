package import Domain
import OkaeriWire

/// An entry of the audit log, as the API and the commands tell it.
package struct AuditEntryBody: Encodable {
    let id: String
    let at: WireTime
    let actor: String
    let action: String
    let target: String?
    let result: String
    let address: String?
    let userAgent: String?
    let requestId: String?
    let details: [String: String]

    package init(_ entry: AuditEntry) {
        id = entry.id.rawValue
        at = entry.at.wire
        actor = entry.actor.rawValue
        action = entry.action.rawValue
        target = entry.target?.rawValue
        result = entry.result.rawValue
        address = entry.origin.address
        userAgent = entry.origin.userAgent
        requestId = entry.origin.requestId
        details = entry.details
    }
}
