public import Foundation
public import Okaeri
public import OkaeriWire

/// An Okaeri server inside the test: give it to a client as its transport.
///
/// It checks proofs and sessions as the real one does, speaks the same wire format, and knows one application. It can be
/// taken off the network, made to fail, and looked into.
///
/// ```swift
/// let server = InMemoryServer(application: "demo")
/// let client = OkaeriClient(server: server.url, application: "demo", vault: MemoryVault(), transport: server)
/// ```
public final class InMemoryServer: Transport {
    /// The application that the server knows.
    public let application: String
    /// An address for clients. The server responds at any other too.
    public let url: URL
    let clock: any WallClock
    let randomness: any Randomness
    let contents = Protected(ServerContents())

    /// Makes a server without users.
    ///
    /// - Parameters:
    ///   - application: The id of its application.
    ///   - clock: The clock that it and its clients live by. Make theirs differ with ``clockOffset``.
    ///   - randomness: Where ids and tokens come from.
    public init(
        application: String = "demo", clock: any WallClock = TestClock(), randomness: any Randomness = TestRandomness()
    ) {
        self.application = application
        self.clock = clock
        self.randomness = randomness
        guard let url = URL(string: "https://okaeri.test") else { preconditionFailure("the address is a constant") }
        self.url = url
    }

    // MARK: Switches

    /// Whether the device has no network.
    public var isOffline: Bool {
        get { contents.withValue { $0.isOffline } }
        set { contents.withValue { $0.isOffline = newValue } }
    }

    /// How far the server's clock is ahead of `clock`, in seconds.
    public var clockOffset: TimeInterval {
        get { contents.withValue { $0.clockOffset } }
        set { contents.withValue { $0.clockOffset = newValue } }
    }

    /// Whether the application wants a proof with every request.
    public var proofRequired: Bool {
        get { contents.withValue { $0.proofRequired } }
        set { contents.withValue { $0.proofRequired = newValue } }
    }

    /// The audiences for which the application mints access tokens, beside its own id.
    public var audiences: Set<String> {
        get { contents.withValue { $0.audiences } }
        set { contents.withValue { $0.audiences = newValue } }
    }

    /// The domain that the application's passkeys belong to; `nil`, as at first, when it has none.
    public var passkeyDomain: String? {
        get { contents.withValue { $0.passkeyDomain } }
        set { contents.withValue { $0.passkeyDomain = newValue } }
    }

    /// Whether the application has second factors: nobody, as at first, everybody who has added one, or every registered user.
    public var secondFactorMode: TestSecondFactorMode {
        get { contents.withValue { $0.secondFactors.mode } }
        set { contents.withValue { $0.secondFactors.mode = newValue } }
    }

    /// Whether a device whose key leads to the user counts as the second factor. At first it does.
    public var deviceKeysCountAsSecondFactor: Bool {
        get { contents.withValue { $0.secondFactors.deviceKeysCount } }
        set { contents.withValue { $0.secondFactors.deviceKeysCount = newValue } }
    }

    /// What the server tells log-in screens of its application; `nil` for the standard.
    public var profile: ApplicationProfile? {
        get { contents.withValue { $0.profile } }
        set { contents.withValue { $0.profile = newValue } }
    }

    /// Lets coming requests fail.
    ///
    /// - Parameters:
    ///   - fault: In what way.
    ///   - path: Which requests: all by default.
    ///   - times: How many of them.
    public func fail(_ fault: ServerFault, path: String? = nil, times: Int = 1) {
        contents.withValue { contents in
            contents.faults += (0..<times).map { _ in ServerContents.PlannedFault(fault: fault, path: path) }
        }
    }

    /// Keeps the responses to coming requests back until ``release()``. The requests have their effect at once.
    ///
    /// - Parameter path: Which requests: all by default.
    public func hold(path: String? = nil) {
        contents.withValue { $0.held = .some(path) }
    }

