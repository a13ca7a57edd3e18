import Foundation
public import Okaeri

#if canImport(Combine)
    public import Combine
#endif

/// What a screen needs of its surroundings.
public struct ScreenSurroundings: Sendable {
    /// The way to the server.
    public var client: OkaeriClient
    /// Where the credentials of providers come from.
    public var credentials: any ProviderCredentials
    /// What tells the time, and what to wait by.
    public var clock: any WallClock
    /// Where the way of the last log-in is remembered.
    public var memory: any MethodMemory
    /// Where the log-in screen looks for what the person has saved, for apps that offer it.
    public var saved: (any SavedCredentials)?
    /// The way to the server's hosted pages, for apps that offer them.
    public var web: WebLogInWay?
    /// The device's passkeys, for apps that offer them: on Apple's systems `AppleProviders`.
    public var passkeys: (any PasskeyAuthenticator)?
    /// Puts a text where it can be pasted elsewhere; without it no screen offers that.
    public var copy: (@MainActor @Sendable (String) -> Void)?

    /// Describes surroundings.
    public init(
        client: OkaeriClient, credentials: any ProviderCredentials = NoProviders(),
        saved: (any SavedCredentials)? = nil, clock: any WallClock = SystemClock(),
        memory: any MethodMemory = NoMethodMemory(), web: WebLogInWay? = nil,
        passkeys: (any PasskeyAuthenticator)? = nil,
        copy: (@MainActor @Sendable (String) -> Void)? = ScreenSurroundings.systemCopy
    ) {
        self.client = client
        self.credentials = credentials
        self.saved = saved
        self.clock = clock
        self.memory = memory
        self.web = web
        self.passkeys = passkeys
        self.copy = copy
    }
}

/// Runs one screen: keeps its model, performs the model's effects, reports how they went.
///
/// ```swift
/// let screen = ScreenRunner(SignUpModel(), in: ScreenSurroundings(client: okaeri))
/// screen.send(.form(.typed(.username, "hana")))
/// ```
@MainActor
public final class ScreenRunner<Model: ScreenModel> {
    #if canImport(Combine)
        /// What to draw.
        @Published public private(set) var model: Model
    #else
        /// What to draw.
        public private(set) var model: Model
    #endif
    /// What the app hears and decides.
    public var hooks: ScreenHooks
    private let surroundings: ScreenSurroundings
    private let perform: PerformRequest
    private var work: [Int: Task<Void, Never>] = [:]
    private var nextWork = 0
    private var alarm: Task<Void, Never>?
    /// Passkeys are offered above the keyboard.
    private var offer: Task<Void, Never>?
    /// Devices that have joined by a code are looked for.
    private var isLooking = false
    private var hasBegun = false
    /// Whose screen it is: who was logged in when it appeared, or when it last showed what that user has.
    private var owner: User.ID?

    /// Makes a runner. Nothing happens until ``begin()``.
    public init(_ model: Model, in surroundings: ScreenSurroundings, hooks: ScreenHooks = ScreenHooks()) {
        self.model = model
        self.surroundings = surroundings
        self.hooks = hooks
        perform = PerformRequest(
            client: surroundings.client, credentials: surroundings.credentials, saved: surroundings.saved,
            web: surroundings.web, passkeys: surroundings.passkeys)
    }

    deinit {
        // What the server was asked is not stopped: a log-in under way ends by itself.
        alarm?.cancel()
        offer?.cancel()
    }

    /// The screen appears; every later call does nothing.
    public func begin() {
        guard !hasBegun else { return }
        hasBegun = true
        learnOwner()
        run(model.begin())
        if let runner = self as? ScreenRunner<LogInModel> {
            runner.send(.lastMethodKnown(surroundings.memory.last()))
            learnGuest(runner)
        }
    }

    /// Finds out whether a guest would be a new one. The task is kept until it is done, and forgets itself then.
    private func learnGuest(_ runner: ScreenRunner<LogInModel>) {
        nextWork += 1
        let (number, client) = (nextWork, surroundings.client)
        work[number] = Task {
            runner.send(.guestKnown(isNew: await client.automaticLogInBeginsAnew))
            self.work[number] = nil
        }
    }

    /// Finds out whose screen it is. The task is kept until it is done, and forgets itself then.
    private func learnOwner() {
        nextWork += 1
        let (number, client) = (nextWork, surroundings.client)
        work[number] = Task {
            let present = await client.currentUser?.id
            self.owner = self.owner ?? present
            self.work[number] = nil
        }
    }

    /// Whether a text can be copied; where not, a view offers no button for it.
    public var canCopy: Bool { surroundings.copy != nil }

    /// Somebody did something.
    public func send(_ event: Model.Event) {
        run(model.handle(event))
    }

    /// Waits until everything has been performed, apart from waiting for time to pass.
    package func settle() async {
        while let task = work.values.first { await task.value }
    }

