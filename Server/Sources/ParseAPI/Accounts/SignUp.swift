import Domain
import HTTPSupport
import HTTPTypes
import OkaeriWire

extension ParseAPI {
    /// `POST /users`: signs somebody up; with `authData` it also logs a known one in.
    func signUp(_ call: ParseCall) async throws -> ParseResponse {
        if let authData = call.body["authData"], authData != .object([:]) {
            return try await logIn(authData, call)
        }
        guard case .string(let name)? = call.body["username"], !name.isEmpty else { throw ParseFault.usernameMissing }
        guard case .string(let password)? = call.body["password"], !password.isEmpty else {
            throw ParseFault.passwordMissing
        }
        let change = try UserChange(call.body, of: nil, isMaster: call.caller.isMaster)
        let logIn = try await modules.accounts.signUp(
            SignUp.Request(
                application: call.application,
                identifiers: NewIdentifiers(username: .set(name), email: change.email, rules: call.caller.rules),
                password: Secret(password), newUser: try change.newUser(by: call.caller), device: call.caller.device,
                address: client(of: call), protocolName: .parse, origin: origin(of: call)))
        return try await welcome(logIn, change, call)
    }

    /// The answer to who is new: only what the client cannot know.
    func welcome(_ logIn: LogIn, _ change: UserChange, _ call: ParseCall) async throws -> ParseResponse {
        var user = logIn.user
        if change.isEmailVerified == true || user.isLockedOut(by: change, call.caller) {
            var further = UserEdit(compatible: .unchanged)
            further.isEmailVerified = change.isEmailVerified
            further.isDisabled = user.isLockedOut(by: change, call.caller) ? true : nil
            user = try await modules.accounts.editUser(
                further, of: user.id, in: call.application,
                by: .operator(Operator(actor: .operator, origin: origin(of: call)))
            ).user
        }
        await sendConfirmation(to: user, by: logIn.session, call)
        var members: [String: JSONValue] = [
            "objectId": .string(user.id.rawValue), "createdAt": .string(user.createdAt.text),
        ]
        if user.username == nil { members["username"] = .string(UserObject.madeUpName(of: user.id)) }
        members.merge(UserObject(user, for: call.caller).fields(change.told, isOwn: true)) { $1 }
        if call.caller.options.needsVerifiedEmail, user.emailVerifiedAt == nil, user.username != nil {
            // Nobody logs in before the address is verified, not by signing up either.
            _ = try await modules.sessions.endSession(
                logIn.session.id,
                by: Authenticated(
                    application: call.application, session: logIn.session, user: user,
                    tokenDigest: logIn.token.digest), from: origin(of: call))
        } else {
            members["sessionToken"] = .string(logIn.token.revealed)
        }
        return ParseResponse(members, status: .created, headers: location("/users/\(user.id)", call))
    }

    /// Sends the mail that confirms a new address. A server without mail sends none, and says so nowhere: the address
    /// stands unconfirmed.
    func sendConfirmation(to user: User, by session: Session?, _ call: ParseCall) async {
        guard user.email != nil, user.emailVerifiedAt == nil else { return }
        // The user is stored already; a mail that cannot be ordered must not undo that in the client's eyes.
        try? await modules.messaging.requestEmailVerification(
            nil, of: user, by: session, in: call.application, languages: AcceptLanguage.tags(of: call.request),
            from: client(of: call))
    }
}

extension UserChange {
    /// What a new user is made with.
    func newUser(by caller: ParseCaller) throws(ParseFault) -> UserRegistration.Profile {
        UserRegistration.Profile(
            fields: try newFields(), acl: acl.applied(to: nil), actor: caller.isMaster ? .server : .owner)
    }
}

extension User {
    /// Whether an administrator locks the user out by a list without entries.
    func isLockedOut(by change: UserChange, _ caller: ParseCaller) -> Bool {
        guard caller.isMaster, case .set(let list) = change.acl else { return false }
        return list.entries.isEmpty
    }
}
