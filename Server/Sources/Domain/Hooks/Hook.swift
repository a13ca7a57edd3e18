/// Before what an app's backend is asked. The raw values are names of the API.
package enum HookPoint: String, CaseIterable, Hashable, Sendable {
    /// Before a user is made.
    case signUp = "sign-up"
    /// Before an anonymous user becomes a registered one.
    case upgrade
    /// Before an access token is issued.
    case accessToken = "access-token"
}

/// An address of an app's backend that is asked before something happens, and decides whether it does.
package struct Hook: Hashable, Sendable {
    /// What happens while the backend gives no valid response.
    package enum WhenDown: String, CaseIterable, Hashable, Sendable {
        /// It happens without being asked.
        case allow
        /// It does not happen.
        case refuse
    }

    package static let maximumURLCharacters = 1000
    /// How long a response may take, in milliseconds.
    package static let timeouts: ClosedRange<Int64> = 50...5000
    package static let standardTimeout: Int64 = 500
    /// How long a secret that was replaced still signs beside its successor, at the most.
    package static let longestOverlap = EventEndpoint.longestOverlap

    package let point: HookPoint
    package var url: String
    /// How long a response may take, name look-up and connection with it.
    package var timeoutMilliseconds: Int64
    package var whenDown: WhenDown
    /// Whether anonymous users are asked about too; at sign-up alone.
    package var asksGuests: Bool
    package let createdAt: Timestamp
    /// The sealed secret that signs.
    package var sealedSecret: [UInt8]
    /// The one before, which signs too until `formerUntil`.
    package var sealedFormer: [UInt8]?
    package var formerUntil: Timestamp?

    package init(
        _ point: HookPoint, url: String, timeoutMilliseconds: Int64 = Hook.standardTimeout, whenDown: WhenDown,
        asksGuests: Bool = false, createdAt: Timestamp, sealedSecret: [UInt8]
    ) {
        self.point = point
        self.url = url
        self.timeoutMilliseconds = timeoutMilliseconds
        self.whenDown = whenDown
        self.asksGuests = asksGuests
        self.createdAt = createdAt
        self.sealedSecret = sealedSecret
    }

    package var timeout: Duration { .milliseconds(timeoutMilliseconds) }

    /// What its secrets are sealed for.
    static func purpose(_ point: HookPoint, _ application: Identifier<Application>) -> String {
        "hook \(application) \(point.rawValue)"
    }

    /// What breaks a rule.
    func faults(_ carrier: any HookCarrier) -> [ValidationError] {
        var faults = TextRule(maximumCharacters: Self.maximumURLCharacters).faults(of: url, field: "url")
        if faults.isEmpty, !carrier.mayAsk(url) { faults.append(ValidationError(field: "url", rule: .notAnAddress)) }
        if !Self.timeouts.contains(timeoutMilliseconds) {
            faults.append(ValidationError(field: "timeoutMilliseconds", rule: .outOfRange(Self.timeouts)))
        }
        if asksGuests, point != .signUp { faults.append(ValidationError(field: "asksGuests", rule: .notOffered)) }
        return faults
    }
}

extension Application {
    /// The hook that is asked before a user is made; `nil` when nobody is asked.
    func hook(beforeSignUpOf user: User) -> Hook? {
        guard let hook = settings.hooks[.signUp], hook.asksGuests || !user.isAnonymous else { return nil }
        return hook
    }

    /// The hook that is asked before a change makes an anonymous user a registered one; `nil` when nobody is asked.
    func hook(beforeUpgradeOf before: User, to user: User) -> Hook? {
        guard let hook = settings.hooks[.upgrade], before.isAnonymous, !user.isAnonymous else { return nil }
        return hook
    }
}
