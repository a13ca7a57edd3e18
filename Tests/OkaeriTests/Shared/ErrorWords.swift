import OkaeriWire
import Testing

@testable import Okaeri

/// The word of each error, written down a second time: apps and logs rely on them.
enum ErrorWords {
    struct Pinned: CustomTestStringConvertible {
        let error: OkaeriError
        let word: String
        var testDescription: String { word }

        init(_ error: OkaeriError, _ word: String) {
            self.error = error
            self.word = word
        }
    }

    private static let conflict = MergeConflict(
        MergeOfferBody(ticket: "ticket", expiresAt: WireTime(millisecondsSince1970: 0)))

    static let table: [Pinned] = [
        Pinned(.offline, "offline"),
        Pinned(.serverUnavailable(retryAfter: nil), "server_unavailable"),
        Pinned(.rateLimited(retryAfter: .seconds(1)), "rate_limited"),
        Pinned(.storageLocked, "storage_locked"),
        Pinned(.storageUnavailable("x"), "storage_unavailable_on_device"),
        Pinned(.storageDamaged("x"), "storage_damaged"),
        Pinned(.notLoggedIn, "not_logged_in"),
        Pinned(.sessionEnded, "session_ended"),
        Pinned(.loggedOutMeanwhile, "logged_out_meanwhile"),
        Pinned(.userChanged, "user_changed"),
        Pinned(.credentialRefused, "credential_refused"),
        Pinned(.codeRefused, "code_refused"),
        Pinned(.reauthenticationRequired, "reauthentication_required"),
        Pinned(.identifierTaken([]), "identifier_taken"),
        Pinned(.alreadyRegistered, "already_registered"),
        Pinned(.userDisabled, "user_disabled"),
        Pinned(.applicationUnknown, "application_unknown"),
        Pinned(.proofRefused(.proofInvalid), "proof_invalid"),
        Pinned(.invalidValues([]), "invalid_values"),
        Pinned(.sessionUnknown, "session_unknown"),
        Pinned(.audienceNotAllowed, "audience_not_allowed"),
        Pinned(.providerRefused(.providerTokenInvalid), "provider_token_invalid"),
        Pinned(.identityTaken, "identity_taken"),
        Pinned(.lastWayIn, "last_way_in"),
        Pinned(.deviceKeyRemoved(reason: nil, at: nil), "device_key_removed"),
        Pinned(.conflict(conflict), "conflict"),
        Pinned(.mergeRefused, "merge_ticket_refused"),
        Pinned(.userDeleted(erasedAt: nil), "user_deleted"),
        Pinned(.transferCodeRefused, "transfer_code_refused"),
        Pinned(.transferUnconfirmed(until: nil), "transfer_unconfirmed"),
        Pinned(.undoTooLate, "undo_too_late"),
        Pinned(.webLogInRefused(.stateMismatch), "state_mismatch"),
        Pinned(.passkeyRefused(.unknown), "passkey_unknown"),
        Pinned(.secondFactorRequired(nil), "second_factor_required"),
        Pinned(.secondFactorEnrolmentRequired(nil), "second_factor_enrolment_required"),
        Pinned(.secondFactorNotRecent, "second_factor_not_recent"),
        Pinned(.secondFactorRefused(.codeInvalid), "second_factor_invalid"),
        Pinned(.cancelled, "cancelled"),
        Pinned(.refused(code: "new_word", status: 418, detail: nil), "new_word"),
        Pinned(.unexpectedResponse(status: 200), "unexpected_answer"),
    ]

    /// A number for each case. A new case does not compile here until it has one, and `table` must then have it too.
    static func number(of error: OkaeriError) -> Int {
        switch error {
        case .offline: 1
        case .serverUnavailable: 2
        case .rateLimited: 3
        case .storageLocked: 4
        case .storageUnavailable: 5
        case .storageDamaged: 6
        case .notLoggedIn: 7
        case .sessionEnded: 8
        case .loggedOutMeanwhile: 9
        case .userChanged: 10
        case .credentialRefused: 11
        case .codeRefused: 12
        case .reauthenticationRequired: 13
        case .identifierTaken: 14
        case .alreadyRegistered: 15
        case .userDisabled: 16
        case .applicationUnknown: 17
        case .proofRefused: 18
        case .invalidValues: 19
        case .sessionUnknown: 20
        case .audienceNotAllowed: 21
        case .providerRefused: 22
        case .identityTaken: 23
        case .lastWayIn: 24
        case .conflict: 25
        case .mergeRefused: 26
        case .userDeleted: 27
        case .transferCodeRefused: 28
        case .undoTooLate: 29
        case .webLogInRefused: 30
        case .cancelled: 31
        case .refused: 32
        case .unexpectedResponse: 33
        case .deviceKeyRemoved: 34
        case .passkeyRefused: 35
        case .secondFactorRequired: 36
        case .secondFactorEnrolmentRequired: 37
        case .secondFactorNotRecent: 38
        case .secondFactorRefused: 39
        case .transferUnconfirmed: 40
        }
    }
}