    /// Waits until a passkey was chosen above the keyboard, or none is offered any more, and for what comes of it.
    package func settleOffer() async {
        await offer?.value
        await settle()
    }

    private func report(_ kind: ScreenReport.Kind) {
        run(model.take(ScreenReport(kind, at: surroundings.clock.now)))
    }

    /// Performs effects, one after the other. The task is kept until it is done, and forgets itself then.
    private func run(_ effects: [ScreenEffect]) {
        guard !effects.isEmpty else { return }
        nextWork += 1
        let number = nextWork
        work[number] = Task {
            for effect in effects { await self.perform(effect) }
            self.work[number] = nil
        }
    }

    private func perform(_ effect: ScreenEffect) async {
        let screen = model.screen
        switch effect.kind {
        case .ask(let submission, let attempt):
            let verdict = await hooks.shouldBegin?(submission) ?? .proceed
            report(.verdict(verdict, attempt: attempt))
        case .call(let request, let attempt):
            await endOffer()
            report(.response(await response(to: request), attempt: attempt))
        case .succeed(let outcome):
            if let method = outcome.method { surroundings.memory.remember(method) }
            await hooks.succeeded?(screen, outcome)
            post(screen, "success", ["outcome": outcome])
        case .fail(let error, let attempt):
            let isHandled = await hooks.failed?(screen, error) ?? false
            post(screen, "failure", ["error": error])
            report(.failureReported(isHandled: isHandled, attempt: attempt))
        case .cancel:
            await hooks.cancelled?(screen)
            post(screen, "cancel", [:])
        case .show(let destination):
            await endOffer()
            hooks.show?(destination)
        case .close: hooks.close?()
        case .wake: setAlarm()
        case .offerPasskeys: offerPasskeys()
        case .copy(let text): surroundings.copy?(text)
        case .lookForTransfers: await lookForTransfers()
        }
    }

    /// Asks the server. What is done to a user is done to the one whose screen it is: somebody else may have logged in meanwhile,
    /// in another window or in another process.
    private func response(to request: ScreenRequest) async -> Result<ScreenResponse, OkaeriError> {
        let (client, concern) = (surroundings.client, request.concern)
        let present = await client.currentUser?.id
        if concern == .account || concern == .change, let owner, let present, owner != present {
            return .failure(.userChanged)
        }
        do throws(OkaeriError) {
            let response = try await perform(request)
            switch concern {
            case .nobody: break
            case .list, .account: owner = present ?? owner
            case .logIn, .change: owner = await client.currentUser?.id
            }
            return .success(response)
        } catch {
            return .failure(error)
        }
    }

    /// Offers passkeys above the keyboard. One offer is enough.
    private func offerPasskeys() {
        guard offer == nil, let passkeys = surroundings.passkeys else { return }
        let client = surroundings.client
        offer = Task { [weak self] in
            // Without a passkey, or a server, the screen has its other ways in.
            let proof = try? await client.passkeyProof(from: passkeys, presentation: .autoFill)
            self?.offer = nil
            if let proof { self?.report(.passkeyChosen(proof)) }
        }
    }

    /// The system shows one thing at a time.
    private func endOffer() async {
        offer?.cancel()
        await offer?.value
    }

    /// Looks for devices that have joined by a code. One look at a time is enough.
    private func lookForTransfers() async {
        guard !isLooking else { return }
        isLooking = true
        defer { isLooking = false }
        // Nobody has asked for it, so that the screen becomes nobody else's by it.
        let present = await surroundings.client.currentUser?.id
        guard owner == nil || owner == present else { return }
        // Without a server the screen looks again later.
        let found = try? await perform(ScreenRequest.transferNotices)
        if case .transferNotices(let notices)? = found { report(.transfersKnown(notices)) }
    }

    /// Reports after a second. One alarm is enough for all that wait.
    private func setAlarm() {
        guard alarm == nil else { return }
        let clock = surroundings.clock
        alarm = Task { [weak self] in
            do {
                try await clock.sleep(for: .seconds(1))
            } catch {
                // Nobody waits any more.
                return
            }
            self?.alarm = nil
            self?.report(.woke)
        }
    }

    /// Posts what ParseUI posted: `com.parse.ui.login.success` is `okaeri.ui.logIn.success` here, with the runner as object.
    private func post(_ screen: ScreenName, _ what: String, _ information: [String: any Sendable]) {
        NotificationCenter.default.post(
            name: Notification.Name("okaeri.ui.\(screen.rawValue).\(what)"), object: self, userInfo: information)
    }
}

#if canImport(Combine)
    extension ScreenRunner: ObservableObject {}
#endif

extension ScreenOutcome {
    /// The way in that is worth to be remembered.
    var method: LogInMethod? {
        switch self {
        case .loggedIn(_, let method): method
        case .signedUp, .upgraded: .password
        case .transferred: .transferCode
        case .passkeyAdded: .passkey
        default: nil
        }
    }
}
