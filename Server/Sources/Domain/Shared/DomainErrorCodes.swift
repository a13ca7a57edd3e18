extension DomainError {
    /// The request names no application that exists here.
    package static var applicationUnknown: Self { Self(.notFound, .applicationUnknown) }
    /// No session token came with the request.
    package static var sessionRequired: Self { Self(.unauthenticated, .sessionRequired) }
    /// The session token is malformed, unknown, ended, expired or of another application; callers cannot tell which.
    package static var sessionInvalid: Self { Self(.unauthenticated, .sessionInvalid) }
    /// The user has no such session.
    package static var sessionUnknown: Self { Self(.notFound, .sessionUnknown) }
    /// There is no such user.
    package static var userUnknown: Self { Self(.notFound, .userUnknown) }
    /// An operator has disabled the user. Only a caller who has proved to be the user gets this.
    package static var userDisabled: Self { Self(.forbidden, .userDisabled) }
    /// What should prove a user does not; callers cannot tell whether there is such a user.
    package static var credentialRefused: Self { Self(.refused, .credentialRefused) }
    /// The user's mail address must have been verified first. Only a caller who has proved to be the user gets this.
    package static var emailUnverified: Self { Self(.refused, .emailUnverified) }
    /// The user must log in again before this (requirement 18).
    package static var reauthenticationRequired: Self { Self(.unauthenticated, .reauthenticationRequired) }
    /// Another user has these identifiers.
    package static func identifiersTaken(_ kinds: [LogInIdentifier.Kind]) -> Self {
        Self(.conflict, .identifiersTaken, .identifiers(kinds))
    }
    /// Only an anonymous user can be upgraded.
    package static var alreadyRegistered: Self { Self(.conflict, .alreadyRegistered) }
    /// The attempt's name was used for a different request.
    package static var attemptReused: Self { Self(.conflict, .attemptReused) }
    /// The user asked to be deleted, and is erased at this time unless restored before. Only a caller who has proved to
    /// be the user gets this.
    package static func userDeleted(erasedAt time: Timestamp) -> Self {
        Self(.forbidden, .userDeleted, .erasedAt(time))
    }
    /// Another user has these identifiers or this identity, and the caller has proved to be that user too.
    package static func mergeOffered(_ offer: MergeOffer) -> Self {
        Self(.conflict, .mergeOffered, .mergeOffer(offer))
    }
    /// The merge ticket is unknown, expired, used, another session's, or one of its users is gone; callers cannot tell
    /// which.
    package static var mergeTicketRefused: Self { Self(.refused, .mergeTicketRefused) }
    /// The user has no such merge that could be undone.
    package static var mergeUnknown: Self { Self(.notFound, .mergeUnknown) }
    /// The transfer code is unknown, expired, used, or withdrawn; callers cannot tell which.
    package static var transferCodeRefused: Self { Self(.refused, .transferCodeRefused) }
    /// There is no such transfer that the caller's device could undo.
    package static var transferUnknown: Self { Self(.notFound, .transferUnknown) }
    /// The guest's device joined by a transfer code that can be undone until this time, and no device of before has acknowledged it.
    package static func transferUnconfirmed(until time: Timestamp) -> Self {
        Self(.forbidden, .transferUnconfirmed, .undoUntil(time))
    }
    /// The time in which it could be undone has passed.
    package static var undoTooLate: Self { Self(.gone, .undoTooLate) }
    /// Too much work of this kind is waiting already. Nothing was changed.
    package static func busy(retryAfter span: Duration) -> Self {
        Self(.unavailable, .busy, .retryAfter(span))
    }
    /// The search did not end within the time that one may take. It would not the next time either.
    package static var searchTooSlow: Self { Self(.unavailable, .searchTooSlow) }
    /// What the search found is more than one response holds. Fewer users at a time are less.
    package static var searchTooLarge: Self { Self(.invalid, .searchTooLarge) }
    /// A mailed code is wrong, used, too old, replaced, or void; callers cannot tell which.
    package static var codeRefused: Self { Self(.refused, .codeRefused) }
    /// No mail server is set, so that nothing that needs a mail can be done.
    package static var mailUnavailable: Self { Self(.unavailable, .mailUnavailable) }
    /// The request must carry a proof of possession.
    package static var proofRequired: Self { Self(.unauthenticated, .proofRequired) }
    /// The proof of possession is wrong.
    package static func proofRefused(_ fault: ProofFault) -> Self {
        Self(.unauthenticated, .proofRefused, .proof(fault))
    }
    /// The proof was used before.
    package static var proofReplayed: Self { Self(.unauthenticated, .proofReplayed) }
    /// The proof was made too long ago or too far in the future by the server's clock.
    package static func clockSkew(serverTime time: Timestamp) -> Self {
        Self(.unauthenticated, .clockSkew, .serverTime(time))
    }
    /// Values break their rules; nothing was changed.
    package static func fieldsRefused(_ errors: [ValidationError]) -> Self {
        Self(.invalid, .fieldsRefused, .fields(errors))
    }
    /// The application does not list this audience for access tokens.
    package static var audienceNotAllowed: Self { Self(.invalid, .audienceNotAllowed) }
    /// Too many of this kind of request.
    package static func rateLimited(retryAfter span: Duration) -> Self {
        Self(.rateLimited, .rateLimited, .retryAfter(span))
    }
    /// The application has no such provider.
    package static var providerNotEnabled: Self { Self(.notFound, .providerNotEnabled) }
    /// The provider's token is wrong.
    package static func providerTokenRefused(_ fault: ProviderTokenFault) -> Self {
        Self(.refused, .providerTokenRefused, .providerToken(fault))
    }
    /// The provider's token was used before.
    package static var providerTokenReplayed: Self { Self(.refused, .providerTokenReplayed) }
    /// The provider does not take the authorization code: it is wrong, used or too old.
    package static var providerRefused: Self { Self(.refused, .providerRefused) }
    /// The provider cannot be reached now. Nothing was changed.
    package static var providerUnavailable: Self { Self(.unavailable, .providerUnavailable) }
    /// The provider does not take the application's own key or secret.
    package static var providerMisconfigured: Self { Self(.unavailable, .providerMisconfigured) }
    /// The identity leads to another user.
    package static var identityTaken: Self { Self(.conflict, .identityTaken) }
    /// The user has another identity of this provider.
    package static var providerAlreadyLinked: Self { Self(.conflict, .providerAlreadyLinked) }
    /// The user has no identity of this provider.
    package static var identityUnknown: Self { Self(.notFound, .identityUnknown) }
    /// Nothing else leads to the user.
    package static var lastWayIn: Self { Self(.conflict, .lastWayIn) }
    /// The device's key was removed from the user that it led to. Only a caller who has the key gets this.
    package static func deviceKeyRemoved(_ key: RemovedDeviceKey) -> Self {
        Self(.gone, .deviceKeyRemoved, .removedDeviceKey(key))
    }
    /// The user's access list does not allow the caller.
    package static var accessRefused: Self { Self(.forbidden, .accessRefused) }
    /// A sealed secret cannot be opened: it was sealed under another key, or is damaged.
    package static var secretUnreadable: Self { Self(.internal, .secretUnreadable) }
    /// The database cannot be read or written now. Nothing was changed.
    package static var storageUnavailable: Self { Self(.unavailable, .storageUnavailable) }
    /// The server is a standby, and this needs a write or its copy is too old. Nothing was changed.
    package static var standby: Self { Self(.unavailable, .standby) }

    /// A rule of administration; only the admin API, the dashboard and commands come to it.
    package static func administration(_ fault: AdministrationFault) -> Self { fault.error }
}

