package import enum OkaeriWire.JSONValue

/// What a hook is asked about.
package struct HookSubject: Sendable {
    package let user: Identifier<User>
    /// The user as it is, or as it will be.
    package let profile: EventUser
    /// The mail address that a provider vouches for, while the user has none.
    package var vouchedEmail: ProviderEmail?
    /// By which way somebody registers.
    package var way: RegistrationWay?
    /// Who vouches for the person.
    package var providers: [String] = []
    /// Where the request came from.
    package var address: String?
    /// The session that asks for a token.
    package var session: Identifier<Session>?
    /// For whom the token is.
    package var audience: String?
    /// What somebody typed to log in, and the password.
    package var logIn: (identifier: LogInIdentifier, password: Secret)?
    /// What the token says by the application's rules.
    package var claims: [String: JSONValue]?

    /// Whose share of the hook it takes: that of the client's address, or of the user where no address is known.
    var client: ClientAddress { ClientAddress(text: address ?? user.rawValue) }

    init(_ user: User) {
        self.user = user.id
        profile = EventUser(user)
        providers = Set(user.identities.map(\.provider).filter(\.registers).map(\.rawValue)).sorted()
    }
}

/// A question to a hook.
package struct HookRequest: Sendable {
    /// Another one with each question.
    package let id: String
    package let hook: Hook
    package let application: Identifier<Application>
    package let subject: HookSubject
    package let at: Timestamp
    /// Whether nothing happens, whatever the response is.
    package let isTest: Bool
    /// One signature is made by each.
    package let secrets: [Secret]

    package init(
        id: String, hook: Hook, application: Identifier<Application>, subject: HookSubject, at: Timestamp,
        isTest: Bool, secrets: [Secret]
    ) {
        self.id = id
        self.hook = hook
        self.application = application
        self.subject = subject
        self.at = at
        self.isTest = isTest
        self.secrets = secrets
    }
}

/// What a hook decided, or why it did not.
package enum HookOutcome: Hashable, Sendable {
    /// It may happen, with these fields of a new user or claims of a token.
    case allowed(fields: [String: JSONValue], claims: [String: JSONValue])
    case refused(message: String?)
    /// A response came that is no decision.
    case malformed(reason: String)
    /// No response came in time.
    case silent(reason: String)
    /// Nobody was asked: too many calls of the application, or of this server, are under way.
    case busy(reason: String)
}

/// Asks the backends of apps.
package protocol HookCarrier: Sendable {
    func ask(_ request: HookRequest) async -> HookOutcome
    /// Asks whose a token of another service is.
    func owner(_ question: OwnerQuestion) async -> OwnerOutcome
    /// Whether an address may be asked, as far as its text tells.
    func mayAsk(_ url: String) -> Bool
}

/// Asks nobody: for worlds without a network.
package struct NoHookCarrier: HookCarrier {
    package init() {}
    package func ask(_ request: HookRequest) async -> HookOutcome { .silent(reason: DeliveryFault.text(.noNetwork)) }
    package func mayAsk(_ url: String) -> Bool { false }
}

