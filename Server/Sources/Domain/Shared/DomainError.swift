/// Everything that a rule can answer instead of a result. Each protocol has its own words for each.
package enum DomainError: Error, Hashable, Sendable {
    /// The request names no application that exists here.
    case applicationUnknown
    /// No session token came with the request.
    case sessionRequired
    /// The session token is malformed, unknown, ended, expired or of another application; which, is not told.
    case sessionInvalid
    /// The user has no such session.
    case sessionUnknown
    /// There is no such user.
    case userUnknown
    /// An operator keeps the user out. Told only to who has proved to be the user.
    case userDisabled
    /// What should prove a user does not; whether there is such a user is not told.
    case credentialRefused
    /// The user must prove to be there again before this (requirement 18).
    case reauthenticationRequired
    /// Somebody else has these identifiers.
    case identifiersTaken([LogInIdentifier.Kind])
    /// Only an anonymous user can be upgraded.
    case alreadyRegistered
    /// The attempt's name was used for a different request.
    case attemptReused
    /// The user asked to be deleted, and is erased at this time unless restored before. Told only to who has proved to
    /// be the user.
    case userDeleted(erasedAt: Timestamp)
    /// Somebody else has these identifiers or this identity, and the caller has proved to be that user too.
    case mergeOffered(MergeOffer)
    /// The merge ticket is unknown, over, used, another session's, or one of its users is gone; which, is not told.
    case mergeTicketRefused
    /// The user has no such merge that could be undone.
    case mergeUnknown
    /// The transfer code leads nowhere: unknown, over, used, or withdrawn; which, is not told.
    case transferCodeRefused
    /// There is no such transfer that the caller's device could undo.
    case transferUnknown
    /// The time in which it could be undone is over.
    case undoTooLate
    /// Too much work of this kind is waiting already. Nothing was changed.
    case busy(retryAfter: Duration)
    /// The search did not end within the time that one may take. It would not the next time either.
    case searchTooSlow
    /// A mailed code is wrong, used, too old, replaced, or void; which, is not told.
    case codeRefused
    /// No mail server is set, so that nothing that needs a mail can be done.
    case mailUnavailable
    /// The request must carry a proof of possession.
    case proofRequired
    /// The proof of possession is wrong.
    case proofRefused(ProofFault)
    /// The proof was used before.
    case proofReplayed
    /// The proof was made too long ago or too far in the future by the server's clock.
    case clockSkew(serverTime: Timestamp)
    /// Values break their rules; nothing was changed.
    case fieldsRefused([ValidationError])
    /// The application does not list this audience for access tokens.
    case audienceNotAllowed
    /// Too many of this kind of request.
    case rateLimited(retryAfter: Duration)
    /// The application has no such provider.
    case providerNotEnabled
    /// The provider's token is wrong.
    case providerTokenRefused(ProviderTokenFault)
    /// The provider's token was used before.
    case providerTokenReplayed
    /// The provider does not take the authorization code: it is wrong, used or too old.
    case providerRefused
    /// The provider cannot be reached now. Nothing was changed.
    case providerUnavailable
    /// The provider does not take the application's own key or secret.
    case providerMisconfigured
    /// The identity leads to another user.
    case identityTaken
    /// The user has another identity of this provider.
    case providerAlreadyLinked
    /// The user has no identity of this provider.
    case identityUnknown
    /// Nothing else leads to the user.
    case lastWayIn
    /// The device's key was taken from the user whom it led to. Told only to who has the key.
    case deviceKeyRemoved(RemovedDeviceKey)
    /// The user's access list does not let the caller.
    case accessRefused
    /// The user's mail address must have been verified first. Told only to who has proved to be the user.
    case emailUnverified
    /// A sealed secret cannot be opened: it was sealed under another key, or is damaged.
    case secretUnreadable
    /// A rule of administration; only the admin API and commands come to it.
    case administration(AdministrationFault)
    /// The database cannot be read or written now. Nothing was changed.
    case storageUnavailable
}

/// A value that breaks a rule.
package struct ValidationError: Hashable, Sendable {
    /// The path as the domain knows it: `displayName`, `fields.score`, `device.name`.
    package var field: String
    package var rule: Rule

    package init(field: String, rule: Rule) {
        self.field = field
        self.rule = rule
    }

    package enum Rule: Hashable, Sendable {
        case tooLong(maximumCharacters: Int)
        case controlCharacter
        case empty
        case notALanguageTag
        case tooManyFields(maximum: Int)
        /// A number that is too small or too large.
        case outOfRange(ClosedRange<Int64>)
        /// Neither an address nor a network such as `10.0.0.0/8`.
        case notANetwork
        case tooManyBytes(maximum: Int)
        case tooDeep(maximumLevels: Int)
        case notUnique
        /// None of the values that the application lists.
        case notListed
        /// Something that the provider does not do.
        case notOffered
        case notAnAddress
        /// Neither the form of Apple's ids: ten capitals and digits, nor of a bundle id.
        case notAnAppleId
        case notAPrivateKey
        /// No 1 to 255 visible ASCII characters, which is what a header can carry.
        case notAKey
        /// A time that is over.
        case inThePast
        /// Neither `/` nor one free segment of a path.
        case notABasePath
        case tooShort(minimumCharacters: Int)
        /// None of these fields is there.
        case noneOf([String])
        case notAUserName
        /// Letters of scripts whose letters look alike.
        case mixedScripts
        case notAMailAddress
        case notAPhoneNumber
        /// A password of the list that everybody tries first.
        case tooCommon
        /// A password that holds a word of its surroundings, such as the user's own name.
        case containsContext
        case required
        /// Too long or too short, or with other characters, or mistyped.
        case notATransferCode
        /// Only a registered user can change it so; an anonymous one is upgraded.
        case onlyAfterUpgrade
        /// Without it nothing would lead to the user.
        case lastWayIn
        /// Not an address that a token can be put behind.
        case notALink
        /// A name in double braces that stands for no value.
        case unknownPlaceholder
        /// A template that does not show what the mail is for.
        case secretMissing
        /// An operation on a value that it does not go with: a sum of texts, an element added to a number.
        case otherType
        /// A value of another kind than the application's rule for the field has.
        case notOfKind(FieldKind)
        /// A field that the caller may not write.
        case readOnly
        /// A field that the application has no rule for, where others than operators write only those that have one.
        case notDeclared
        /// A field that the caller may not read, so that nothing can be asked of it.
        case unreadable
        /// A subject that shows the code to whoever sees the locked screen.
        case secretInSubject
    }
}
