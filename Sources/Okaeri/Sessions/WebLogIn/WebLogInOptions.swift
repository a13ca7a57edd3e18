public import OkaeriWire

/// What a log-in through the hosted pages shall be like. All of it is a wish: what people see, they decide.
public struct WebLogInOptions: Hashable, Sendable {
    /// What the pages begin with.
    public var prompt: Prompt?
    /// A user name or mail address that the person can be expected to type, such as the one of the last log-in.
    public var identifier: String?
    /// The languages of the pages, as BCP 47 tags, best first. By default those of the system.
    public var languages: [String]
    /// Light or dark, for apps that show themselves in one appearance only. By default as the system has it.
    public var appearance: Theme.Appearance?
    /// How long ago the person may have logged in on the pages; older log-ins are done again.
    public var maximumAge: Duration?

    /// What the pages begin with.
    public enum Prompt: String, Hashable, Sendable {
        /// A new log-in, also for somebody who is logged in on the pages.
        case logIn = "login"
        /// A new account.
        case signUp = "create"
        /// Nothing that people see: only who is logged in on the pages comes back logged in. Everybody else is refused with
        /// ``WebLogInRefusal/loginRequired`` or ``WebLogInRefusal/interactionRequired``.
        case nothing = "none"
    }

    /// Makes options.
    public init(
        prompt: Prompt? = nil, identifier: String? = nil, languages: [String]? = nil,
        appearance: Theme.Appearance? = nil,
        maximumAge: Duration? = nil
    ) {
        self.prompt = prompt
        self.identifier = identifier
        self.languages = languages ?? SystemDefaults.preferredLanguages()
        self.appearance = appearance
        self.maximumAge = maximumAge
    }
}

/// Why a log-in through the hosted pages came to nothing. An open set: the server's own words (RFC 6749 §4.1.2.1, OpenID
/// Connect Core 1.0 §3.1.2.6) and those of this library.
public struct WebLogInRefusal: RawRepresentable, Hashable, Sendable {
    /// The word.
    public let rawValue: String

    /// Names a reason.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Nobody is logged in on the pages, and nobody was to be asked.
    public static let loginRequired = WebLogInRefusal(rawValue: "login_required")
    /// The person would have had to press a button, and nobody was to be asked.
    public static let interactionRequired = WebLogInRefusal(rawValue: "interaction_required")
    /// The code is used, too old, or was asked for by somebody else.
    public static let codeRefused = WebLogInRefusal(rawValue: "invalid_grant")
    /// The server does not accept the device's proof.
    public static let proofRefused = WebLogInRefusal(rawValue: "invalid_dpop_proof")
    /// The address that came back belongs to another request, or to one of somebody else's.
    public static let stateMismatch = WebLogInRefusal(rawValue: "state_mismatch")
    /// Another server sent the person back (RFC 9207).
    public static let issuerMismatch = WebLogInRefusal(rawValue: "issuer_mismatch")
    /// The address that came back is not what the pages send.
    public static let callbackMalformed = WebLogInRefusal(rawValue: "callback_malformed")
    /// The identity token is not about this request.
    public static let identityTokenMismatch = WebLogInRefusal(rawValue: "identity_token_mismatch")
    /// The server has no pages: it does not know its own address.
    public static let pagesUnavailable = WebLogInRefusal(rawValue: "pages_unavailable")
}
