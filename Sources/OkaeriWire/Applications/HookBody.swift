/// A question to an app's own backend, in the form of Standard Webhooks: type, time and data. The response decides whether
/// something happens: see ``HookDecisionBody``.
public struct HookBody: Codable, Hashable, Sendable {
    /// The question's id: each question has another one.
    public var id: String
    /// Before what it is asked: `hook.sign-up`, `hook.upgrade`, `hook.access-token`, `hook.log-in`. An open set.
    public var type: String
    /// When.
    public var timestamp: WireTime
    /// What it is about.
    public var data: Subject

    /// What a question is about.
    public struct Subject: Codable, Hashable, Sendable {
        /// The application.
        public var application: String
        /// The user's id. A user that is about to be made has it from then on.
        public var user: String
        /// The user as it is, or as it will be.
        public var profile: EventBody.Profile
        /// By which way somebody registers: `signUp`, `provider`, `device`, `mail`, `account`, `identities`. An open set.
        public var way: String?
        /// The identity providers that vouch for the user.
        public var providers: [String]
        /// The mail address that a provider vouches for, while the user has none of its own.
        public var vouchedEmail: VouchedEmail?
        /// The network address of the client.
        public var address: String?
        /// The session that asks for a token.
        public var session: String?
        /// For whom the token is.
        public var audience: String?
        /// What the token says by the application's rules.
        public var claims: [String: JSONValue]?
        /// What somebody typed to log in. Of `hook.log-in` alone.
        public var logIn: LogIn?
        /// Present for a test: nothing happens, whatever the response is.
        public var isTest: Bool?

        /// Makes a subject.
        public init(application: String, user: String, profile: EventBody.Profile, providers: [String] = []) {
            self.application = application
            self.user = user
            self.profile = profile
            self.providers = providers
        }
    }

    /// A log-in whose password is not right here.
    public struct LogIn: Codable, Hashable, Sendable {
        /// What `identifier` is: `username`, `email` or `phone`. An open set.
        public var kind: String
        /// What was typed.
        public var identifier: String
        /// The password as it was typed.
        public var password: String

        /// Makes a log-in.
        public init(kind: String, identifier: String, password: String) {
            self.kind = kind
            self.identifier = identifier
            self.password = password
        }
    }

    /// A mail address as a provider tells it.
    public struct VouchedEmail: Codable, Hashable, Sendable {
        /// The address.
        public var address: String
        /// Whether the provider has seen the person receive mail there.
        public var isVerified: Bool

        /// Makes an address.
        public init(address: String, isVerified: Bool) {
            self.address = address
            self.isVerified = isVerified
        }
    }

    /// Makes a question.
    public init(id: String, type: String, timestamp: WireTime, data: Subject) {
        self.id = id
        self.type = type
        self.timestamp = timestamp
        self.data = data
    }
}

/// The question `hook.adoption` to an app's own backend: whose is the token of a service that the server does not know? The
/// response names the ``HookDecisionBody/user``, or refuses.
public struct OwnerQuestionBody: Codable, Hashable, Sendable {
    /// The question's id: each question has another one.
    public var id: String
    /// `hook.adoption`.
    public var type: String
    /// When.
    public var timestamp: WireTime
    /// What it is about.
    public var data: Subject

    /// What a question is about.
    public struct Subject: Codable, Hashable, Sendable {
        /// The application.
        public var application: String
        /// What the app calls the service.
        public var service: String
        /// The token that the device has of it. Not for logs.
        public var token: String
        /// The network address of the client.
        public var address: String?
        /// Present for a test: nothing happens, whatever the response is.
        public var isTest: Bool?

        /// Makes a subject.
        public init(application: String, service: String, token: String) {
            self.application = application
            self.service = service
            self.token = token
        }
    }

    /// Makes a question.
    public init(id: String, type: String, timestamp: WireTime, data: Subject) {
        self.id = id
        self.type = type
        self.timestamp = timestamp
        self.data = data
    }
}

/// What an app's own backend decides. It is the body of a response with the status 200; 204 without a body allows too.
public struct HookDecisionBody: Codable, Hashable, Sendable {
    /// `allow` or `refuse`.
    public var decision: String
    /// What the person reads of a refusal: one line, of which 200 characters are kept.
    public var message: String?
    /// Fields of a new user that only the server writes.
    public var fields: [String: JSONValue]?
    /// Further claims of the access token.
    public var claims: [String: JSONValue]?
    /// The id of the user whose token was asked about.
    public var user: String?

    /// Makes a decision.
    public init(
        decision: String, message: String? = nil, fields: [String: JSONValue]? = nil,
        claims: [String: JSONValue]? = nil
    ) {
        self.decision = decision
        self.message = message
        self.fields = fields
        self.claims = claims
    }
}
