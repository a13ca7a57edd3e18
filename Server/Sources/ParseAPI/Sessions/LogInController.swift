import Domain
import HTTPSupport
import OkaeriWire

/// Name and password of a log-in.
private struct NameAndPassword {
    let candidates: [LogInIdentifier]
    /// The mail address, when both were sent.
    let requiredIdentifier: LogInIdentifier?
    let password: Secret

    /// - Throws: 200 and 201 for what is missing, 101 for what is no text.
    init(_ call: ParseCall) throws(ParseFault) {
        let (name, email) = (try Self.text("username", call), try Self.text("email", call))
        guard name != nil || email != nil else { throw ParseFault(200, "username/email is required.") }
        guard let password = try Self.text("password", call) else { throw ParseFault(201, "password is required.") }
        self.password = Secret(password)
        if let name {
            // The name counts more than the address.
            candidates =
                [LogInIdentifier(.username, shown: name)]
                + (email == nil ? [LogInIdentifier(.email, shown: name)] : [])
            requiredIdentifier = email.map { LogInIdentifier(.email, shown: $0) }
        } else {
            candidates = [LogInIdentifier(.email, shown: email ?? "")]
            requiredIdentifier = nil
        }
    }

    private static func text(_ name: String, _ call: ParseCall) throws(ParseFault) -> String? {
        switch call.value(name) {
        case nil, .null?, ""?: nil
        case .string(let text)?: text
        default: throw .credentialRefused
        }
    }
}

/// Log-in by name and password, log-out, and an administrator's log-in as a user.
final class LogInController: Sendable {
    private let logIns: LogIns
    private let accounts: Accounts
    private let logOut: LogOut
    private let openSession: OpenSession
    private let verifyCredential: VerifyCredential

    init(_ modules: Modules) {
        logIns = modules.logIns
        accounts = modules.accounts
        logOut = modules.sessions.logOut
        openSession = modules.sessions.openSession
        verifyCredential = modules.providers.verifyCredential
    }

    /// `GET` and `POST /login`. A token that comes with it, dead or alive, makes no difference.
    func create(_ call: ParseCall) async throws -> ParseResponse {
        let typed = try NameAndPassword(call)
        let authData = try call.value("authData").map { value throws(ParseFault) in try AuthDataRequest(value) }
        let people = try await verifyCredential(authData ?? AuthDataRequest(), call)
        var asked = LogInWithPassword.Request(
            application: call.application, identifier: typed.candidates.first?.shown ?? "", password: typed.password,
            client: LogInClient(
                .parse, on: call.caller.device, from: call.client, origin: call.origin), candidates: typed.candidates)
        asked.requiredIdentifier = typed.requiredIdentifier
        asked.isSpelledExactly = !call.caller.options.ignoresCase
        asked.admitsVerifiedOnly = needsVerifiedEmail(call)
        let logIn: LogIn
        do {
            logIn = try await logIns.logInWithPassword(asked)
        } catch {
            throw Self.logInFault(error)
        }
        var user = logIn.user
        if !people.isEmpty {
            var edit = UserEdit(
                compatible: .unchanged, identifiers: NewIdentifiers(rules: call.caller.rules))
            edit.people = people
            user = try await accounts.editUser(
                edit, of: user.id, in: call.application,
                by: AccountAuthor(loggedIn: logIn.session, from: call.origin)
            ).user
        }
        return ParseResponse(
            UserObject(user, for: call.caller).own(
                token: logIn.token.revealed, sent: authData?.sent ?? [:]))
    }

    /// `GET` and `POST /verifyPassword`
    func verifyPassword(_ call: ParseCall) async throws -> ParseResponse {
        let typed = try NameAndPassword(call)
        do {
            let user = try await logIns.verifyPassword(
                VerifyPassword.Request(
                    application: call.application, password: typed.password, address: call.client,
                    candidates: typed.candidates, isSpelledExactly: !call.caller.options.ignoresCase,
                    requiredIdentifier: typed.requiredIdentifier, needsVerifiedEmail: needsVerifiedEmail(call)))
            return ParseResponse(UserObject(user, for: call.caller).own())
        } catch {
            throw Self.logInFault(error)
        }
    }

    private func needsVerifiedEmail(_ call: ParseCall) -> Bool {
        let isIgnored = call.caller.isMaster && call.value("ignoreEmailVerification") == true
        return call.caller.options.needsVerifiedEmail && !isIgnored
    }

    /// Who is kept out, who does not exist and who mistyped get one answer.
    private static func logInFault(_ error: DomainError) -> any Error {
        switch error.code {
        case .userDisabled, .userDeleted, .credentialRefused, .fieldsRefused: ParseFault.credentialRefused
        case .rateLimited:
            ParseFault.locked(minutes: max(1, ((error.retryAfter?.secondsRoundedUp ?? 0) + 59) / 60))
        default: error
        }
    }

    /// `POST /logout`. That the session has ended already is what is asked for: the JavaScript SDK before 3.2 erases an
    /// anonymous user first, and with 209 its apps, and those of early Parse-Swift, could not log out.
    func end(_ call: ParseCall) async throws -> ParseResponse {
        guard let token = call.caller.token, !token.isEmpty else { return ParseResponse([:]) }
        let asked = Authenticate.Request(
            application: call.application, token: token[...], proof: nil, protocolName: .parse)
        do throws(DomainError) {
            _ = try await logOut(asked, from: { call.client })
        } catch {
            guard error == .sessionInvalid else { throw error }
        }
        return ParseResponse([:])
    }

    /// `POST /loginAs`: a session of any user, for an administrator.
    func createAs(_ call: ParseCall) async throws -> ParseResponse {
        try call.caller.requireMaster()
        guard case .string(let id)? = call.value("userId"), !id.isEmpty else {
            throw ParseFault(162, "userId must not be empty, null, or undefined")
        }
        do {
            let logIn = try await openSession(of: Identifier(rawValue: id), byAdministratorOf: call)
            return ParseResponse(
                UserObject(logIn.user, for: call.caller).own(token: logIn.token.revealed))
        } catch {
            guard [.userUnknown, .userDisabled, .userDeleted].contains(error.code) else { throw error }
            throw ParseFault(101, "user not found")
        }
    }
}

extension OpenSession {
    /// Opens a session of any user, for an administrator.
    func callAsFunction(
        of user: Identifier<User>, byAdministratorOf call: ParseCall
    ) async throws(DomainError) -> LogIn {
        try await callAsFunction(
            Request(
                user: user, application: call.application, protocolName: .parse, method: .administrator,
                actor: .protocolKey(.parse), device: call.caller.device, origin: call.origin))
    }

    /// Opens a further session of a user, by one that the user has.
    func callAsFunction(
        from source: Authenticated, _ method: Session.LogInMethod, replacing: Identifier<Session>? = nil,
        fields: [String: JSONValue] = [:], _ call: ParseCall
    ) async throws(DomainError) -> LogIn {
        let user = source.user.id
        var asked = Request(
            user: user, application: call.application, protocolName: .parse, method: method, actor: .user(user),
            replaced: replacing, device: call.caller.device, origin: call.origin)
        (asked.source, asked.fields) = (source, fields)
        return try await callAsFunction(asked)
    }
}