    /// Sends the responses that were held back.
    public func release() {
        let waiting = contents.withValue { contents in
            contents.held = nil
            defer { contents.waiting = [] }
            return contents.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    /// Ends all sessions, as an operator or the passing of time would.
    public func endAllSessions() {
        contents.withValue { $0.sessions = [:] }
    }

    /// Disables a user.
    public func disable(_ user: User.ID) {
        contents.withValue { contents in
            contents.users[user]?.isDisabled = true
            contents.sessions = contents.sessions.filter { $0.value.user != user }
        }
    }

    /// Gives a user roles, and what they permit, in place of those before.
    ///
    /// - Parameters:
    ///   - user: Whom.
    ///   - roles: The names of the roles, which become the claim `roles` of access tokens.
    ///   - permissions: The names of what they permit.
    ///   - claims: Further claims of access tokens.
    public func setRoles(
        of user: User.ID, _ roles: [String], permissions: [String] = [], claims: [String: JSONValue] = [:]
    ) {
        var all = claims
        if !roles.isEmpty { all["roles"] = .array(roles.map { .string($0) }) }
        let version = all.isEmpty ? nil : newName("v", 9)
        contents.withValue { contents in
            contents.users[user]?.body.roles = roles.isEmpty ? nil : roles
            contents.users[user]?.body.permissions = permissions.isEmpty ? nil : permissions
            contents.users[user]?.body.claims = all.isEmpty ? nil : all
            contents.users[user]?.body.claimsVersion = version
        }
    }

    /// Erases a user, so that the next log-in of the device makes a new one.
    public func erase(_ user: User.ID) {
        contents.withValue { contents in
            contents.users[user] = nil
            contents.usersByKey = contents.usersByKey.filter { $0.value != user }
            contents.passkeys.removeAll { $0.user == user }
            contents.secondFactors.factors.removeAll { $0.user == user }
            contents.sessions = contents.sessions.filter { $0.value.user != user }
        }
    }

    // MARK: Looking in

    /// All users, in the order in which they were made.
    public var users: [UserBody] {
        contents.withValue { $0.users.values.sorted { $0.number < $1.number }.map(\.body) }
    }

    /// How many sessions are live.
    public var sessionCount: Int {
        contents.withValue { $0.sessions.count }
    }

    /// The requests that arrived, oldest first.
    public var requests: [TransportRequest] {
        contents.withValue { $0.requests }
    }

    /// The requests to one path that arrived, oldest first.
    public func requests(to path: String) -> [TransportRequest] {
        requests.filter { $0.url.path == path }
    }

    /// Waits until so many requests have arrived.
    ///
    /// - Parameters:
    ///   - count: How many at least, since the server was made.
    ///   - path: To which path: any by default.
    public func waitForRequests(_ count: Int, to path: String? = nil) async {
        await withCheckedContinuation { continuation in
            let isThere = contents.withValue { contents in
                if contents.count(of: path) >= count { return true }
                contents.watchers.append(
                    ServerContents.Watcher(count: count, path: path, continuation: continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }

    // MARK: Transport

    /// Responds to a request as the server would.
    public func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        if isOffline { throw .offline }
        let (fault, arrived) = contents.withValue { $0.receive(request) }
        for watcher in arrived { watcher.resume() }
        let response: TransportResponse
        switch fault {
        case .none, .lostResponse: response = contents.withValue { respond(to: request, &$0) }
        case .unreachable: throw .unreachable("planned by the test")
        case .timeOut: throw .timedOut
        case .problem(let problem, let retryAfter):
            response = problem.response(retryAfter: retryAfter)
        case .response(let planned): response = planned
        }
        await waitWhileHeld(request)
        if case .lostResponse = fault { throw .timedOut }
        return response
    }

    private func waitWhileHeld(_ request: TransportRequest) async {
        await withCheckedContinuation { continuation in
            let isHeld = contents.withValue { contents in
                guard let path = contents.held, path == nil || path == request.url.path else { return false }
                contents.waiting.append(continuation)
                return true
            }
            if !isHeld { continuation.resume() }
        }
    }
}

/// A way in which a request can fail.
public enum ServerFault: Sendable {
    /// The request does not arrive.
    case unreachable
    /// The request does not arrive, and its sender learns of it late.
    case timeOut
    /// The request has its effect; the response does not arrive.
    case lostResponse
    /// The server refuses.
    case problem(Problem, retryAfter: Int? = nil)
    /// Whatever response the test wants.
    case response(TransportResponse)
}
