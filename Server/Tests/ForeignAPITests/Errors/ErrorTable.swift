@testable import Domain
import Foundation

/// `Fixtures/errors.table`: what every error looks like in every surface. A row is a code, a column a surface.
struct ErrorTable {
    /// By code and surface: a status and a word, or `-` where the surface has no page for it.
    let cells: [String: [String: String]]
    let surfaces: [String]

    init() throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("Fixtures/errors.table")
        let rows = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map { line in
            line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        }
        surfaces = Array(rows[0].dropFirst())
        cells = Dictionary(
            rows.dropFirst().map { row in
                (row[0], Dictionary(zip(rows[0].dropFirst(), row.dropFirst())) { first, _ in first })
            }, uniquingKeysWith: { first, _ in first })
    }

    /// One error of every code.
    static let errors: [DomainError] = [
        .applicationUnknown, .sessionRequired, .sessionInvalid, .sessionUnknown, .userUnknown, .userDisabled,
        .credentialRefused, .emailUnverified, .reauthenticationRequired, .identifiersTaken([.email]),
        .alreadyRegistered, .attemptReused, .userDeleted(erasedAt: time), mergeOffer, .mergeTicketRefused,
        .mergeUnknown, .transferCodeRefused, .transferUnknown, .transferUnconfirmed(until: time), .undoTooLate,
        .busy(retryAfter: .seconds(5)), .searchTooSlow, .searchTooLarge, .codeRefused, .mailUnavailable, .proofRequired,
        .proofRefused(.malformed),
        .proofReplayed,
        .clockSkew(serverTime: time), .fieldsRefused([ValidationError(field: "fields.score", rule: .otherType)]),
        .audienceNotAllowed, .rateLimited(retryAfter: .seconds(7)), .providerNotEnabled,
        .providerTokenRefused(.signature), .providerTokenReplayed, .providerRefused, .providerUnavailable,
        .providerMisconfigured, .identityTaken, .providerAlreadyLinked, .identityUnknown, .lastWayIn,
        .deviceKeyRemoved(removedKey), .accessRefused, .secretUnreadable, .storageUnavailable, .standby,
        .administration(.adminRequired), .administration(.notAllowed(.readUsers)), .administration(.notFound),
        .administration(.changedMeanwhile), .administration(.linkRefused), .administration(.nameTaken),
        .administration(.lastOwner), .administration(.mailExpired), .administration(.versionRequired),
    ]

    static let time = Timestamp(milliseconds: 1_700_000_000_000)

    static let mergeOffer = DomainError.mergeOffered(
        MergeOffer(ticket: Secret("okm_ticket"), expiresAt: time, cause: .identifiers([.email])))

    static let removedKey = RemovedDeviceKey(
        application: Identifier(rawValue: "app"), thumbprint: "thumb", user: Identifier(rawValue: "user"),
        reason: .init(rawValue: "password_changed"), removedAt: time)

    static func error(_ code: String) -> DomainError? { errors.first { $0.code.rawValue == code } }
}
