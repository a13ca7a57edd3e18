/// What came of a call, as coarse as a screen needs it: done, refused with words for the person, or one of three ways in
/// which nobody answered as they should.
public enum Outcome: Hashable, Sendable {
    /// The call did what was asked.
    case success
    /// It was refused. The words are for the person, in the language they prefer.
    case refused(message: String)
    /// There is no such thing at this address: the address or the application's id is wrong, or no Okaeri server responds.
    case badPath
    /// The server cannot do its work now.
    case serverError
    /// The server was not reached.
    case noNetwork
}

extension OkaeriError {
    /// The error as one of four coarse cases, for apps that show an alert and no more. ``code`` tells more.
    public var outcome: Outcome {
        switch self {
        case .offline: .noNetwork
        case .serverUnavailable: .serverError
        case .applicationUnknown, .unexpectedResponse: .badPath
        case .rateLimited, .storageLocked, .storageUnavailable, .storageDamaged, .notLoggedIn, .sessionEnded,
            .loggedOutMeanwhile, .userChanged, .credentialRefused, .codeRefused, .reauthenticationRequired,
            .identifierTaken, .alreadyRegistered, .userDisabled, .proofRefused, .invalidValues, .sessionUnknown,
            .audienceNotAllowed, .providerRefused, .identityTaken, .lastWayIn, .deviceKeyRemoved, .conflict,
            .mergeRefused, .userDeleted,
            .transferCodeRefused, .undoTooLate, .webLogInRefused, .passkeyRefused, .secondFactorRequired,
            .secondFactorEnrolmentRequired, .secondFactorNotRecent, .secondFactorRefused, .transferUnconfirmed,
            .cancelled,
            .refused:
            .refused(message: errorDescription ?? "")
        }
    }
}

extension Result where Failure == OkaeriError {
    /// The result without its value, as one of five coarse cases.
    public var outcome: Outcome {
        switch self {
        case .success: .success
        case .failure(let error): error.outcome
        }
    }
}