/// Asks an application's hook whether something may happen. It is called between transactions, never in one.
package struct AskHook: Sendable {
    package static let maximumMessageCharacters = 200
    package static let maximumClaims = ClaimRule.maximumRules
    /// Calls of the hooks of all applications that are under way at once, on one node.
    package static let lanes = 1024

    let clock: any WallClock
    let randomness: any Randomness
    let secrets: EventSecrets
    let carrier: any HookCarrier
    let breakers: HookBreakers
    let lanes: SharedLanes
    let observer: HookObserver
    let refusals: HookRefusals

    /// - Parameters:
    ///   - hook: Which one.
    ///   - subject: What it is about.
    ///   - application: Whose hook.
    ///   - judge: Returns what is wrong with the fields and claims of a response.
    /// - Returns: fields and claims; `nil` when the hook is down and it may happen without being asked.
    /// - Throws: `hookRefused`; `hookUnavailable` when the hook is down and nothing happens then.
    func callAsFunction(
        _ hook: Hook, about subject: HookSubject, in application: Application,
        judging judge: (_ fields: [String: JSONValue], _ claims: [String: JSONValue]) -> String?
    ) async throws(DomainError) -> (fields: [String: JSONValue], claims: [String: JSONValue])? {
        let key = HookBreakers.Key(hook, in: application.id)
        let client = subject.client
        let permit = breakers.admit(key, client, at: clock.now)
        switch permit {
        case .asked, .probe: break
        case .refused:
            observer.calls.note(HookCall(hook.point, .skipped))
            try hook.refuseWhenDown()
            return nil
        // The hook is not down: nobody gets past it by asking for more than its share, or together with many others.
        case .overShare, .full:
            observer.calls.note(HookCall(hook.point, .overShare))
            throw .hookUnavailable
        }
        let start = ContinuousClock.now
        let outcome = Self.judged(
            await ask(hook, about: subject, in: application.id, isTest: false), of: hook.point, by: judge)
        note(.init(outcome), of: permit, key, client, since: start)
        switch outcome {
        case .allowed(let fields, let claims): return (fields, claims)
        case .refused(let message): throw .hookRefused(Self.message(message))
        // Who makes the call writes to the log why there is no response.
        case .silent: break
        // It was not asked, and is not down.
        case .busy: throw .hookUnavailable
        case .malformed(let reason):
            observer.faults.note("the hook \(hook.point.rawValue) of \(application.id): \(reason)")
        }
        try hook.refuseWhenDown()
        return nil
    }

    /// Says what became of a call that was admitted, to the breaker and to the observer.
    func note(
        _ result: HookCall.Result, of permit: HookBreaker.Permit, _ key: HookBreakers.Key,
        _ client: ClientAddress, since start: ContinuousClock.Instant
    ) {
        let learned: HookBreaker.Result =
            switch result {
            case .silent: Task.isCancelled ? .unknown : .silent
            case .skipped, .overShare: .unknown
            case .allowed, .refused, .malformed: .responded
            }
        breakers.note(learned, of: permit, key, client, at: clock.now)
        observer.calls.note(HookCall(key.point, result, start.duration(to: .now)))
    }

    /// One call, without the breaker.
    func ask(
        _ hook: Hook, about subject: HookSubject, in application: Identifier<Application>, isTest: Bool
    ) async -> HookOutcome {
        guard lanes.take(for: application) else { return .busy(reason: SharedLanes.full) }
        defer { lanes.leave(application) }
        let now = clock.now
        do throws(DomainError) {
            return await carrier.ask(
                HookRequest(
                    id: Base64URL.text(of: randomness.bytes(16)), hook: hook, application: application,
                    subject: subject, at: now, isTest: isTest,
                    secrets: try secrets.signing(hook, of: application, at: now)))
        } catch {
            return .malformed(reason: DeliveryFault.text(.hookKeyUnknown))
        }
    }

    /// A response that allows something and adds what it may not add is none.
    static func judged(
        _ outcome: HookOutcome, of point: HookPoint,
        by judge: (_ fields: [String: JSONValue], _ claims: [String: JSONValue]) -> String?
    ) -> HookOutcome {
        guard case .allowed(let fields, let claims) = outcome else { return outcome }
        if !fields.isEmpty, point != .signUp, point != .logIn {
            return .malformed(reason: DeliveryFault.text(.hookFieldsElsewhere))
        }
        if !claims.isEmpty, point != .accessToken, point != .logIn {
            return .malformed(reason: DeliveryFault.text(.hookClaimsElsewhere))
        }
        return judge(fields, claims).map { .malformed(reason: $0) } ?? outcome
    }

    /// A message as apps get it: one line of bounded length.
    static func message(_ text: String?) -> String? {
        guard let text else { return nil }
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            guard scalars.count < maximumMessageCharacters else { break }
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned: scalars.append(" ")
            case .format where scalar.properties.isBidiControl: scalars.append(" ")
            default: scalars.append(scalar)
            }
        }
        let words = String(scalars).pieces(at: " ").joined(separator: " ")
        return words.isEmpty ? nil : words
    }
}

extension Hook {
    /// - Throws: `hookUnavailable` when nothing happens while the hook is down.
    fileprivate func refuseWhenDown() throws(DomainError) {
        guard whenDown == .allow else { throw .hookUnavailable }
    }
}

extension DomainError {
    /// The app's own backend does not let it happen.
    package static func hookRefused(_ message: String?) -> Self {
        Self(.forbidden, .hookRefused, message.map { .message($0) } ?? .none)
    }
    /// The app's own backend would have to be asked, and gives no valid response. Nothing was changed.
    package static var hookUnavailable: Self { Self(.unavailable, .hookUnavailable) }
}

extension DomainError.Code {
    package static var hookRefused: Self { Self(rawValue: "hookRefused") }
    package static var hookUnavailable: Self { Self(rawValue: "hookUnavailable") }
}
