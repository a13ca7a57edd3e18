import Domain
import HTTPTypes

extension DomainError {
    /// What a person reads of an error, and the status of the page. Texts are found under `fault.` and the name.
    var pageWords: (name: String, status: HTTPResponse.Status) {
        switch self {
        case .applicationUnknown: ("unknown", .notFound)
        case .sessionRequired, .sessionInvalid, .userUnknown: ("sessionOver", .unauthorized)
        case .sessionUnknown: ("sessionUnknown", .notFound)
        case .userDisabled: ("userDisabled", .forbidden)
        case .credentialRefused, .emailUnverified: ("credentialRefused", .unprocessableContent)
        case .reauthenticationRequired: ("reauthenticationRequired", .forbidden)
        case .identifiersTaken: ("taken", .unprocessableContent)
        case .alreadyRegistered: ("alreadyRegistered", .conflict)
        case .attemptReused: ("expired", .conflict)
        case .userDeleted: ("userDeleted", .forbidden)
        case .mergeOffered: ("taken", .conflict)
        case .mergeTicketRefused, .mergeUnknown: ("expired", .conflict)
        case .transferCodeRefused, .transferUnknown: ("codeRefused", .unprocessableContent)
        case .undoTooLate: ("expired", .conflict)
        case .busy: ("busy", .serviceUnavailable)
        case .codeRefused: ("codeRefused", .unprocessableContent)
        case .mailUnavailable: ("mailUnavailable", .serviceUnavailable)
        case .proofRequired, .proofRefused, .proofReplayed, .clockSkew: ("sessionOver", .unauthorized)
        case .fieldsRefused: ("fields", .unprocessableContent)
        case .audienceNotAllowed: ("unavailable", .badRequest)
        case .rateLimited: ("rateLimited", .tooManyRequests)
        case .providerNotEnabled: ("unknown", .notFound)
        case .providerTokenRefused, .providerTokenReplayed, .providerRefused, .identityUnknown:
            ("providerRefused", .unprocessableContent)
        case .providerUnavailable, .providerMisconfigured: ("providerUnavailable", .badGateway)
        case .identityTaken, .providerAlreadyLinked: ("identityTaken", .conflict)
        case .lastWayIn: ("lastWayIn", .conflict)
        // The pages log nobody in by a key.
        case .deviceKeyRemoved: ("sessionOver", .unauthorized)
        case .accessRefused, .administration: ("unknown", .forbidden)
        case .secretUnreadable: ("unavailable", .internalServerError)
        case .searchTooSlow, .storageUnavailable: ("unavailable", .serviceUnavailable)
        }
    }

    /// How long to wait, when that is known.
    var wait: Duration? {
        switch self {
        case .rateLimited(let span), .busy(let span): span
        default: nil
        }
    }
}

extension ValidationError.Rule {
    /// What a person reads of a broken rule: a text under `rule.` and this name, with values for its places.
    var pageWords: (name: String, values: [String: String]) {
        switch self {
        case .tooLong(let maximum): ("tooLong", ["maximum": String(maximum)])
        case .tooShort(let minimum): ("tooShort", ["minimum": String(minimum)])
        case .tooManyBytes(let maximum): ("tooLong", ["maximum": String(maximum)])
        case .controlCharacter: ("controlCharacter", [:])
        case .empty, .required: ("required", [:])
        case .notALanguageTag: ("notALanguageTag", [:])
        case .notUnique: ("notUnique", [:])
        case .noneOf: ("noneOf", [:])
        case .notAUserName: ("notAUserName", [:])
        case .mixedScripts: ("mixedScripts", [:])
        case .notAMailAddress: ("notAMailAddress", [:])
        case .notAPhoneNumber: ("notAPhoneNumber", [:])
        case .tooCommon: ("tooCommon", [:])
        case .containsContext: ("containsContext", [:])
        case .notATransferCode: ("notATransferCode", [:])
        case .lastWayIn: ("lastWayIn", [:])
        case .notOfKind(.integer): ("notAWholeNumber", [:])
        case .notOfKind(.number): ("notANumber", [:])
        case .notOfKind(.date): ("notADate", [:])
        case .notOfKind(.object): ("notAnObject", [:])
        case .tooDeep(let maximum): ("tooDeep", ["maximum": String(maximum)])
        case .onlyAfterUpgrade, .tooManyFields, .notListed, .notOffered, .notAnAddress, .notAnAppleId,
            .notAPrivateKey, .notAKey, .notABasePath, .notALink, .unknownPlaceholder, .secretMissing,
            .notOfKind, .readOnly, .notDeclared, .unreadable, .secretInSubject, .inThePast, .otherType, .outOfRange,
            .notANetwork:
            ("notPossible", [:])
        }
    }
}
