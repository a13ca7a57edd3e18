import Foundation
import OkaeriWire

extension OkaeriClient {
    /// Logs in with what a provider gave; a person whom the server does not know becomes a user.
    ///
    /// The session is bound to the device's key. A key that leads to nobody leads to this user from then on, so that the
    /// next launch is automatic. One that leads to another user stays with that user: then nothing is renewed silently,
    /// and when the session ends, the person logs in again. To keep the present user, call
    /// ``link(_:)`` instead. Cancelling the caller's task does not stop the log-in.
    ///
    /// - Parameters:
    ///   - credential: What the provider gave.
    ///   - device: What the session remembers of the device; by default what the configuration says.
    ///   - user: First values, in case that the user is new.
    ///   - restoring: Whether a user who asked to be deleted comes back by this, instead of `.userDeleted`.
    /// - Returns: Whether the user is new, the user, and the time of the log-in before this one.
    /// - Throws: `OkaeriError`: `.providerRefused` when the server does not believe the credential; `.userChanged` when another
    ///   process went on with somebody else meanwhile, who stays.
    @discardableResult
    public func logIn(
        with credential: ProviderCredential, device: DeviceInfo? = nil, user: NewUser? = nil, restoring: Bool = false
    ) async throws(OkaeriError) -> Welcome {
        try await keeper.logIn(with: credential, device: device, user: user, restoring: restoring)
    }

    /// Links a provider's identity to the user, who keeps id, values and session.
    ///
    /// - Parameter credential: What the provider gave.
    /// - Returns: The user afterwards.
    /// - Throws: `OkaeriError`: `.conflict` when the identity belongs to another user: ``resolve(_:by:)`` goes on without
    ///   a second sheet, and the credential still logs in as that user. `.identityTaken` when that user cannot be gone on
    ///   with.
    @discardableResult
    public func link(_ credential: ProviderCredential) async throws(OkaeriError) -> User {
        try await keeper.link(credential)
    }

    /// Unlinks a provider from the user. The server revokes the grant there.
    ///
    /// - Parameter provider: Which one.
    /// - Returns: The user afterwards.
    /// - Throws: `OkaeriError`: `.lastWayIn` when nothing else leads to the user.
    @discardableResult
    public func unlink(_ provider: Provider) async throws(OkaeriError) -> User {
        try await keeper.unlink(provider)
    }

    /// Takes what the system says of the user's Apple account: a person who withdrew it is logged out, if it was Apple
    /// that the person logged in with.
    ///
    /// `AppleCredentialWatch` calls it at start and whenever the system tells of a change.
    ///
    /// - Parameters:
    ///   - state: What the system says.
    ///   - user: The ``appleUser`` of whom the system was asked. It says nothing of somebody else who is logged in by now; by
    ///     default of the present user.
    public func take(_ state: AppleCredentialState, of user: String? = nil) async {
        await keeper.take(state, of: user)
    }

    /// Apple's name for the user, to ask the system for its state; `nil` without an identity there.
    public var appleUser: String? {
        get async {
            await currentUser?.appleUser
        }
    }
}

extension SessionKeeper {
    /// Logs in with a provider: alone among all processes, as every log-in. Cancelling the caller does not stop it: what the
    /// provider gave is good once.
    func logIn(
        with credential: ProviderCredential, device: DeviceInfo?, user: NewUser?, restoring: Bool
    ) async throws(OkaeriError) -> Welcome {
        let turn = nextTurn()
        await keepName(of: credential)
        return try await logIn(in: turn) { () async throws(OkaeriError) in
            try await self.logInAlone(with: credential, device: device, user: user, restoring: restoring, turn)
        }
    }

    private func logInAlone(
        with credential: ProviderCredential, device: DeviceInfo?, user: NewUser?, restoring: Bool, _ turn: LogInTurn
    ) async throws(OkaeriError) -> Welcome {
        // A log-in that is not remembered ends with the one that takes its place, not with a try.
        let before = try await readVault()
        var body = await withName(credential)
        body.device = (device ?? configuration.device).body
        body.user = user?.body
        var call = try APICall(
            .post, APIPath.logIn(with: credential.provider.rawValue), body: body,
            idempotencyKey: randomness.unguessableName())
        call.restores = restoring
        let request = MemberLogInRequest(
            call: call, tries: configuration.retry.maximumTries, keySlot: before.keySlotOfProvider, device: body.device,
            provider: credential.provider.rawValue)
        let logIn = try await logInAlone(request, after: before, in: turn) { raw throws(OkaeriError) in
            MemberLogIn(response: try raw.decoded(LogInResponse.self))
        }
        await forgetName(of: credential)
        return logIn.welcome
    }

