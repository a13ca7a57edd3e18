import Domain
import HTTPTypes

extension DomainError {
    /// What a person reads of an error, and the status of the page: as its code has it, or else its kind. Texts are found
    /// under `fault.` and the name.
    var pageWords: (name: String, status: HTTPResponse.Status) {
        if let words = Self.pageWords[code] { return words }
        return switch kind {
        case .invalid: ("fields", .unprocessableContent)
        // The pages log in by no key.
        case .unauthenticated, .gone: ("sessionOver", .unauthorized)
        case .refused: ("codeRefused", .unprocessableContent)
        case .forbidden: ("unknown", .forbidden)
        case .notFound: ("unknown", .notFound)
        case .conflict: ("expired", .conflict)
        case .rateLimited: ("rateLimited", .tooManyRequests)
        case .unavailable: ("unavailable", .serviceUnavailable)
        case .internal: ("unavailable", .internalServerError)
        }
    }

    private static let pageWords: [Code: (name: String, status: HTTPResponse.Status)] = DomainError.Code.words(
        [
            .userUnknown: ("sessionOver", .unauthorized), .sessionUnknown: ("sessionUnknown", .notFound),
            .userDisabled: ("userDisabled", .forbidden), .userDeleted: ("userDeleted", .forbidden),
            .credentialRefused: ("credentialRefused", .unprocessableContent),
            .emailUnverified: ("credentialRefused", .unprocessableContent),
            .secondFactorRequired: ("secondFactor", .forbidden),
            .secondFactorEnrolmentRequired: ("secondFactorMissing", .forbidden),
            .secondFactorNotRecent: ("secondFactorNotRecent", .forbidden),
            .secondFactorRefused: ("secondFactorRefused", .unprocessableContent),
            .secondFactorTicketRefused: ("secondFactorExpired", .unprocessableContent),
            .secondFactorsNotEnabled: ("expired", .conflict), .secondFactorUnknown: ("expired", .conflict),
            .reauthenticationRequired: ("reauthenticationRequired", .forbidden),
            .identifiersTaken: ("taken", .unprocessableContent), .mergeOffered: ("taken", .conflict),
            .alreadyRegistered: ("alreadyRegistered", .conflict), .mergeTicketRefused: ("expired", .conflict),
            .mergeUnknown: ("expired", .conflict), .undoTooLate: ("expired", .conflict),
            .transferUnknown: ("codeRefused", .unprocessableContent),
            .transferUnconfirmed: ("transferUnconfirmed", .forbidden), .busy: ("busy", .serviceUnavailable),
            .mailUnavailable: ("mailUnavailable", .serviceUnavailable),
            .audienceNotAllowed: ("unavailable", .badRequest), .searchTooLarge: ("unavailable", .badRequest),
            .providerTokenRefused: ("providerRefused", .unprocessableContent),
            .providerTokenReplayed: ("providerRefused", .unprocessableContent),
            .providerRefused: ("providerRefused", .unprocessableContent),
            .identityUnknown: ("providerRefused", .unprocessableContent),
            .providerUnavailable: ("providerUnavailable", .badGateway),
            .providerMisconfigured: ("providerUnavailable", .badGateway), .identityTaken: ("identityTaken", .conflict),
            .providerAlreadyLinked: ("providerAlreadyLinked", .conflict), .lastWayIn: ("lastWayIn", .conflict),
            .hookRefused: ("hookRefused", .forbidden), .hookUnavailable: ("unavailable", .serviceUnavailable),
            .passkeyUnknown: ("passkeyUnknown", .unprocessableContent),
            .passkeyRefused: ("passkeyRefused", .unprocessableContent),
            .proofOfWorkRequired: ("workRequired", .forbidden), .proofReplayed: ("expired", .conflict),
        ], ofAdministration: ("unknown", .forbidden))
}

extension ValidationError.Rule {
    /// What a person reads of a broken rule: a text under `rule.` and this name, with values for its gaps.
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
        case .breached: ("breached", [:])
        case .containsContext: ("containsContext", [:])
        case .notATransferCode: ("notATransferCode", [:])
        case .lastWayIn: ("lastWayIn", [:])
        case .notOfKind(.integer): ("notAWholeNumber", [:])
        case .notOfKind(.number): ("notANumber", [:])
        case .notOfKind(.date): ("notADate", [:])
        case .notOfKind(.object): ("notAnObject", [:])
        case .tooDeep(let maximum): ("tooDeep", ["maximum": String(maximum)])
        case .onlyAfterUpgrade, .tooManyFields, .notListed, .notOffered, .notAnAddress, .notAnAppleId, .notAPlayKey,
            .notAPrivateKey, .notAKey, .notABasePath, .notALink, .unknownPlaceholder, .secretMissing,
            .notOfKind, .readOnly, .notDeclared, .unreadable, .notAFieldName, .secretInSubject, .secretInAddress,
            .inThePast, .otherType, .outOfRange, .notADomain, .notOwnDomain, .notOwnAudience, .notAnOrigin,
            .notAnAuthenticator, .notACertificate, .notANetwork,
            .notATriableHash, .notAUserId, .notAGrantName, .notAClaimName, .reserved, .notServersField:
            ("notPossible", [:])
        }
    }
}
