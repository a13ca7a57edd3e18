import Domain
import HTTPSupport
import HTTPTypes
import OkaeriWire

/// Sign-up, by name and password or by what providers say.
final class SignUpController: Sendable {
    private let logIns: LogIns
    private let accounts: Accounts
    private let endSession: EndSession
    private let requestEmailVerification: RequestEmailVerification
    private let verifyCredential: VerifyCredential

    init(_ modules: Modules) {
        logIns = modules.logIns
        accounts = modules.accounts
        endSession = modules.sessions.endSession
        requestEmailVerification = modules.messaging.requestEmailVerification
        verifyCredential = modules.providers.verifyCredential
    }

    /// `POST /users`: signs somebody up; with `authData` it also logs a known one in.
    func create(_ call: ParseCall) async throws -> ParseResponse {
        if let sent = call.body["authData"] {
            let authData = try AuthDataRequest(sent)
            // Beside a password it may hold nothing, or only null.
            if !authData.isEmpty || !call.hasText("username") || !call.hasText("password") {
                return try await logIn(authData, call)
            }
        }
        return try await signUp(call)
    }

    private func signUp(_ call: ParseCall) async throws -> ParseResponse {
        guard case .string(let name)? = call.body["username"], !name.isEmpty else { throw ParseFault.usernameMissing }
        guard case .string(let password)? = call.body["password"], !password.isEmpty else {
            throw ParseFault.passwordMissing
        }
        let change = try UserChange(call.body, of: nil, isMaster: call.caller.isMaster)
        let logIn = try await logIns.signUp(
            SignUp.Request(
                application: call.application,
                identifiers: NewIdentifiers(username: .set(name), email: change.email, rules: call.caller.rules),
                password: Secret(password), newUser: try change.newUser(by: call.caller),
                client: LogInClient(
                    .parse, on: call.caller.device, from: call.client, origin: call.origin),
                attempt: try call.signUpAttempt()))
        return try await welcome(logIn, change, call)
    }

    /// `POST /users` with `authData`: logs in whom the providers name, or makes that user.
    private func logIn(_ authData: AuthDataRequest, _ call: ParseCall) async throws -> ParseResponse {
        guard !authData.isEmpty else { throw ParseFault.usernameMissing }
        let change = try UserChange(call.body, of: nil, isMaster: call.caller.isMaster)
        let people = try await verifyCredential(authData, call)
        var asked = LogInWithIdentities.Request(
            application: call.application, people: people, anonymousId: authData.anonymousId,
            newUser: try change.newUser(by: call.caller),
            identifiers: NewIdentifiers(username: change.username, email: change.email, rules: call.caller.rules),
            password: change.password, caller: call.caller.session?.user.id,
            client: LogInClient(
                .parse, on: call.caller.device, from: call.client, origin: call.origin))
        asked.leavesDisabledBehind = true
        if people.isEmpty, call.hasText("username"), call.hasText("password") {
            asked.attempt = try call.signUpAttempt()
        }
        let logIn: LogIn
        do {
            logIn = try await logIns.logInWithIdentities(asked)
        } catch {
            // It may be the repetition of a try whose response was lost: beside a password the id led to nobody.
            if error.code == .identifiersTaken, asked.attempt != nil { return try await signUp(call) }
            // Who is kept out is not found; a second user of the same provider's identity there cannot be.
            throw error == .userDisabled ? ParseFault.credentialRefused : error
        }
        if logIn.isNew { return try await welcome(logIn, change, call) }
        return ParseResponse(
            UserObject(logIn.user, for: call.caller).own(
                token: logIn.token.revealed, sent: authData.sent),
            headers: call.location("/users/\(logIn.user.id)"))
    }

    /// The answer to who is new: only what the client cannot know.
    private func welcome(_ logIn: LogIn, _ change: UserChange, _ call: ParseCall) async throws -> ParseResponse {
        var user = logIn.user
        let isLockedOut = change.isDisabled(by: call.caller) == true
        if change.isEmailVerified == true || isLockedOut {
            var further = UserEdit(
                compatible: .unchanged, identifiers: NewIdentifiers(rules: call.caller.rules))
            further.isEmailVerified = change.isEmailVerified
            further.isDisabled = isLockedOut ? true : nil
            user = try await accounts.editUser(
                further, of: user.id, in: call.application,
                by: .operator(call.administrator)
            ).user
        }
        await requestEmailVerification.confirm(user, by: logIn.session, call)
        var members: [String: JSONValue] = [
            "objectId": .string(user.id.rawValue), "createdAt": .string(user.createdAt.text),
        ]
        if user.username == nil { members["username"] = .string(UserObject.madeUpName(of: user.id)) }
        members.merge(UserObject(user, for: call.caller).fields(change.fields.echoed, isOwn: true)) { $1 }
        if call.caller.options.needsVerifiedEmail, user.emailVerifiedAt == nil, user.username != nil {
            // Nobody logs in before the address is verified, not by signing up either.
            _ = try await endSession(
                logIn.session.id,
                by: Authenticated(
                    application: call.application, session: logIn.session, user: user,
                    tokenDigest: logIn.token.digest), from: call.origin)
        } else {
            members["sessionToken"] = .string(logIn.token.revealed)
        }
        return ParseResponse(members, status: .created, headers: call.location("/users/\(user.id)"))
    }
}

extension RequestEmailVerification {
    /// Sends the mail that confirms a new address. A server without mail sends none, and says so nowhere: the address
    /// stands unconfirmed.
    func confirm(_ user: User, by session: Session?, _ call: ParseCall) async {
        let options = call.caller.options
        guard options.verifiesEmails || options.needsVerifiedEmail, user.email != nil, user.emailVerifiedAt == nil
        else { return }
        // The user is stored already; a mail that cannot be ordered must not undo that in the client's eyes.
        try? await callAsFunction(
            nil, of: user, by: session, in: call.application, languages: AcceptLanguage.tags(of: call.request),
            from: call.client)
    }
}

extension UserChange {
    /// What a new user is made with.
    func newUser(by caller: ParseCaller) throws(ParseFault) -> UserRegistration.Profile {
        UserRegistration.Profile(
            fields: try fields.newFields(), acl: acl.applied(to: nil), actor: caller.isMaster ? .server : .owner)
    }

    /// Whether the caller locks the user out: an administrator does so by a list without entries, and ends it by another one.
    ///
    /// - Parameter caller: Who sent it.
    /// - Returns: `nil` where that stays as it is.
    func isDisabled(by caller: ParseCaller) -> Bool? {
        guard caller.isMaster, case .set(let list) = acl else { return nil }
        return list.entries.isEmpty
    }
}