    /// Links a provider. A session that is not fresh is made so where the key is all that could prove the user.
    func link(_ credential: ProviderCredential) async throws(OkaeriError) -> User {
        await keepName(of: credential)
        let body = ProviderLinkBody(await withName(credential))
        let call = try APICall(.post, APIPath.identity(credential.provider.rawValue), body: body)
        let user = try await fresh { () async throws(OkaeriError) in try await self.takeUser(call) }
        await forgetName(of: credential)
        return user
    }

    func unlink(_ provider: Provider) async throws(OkaeriError) -> User {
        let call = APICall(.delete, APIPath.identity(provider.rawValue))
        return try await fresh { () async throws(OkaeriError) in
            let received = try await self.authenticated(call)
            return try await received.isRefusal ? self.reloadUser() : self.takeUser(received)
        }
    }

    func take(_ state: AppleCredentialState, of appleUser: String?) async {
        guard state == .revoked || state == .notFound, let record = try? await read(),
            let user = record.loggedInUser, record.loggedInWith == Provider.apple.rawValue,
            appleUser == nil || appleUser == User(user).appleUser
        else { return }
        await logOut()
    }

    /// A greeting for somebody to whom the device's key does not lead, or who is not to be remembered: the session itself
    /// is asked whether it holds.
    ///
    /// - Parameter isKeyLost: Whether the key leads nowhere any more.
    /// - Returns: `nil` when nobody is logged in that way, or the session has ended.
    /// - Throws: `OkaeriError` when the server says something else than that the session has ended; that too when a registered user was
    ///   logged in, who comes back by the way that led here: nobody else is logged in instead without a word.
    func greetBySession(isKeyLost: Bool = false) async throws(OkaeriError) -> Welcome? {
        guard let record = try? await read(), record.keyLeadsElsewhere || isKeyLost || temporary != nil,
            let known = record.loggedInUser, record.session != nil
        else { return nil }
        let isMember = !known.isAnonymous && temporary == nil && !isKeyLost
        do throws(OkaeriError) {
            let user = try await reloadUser()
            return .known(user, lastLogIn: user.lastLogInAt)
        } catch {
            switch error {
            case .offline, .serverUnavailable, .rateLimited, .unexpectedResponse, .storageLocked, .storageUnavailable:
                return .known(User(known), lastLogIn: known.lastLogInAt.map(Date.init(_:)))
            case .sessionEnded, .notLoggedIn, .loggedOutMeanwhile:
                guard !isMember else { throw error }
                return nil
            default:
                throw error
            }
        }
    }

    /// Repeats a call once after a new log-in by key, which is as good a proof as an anonymous user has.
    private func fresh(
        _ call: () async throws(OkaeriError) -> User
    ) async throws(OkaeriError) -> User {
        do throws(OkaeriError) {
            return try await call()
        } catch {
            guard error.code == ErrorCode.reauthenticationRequired.rawValue, let record, !record.keyLeadsElsewhere,
                record.loggedInUser?.isAnonymous == true
            else { throw error }
            let id = record.loggedInUser?.id
            let welcome = try await logIn(AutomaticLogInBody(device: configuration.device.body))
            guard welcome.user.id == id else { throw .userChanged }
            return try await call()
        }
    }

    /// Keeps a name that Apple tells once, before anything can fail, until a server has taken it (complaint 21).
    private func keepName(of credential: ProviderCredential) async {
        guard let identity = credential.nameIdentity, let name = credential.body.name?.shortLine else { return }
        await change(.pendingName(name, of: identity))
    }

    /// The body with its name, or with one that was kept.
    private func withName(_ credential: ProviderCredential) async -> ProviderLogInBody {
        var body = credential.body
        // One that no server takes would keep the person out at each later try too.
        body.name = body.name?.shortLine
        guard body.name == nil, let identity = credential.nameIdentity else { return body }
        // A vault that cannot be read now tells no name; the log-in is what counts.
        body.name = (try? await read())?.pendingNames[identity]?.shortLine
        return body
    }

    private func forgetName(of credential: ProviderCredential) async {
        guard let identity = credential.nameIdentity, record?.pendingNames[identity] != nil else { return }
        await change(.pendingName(nil, of: identity))
    }
}

extension User {
    /// Apple's name for the user; `nil` without an identity there.
    fileprivate var appleUser: String? {
        let subject = identities.first { $0.provider == Provider.apple.rawValue }?.subject
        // The team stands in front.
        return subject?.split(separator: "/", maxSplits: 1).last.map(String.init)
    }
}

extension ProviderCredential {
    fileprivate var nameIdentity: String? { subject.map { "\(provider.rawValue):\($0)" } }
}