extension DomainError.Code {
    package static var applicationUnknown: Self { Self(rawValue: "applicationUnknown") }
    package static var sessionRequired: Self { Self(rawValue: "sessionRequired") }
    package static var sessionInvalid: Self { Self(rawValue: "sessionInvalid") }
    package static var sessionUnknown: Self { Self(rawValue: "sessionUnknown") }
    package static var userUnknown: Self { Self(rawValue: "userUnknown") }
    package static var userDisabled: Self { Self(rawValue: "userDisabled") }
    package static var credentialRefused: Self { Self(rawValue: "credentialRefused") }
    package static var emailUnverified: Self { Self(rawValue: "emailUnverified") }
    package static var reauthenticationRequired: Self { Self(rawValue: "reauthenticationRequired") }
    package static var identifiersTaken: Self { Self(rawValue: "identifiersTaken") }
    package static var alreadyRegistered: Self { Self(rawValue: "alreadyRegistered") }
    package static var attemptReused: Self { Self(rawValue: "attemptReused") }
    package static var userDeleted: Self { Self(rawValue: "userDeleted") }
    package static var mergeOffered: Self { Self(rawValue: "mergeOffered") }
    package static var mergeTicketRefused: Self { Self(rawValue: "mergeTicketRefused") }
    package static var mergeUnknown: Self { Self(rawValue: "mergeUnknown") }
    package static var transferCodeRefused: Self { Self(rawValue: "transferCodeRefused") }
    package static var transferUnknown: Self { Self(rawValue: "transferUnknown") }
    package static var transferUnconfirmed: Self { Self(rawValue: "transferUnconfirmed") }
    package static var undoTooLate: Self { Self(rawValue: "undoTooLate") }
    package static var busy: Self { Self(rawValue: "busy") }
    package static var searchTooSlow: Self { Self(rawValue: "searchTooSlow") }
    package static var searchTooLarge: Self { Self(rawValue: "searchTooLarge") }
    package static var codeRefused: Self { Self(rawValue: "codeRefused") }
    package static var mailUnavailable: Self { Self(rawValue: "mailUnavailable") }
    package static var proofRequired: Self { Self(rawValue: "proofRequired") }
    package static var proofRefused: Self { Self(rawValue: "proofRefused") }
    package static var proofReplayed: Self { Self(rawValue: "proofReplayed") }
    package static var clockSkew: Self { Self(rawValue: "clockSkew") }
    package static var fieldsRefused: Self { Self(rawValue: "fieldsRefused") }
    package static var audienceNotAllowed: Self { Self(rawValue: "audienceNotAllowed") }
    package static var rateLimited: Self { Self(rawValue: "rateLimited") }
    package static var providerNotEnabled: Self { Self(rawValue: "providerNotEnabled") }
    package static var providerTokenRefused: Self { Self(rawValue: "providerTokenRefused") }
    package static var providerTokenReplayed: Self { Self(rawValue: "providerTokenReplayed") }
    package static var providerRefused: Self { Self(rawValue: "providerRefused") }
    package static var providerUnavailable: Self { Self(rawValue: "providerUnavailable") }
    package static var providerMisconfigured: Self { Self(rawValue: "providerMisconfigured") }
    package static var identityTaken: Self { Self(rawValue: "identityTaken") }
    package static var providerAlreadyLinked: Self { Self(rawValue: "providerAlreadyLinked") }
    package static var identityUnknown: Self { Self(rawValue: "identityUnknown") }
    package static var lastWayIn: Self { Self(rawValue: "lastWayIn") }
    package static var deviceKeyRemoved: Self { Self(rawValue: "deviceKeyRemoved") }
    package static var accessRefused: Self { Self(rawValue: "accessRefused") }
    package static var secretUnreadable: Self { Self(rawValue: "secretUnreadable") }
    package static var storageUnavailable: Self { Self(rawValue: "storageUnavailable") }
    package static var standby: Self { Self(rawValue: "standby") }
}
