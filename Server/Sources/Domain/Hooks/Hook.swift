/// Before what an app's backend is asked. The raw values are names of the API.
package enum HookPoint: String, CaseIterable, Hashable, Sendable {
    /// Before a user is made.
    case signUp = "sign-up"
    /// Before an anonymous user becomes a registered one.
    case upgrade
    /// Before an access token is issued.
    case accessToken = "access-token"
    /// Beside a password that is not right here, of somebody who may be known to the service of before.
    case logIn = "log-in"
    /// Whose a token is that a device still has of a service which the server does not know.
    case adoption
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

    /// A span of time, whose ends may be open.
    package struct Window: Hashable, Sendable {
        package var from: Timestamp?
        package var until: Timestamp?

        package init(from: Timestamp? = nil, until: Timestamp? = nil) {
            self.from = from
            self.until = until
        }

        func contains(_ now: Timestamp) -> Bool {
            (from.map { $0 <= now } ?? true) && (until.map { now < $0 } ?? true)
        }
    }

    package static let maximumURLCharacters = 1000
    /// How long a response may take, in milliseconds.
    package static let timeouts: ClosedRange<Int64> = 50...5000
    package static let standardTimeout: Int64 = 500

    package let point: HookPoint
    package var url: String
    /// How long a response may take, name look-up and connection with it.
    package var timeoutMilliseconds: Int64
    package var whenDown: WhenDown
    /// Whether anonymous users are asked about too; at sign-up alone.
    package var asksGuests: Bool
    /// Switched off: nobody is asked, as if there were no hook; address and secret stay.
    package var isPaused = false
    /// From when to when it is asked; at log-in alone, where the end must be known.
    package var window = Window()
    package let createdAt: Timestamp
    /// The sealed secret that signs.
    package var sealedSecret: [UInt8]
    /// The one before, which signs too until `formerUntil`, or several that do; see `EventSecrets`.
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
        // Without a response nobody knows who logs in.
        if whenDown == .allow, point == .adoption {
            faults.append(ValidationError(field: "whenDown", rule: .notOffered))
        }
        if asksGuests, point != .signUp { faults.append(ValidationError(field: "asksGuests", rule: .notOffered)) }
        if point == .logIn {
            if window.until == nil { faults.append(ValidationError(field: "until", rule: .required)) }
            if let from = window.from, let until = window.until, until <= from {
                faults.append(ValidationError(field: "until", rule: .inThePast))
            }
        } else if window != Window() {
            faults.append(ValidationError(field: "until", rule: .notOffered))
        }
        return faults
    }
}

extension Application {
    /// The hook that is asked before something; `nil` for none, and for one that is switched off.
    package func activeHook(_ point: HookPoint) -> Hook? {
        guard let hook = settings.hooks[point], !hook.isPaused else { return nil }
        return hook
    }

    /// The hook that is asked about a password that is not right here; `nil` when nobody is asked now.
    func hook(atLogInAt now: Timestamp) -> Hook? {
        guard let hook = activeHook(.logIn), hook.window.contains(now) else { return nil }
        return hook
    }

    /// The hook that is asked before a user is made; `nil` when nobody is asked.
    func hook(beforeSignUpOf user: User) -> Hook? {
        guard let hook = activeHook(.signUp), hook.asksGuests || !user.isAnonymous else { return nil }
        return hook
    }

    /// The hook that is asked before a change makes an anonymous user a registered one; `nil` when nobody is asked.
    func hook(beforeUpgradeOf before: User, to user: User) -> Hook? {
        guard let hook = activeHook(.upgrade), before.isAnonymous, !user.isAnonymous else { return nil }
        return hook
    }
}
