import Domain
import HTTPSupport
import HTTPTypes
import Hummingbird
import enum OkaeriWire.JSONValue

/// Users: registered, read, changed, deleted, kept out.
final class UsersController: Sendable {
    private let logIns: LogIns
    private let accounts: Accounts
    private let deletion: Deletion
    private let refreshTokens: RefreshTokens
    private let messages: AddressMessages

    private static let readMediaType = KiiResponse.mediaType("UserDataRetrievalResponse")

    init(_ modules: Modules) {
        logIns = modules.logIns
        accounts = modules.accounts
        deletion = modules.deletion
        refreshTokens = RefreshTokens(modules.sessions)
        messages = AddressMessages(modules)
    }

    /// `POST /apps/{appID}/users`: registration; with the media type that also authorizes, and no name, of a pseudo user.
    func register(_ request: KiiRequest) async throws -> Response {
        let type = request.request.headers.value(of: .contentType)?.lowercased() ?? ""
        let authorizes = type.contains("registrationandauthorizationrequest")
        let profile = try KiiProfile(try await request.body())
        let options = request.options
        // An address that must be verified first cannot stand in for a login name.
        let addresses = AddressKind.allCases.filter { profile.identifiers[$0] != nil }
        if case .unchanged = profile.identifiers.username, !addresses.isEmpty,
            addresses.allSatisfy({ $0.isDemanded(options) })
        {
            throw KiiFault.invalid(addresses.map(\.member))
        }
        let answer: RegisterUser.Answer
        do {
            answer = try await logIns.registerUser(
                RegisterUser.Request(
                    application: request.application, protocolName: .kii, identifiers: profile.identifiers,
                    password: profile.password,
                    profile: .init(displayName: profile.displayName, locale: profile.locale, fields: profile.fields),
                    opensSession: authorizes, address: request.client, origin: request.origin))
        } catch {
            throw request.refusal(error)
        }
        for kind in AddressKind.allCases { await messages.sendVerification(kind, to: answer.user, by: nil, request) }
        var members = KiiUserObject.full(answer.user.shown(to: .owner, in: request.application), options)
        if let token = answer.token { members["_accessToken"] = .string(token.revealed) }
        members["_refreshToken"] = refreshTokens.token(
            for: answer.token, until: answer.tokenExpiresAt, in: request.enabled)
        let target = request.target
        let location = "\(target.scheme)://\(target.authority)\(target.path)/\(answer.user.id)"
        let name = authorizes ? "RegistrationAndAuthorizationResponse" : "RegistrationResponse"
        return KiiResponse.response(members, .created, KiiResponse.mediaType(name), [.location: location])
    }

    /// `GET /apps/{appID}/users/{user}`. For the own user it is the hot path: after the first time the session's cache has
    /// the response's bytes.
    func read(_ request: KiiRequest) async throws -> Response {
        let reference = try request.reference()
        if let session = request.caller.session {
            if reference.names(session.user) { return try await readOwn(session, request) }
            let shown = try await request.found(reference).shown(to: .others, in: request.application)
            return KiiResponse.response(
                request.options.isReadableByAll
                    ? KiiUserObject.full(shown, request.options) : KiiUserObject.limited(shown), .ok,
                Self.readMediaType)
        }
        let shown = try await request.found(reference).shown(to: .server, in: request.application)
        return KiiResponse.response(KiiUserObject.full(shown, request.options), .ok, Self.readMediaType)
    }

    private func readOwn(_ session: Authenticated, _ request: KiiRequest) async throws -> Response {
        let options = request.options
        // What waits for its verification stands elsewhere, and is not in the session's cache.
        var pending: [AddressKind: String] = [:]
        for kind in messages.waiting(of: session.user, options) {
            pending[kind] = try await accounts.findPendingAddress(of: session.user, by: kind.mailKind)
        }
        guard pending.isEmpty, !options.demandsVerifiedEmail, !options.demandsVerifiedPhone else {
            return KiiResponse.response(
                KiiUserObject.full(session.userView, options, pending: pending), .ok, Self.readMediaType)
        }
        let written = try session.written(
            for: .kii, JSONValue.object(KiiUserObject.full(session.userView, options)))
        return KiiResponse.response(written.body, .ok, Self.readMediaType)
    }

    /// `POST /apps/{appID}/users/{user}`: the custom fields as a whole, what else is named, and the upgrade of a pseudo
    /// user.
    func update(_ request: KiiRequest) async throws -> Response {
        let user = try await request.user()
        var profile = try KiiProfile(try await request.body(), over: user)
        let pending = try await messages.takePending(&profile.identifiers, of: user, request)
        // Predefined: a missing one stays as it is. So does a field of another protocol whose name no client of Kii is shown.
        let kept = Set(user.fields.keys.filter(KiiUserObject.isReserved))
        var edit = UserEdit(
            compatible: .replaced(profile.fields, keeping: kept), identifiers: profile.identifiers)
        if let name = profile.displayName { edit.displayName = .set(name) }
        if let locale = profile.locale { edit.locale = .set(locale) }
        edit.password = .first(profile.password)
        do {
            try messages.require(pending, of: user, request)
            let changed = try await accounts.editUser(
                edit, of: user.id, in: request.application, by: request.author(of: user)
            ).user
            try await messages.send(pending, after: changed, from: user, request)
            return KiiResponse.response(["modifiedAt": .integer(changed.updatedAt.milliseconds)])
        } catch {
            throw request.refusal(error)
        }
    }

    /// `DELETE /apps/{appID}/users/{user}`: at once, so that the login name is free again.
    func delete(_ request: KiiRequest) async throws -> Response {
        let user = try await request.user()
        try await deletion.eraseAccessibleUser(
            user.id, in: request.application, by: request.author(of: user), seesLeaving: true)
        return KiiResponse.nothing
    }

    /// `GET /apps/{appID}/users/{user}/status`, for administrators.
    func readStatus(_ request: KiiRequest) async throws -> Response {
        let user = try await request.found(try request.reference())
        return KiiResponse.response(
            ["disabled": .bool(user.isDisabled)], .ok, KiiResponse.mediaType("UserStatusRetrievalResponse"))
    }

    /// `PUT /apps/{appID}/users/{user}/status`: an administrator keeps a user out or lets it in again. Tokens end, but for those
    /// of a pseudo user, who has nothing else: they are refused meanwhile.
    func changeStatus(_ request: KiiRequest) async throws -> Response {
        let user = try await request.found(try request.reference())
        guard let isDisabled = try await request.body().truth("disabled") else {
            throw KiiFault.invalid(["disabled"])
        }
        try await accounts.setUserDisabled(
            user.id, in: request.application, isDisabled: isDisabled,
            by: Operator(actor: .protocolKey(.kii), origin: request.origin))
        return KiiResponse.nothing
    }
}

extension KiiRequest {
    /// An error with Kii's members about identifiers that another user has.
    func refusal(_ error: any Error) -> any Error {
        guard let refusal = error as? DomainError, case .identifiersTaken = refusal else { return error }
        let name =
            switch refusal.identifierKinds.first {
            case .username?: "loginName"
            case .email?: "emailAddress"
            case .phone?: "phoneNumber"
            case nil: ""
            }
        return KiiFault(
            409, "USER_ALREADY_EXISTS", "UserAlreadyExists", "Another user has this identifier",
            [("field", name), ("appID", appID)])
    }
}
