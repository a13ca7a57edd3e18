import Domain
import HTTPSupport
import Hummingbird
import OkaeriWire

/// `POST /login`, as SDKs since April 2023 do it. JavaScript sends the whole object; only name and password count.
struct LogInMemberRoute: Sendable {
    let api: NCMBAPI

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        let caller = try await api.caller(of: request, context)
        let body = try await api.body(of: request, context)
        let password = try body.text("password", missing: .empty("password"))
        let identifier: LogInIdentifier
        if case .string(let name)? = body.members["userName"], !name.isEmpty {
            identifier = LogInIdentifier(.username, shown: name)
        } else {
            let missing = NCMBFault.empty("userName or password")
            identifier = LogInIdentifier(.email, shown: try body.text("mailAddress", missing: missing))
        }
        return try await api.logIn(identifier, password, caller, request, context)
    }
}

/// `GET /login`, as older SDKs do it: with the password in the address, which is why nothing logs addresses here.
struct LogInMemberByQueryRoute: Sendable {
    let api: NCMBAPI

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        let caller = try await api.caller(of: request, context)
        guard caller.options.takesPasswordsInAddresses else {
            throw RequestError.methodNotAllowed(allow: "POST, OPTIONS")
        }
        let query = try NCMBQuery(request)
        guard let password = query["password"], !password.isEmpty else { throw NCMBFault.empty("password") }
        if let name = query["userName"], !name.isEmpty {
            return try await api.logIn(
                LogInIdentifier(.username, shown: name), password, caller, request, context)
        }
        guard let address = query["mailAddress"], !address.isEmpty else {
            throw NCMBFault.empty("userName or password")
        }
        return try await api.logIn(LogInIdentifier(.email, shown: address), password, caller, request, context)
    }
}

extension NCMBAPI {
    /// Logs a member in. A token that comes with it, dead or alive, makes no difference.
    func logIn(
        _ identifier: LogInIdentifier, _ password: String, _ caller: NCMBCaller, _ request: Request,
        _ context: ServerContext
    ) async throws -> Response {
        var asked = LogInWithPassword.Request(
            application: caller.application, identifier: identifier.shown, password: Secret(password),
            device: device(of: request), address: client(of: request, context), protocolName: .ncmb,
            candidates: [identifier], origin: gate.origin(of: request, context))
        asked.needsVerifiedEmail = identifier.kind == .email
        let logIn: LogIn
        do {
            logIn = try await modules.accounts.logInWithPassword(asked)
        } catch {
            switch error.code {
            case .userDisabled: throw NCMBFault.forbidden
            // Nobody has such a name.
            case .fieldsRefused: throw NCMBFault.credentialRefused
            default: throw error
            }
        }
        return try NCMBResponse.signed(
            MemberObject(logIn.user, for: caller).own(sessionToken: logIn.token.revealed),
            for: caller)
    }
}

/// `GET /logout`: the session is over. A dead one is told, and all SDKs then forget it too.
struct LogOutMemberRoute: Sendable {
    let api: NCMBAPI

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        let caller = try await api.caller(of: request, context)
        guard let member = try await api.member(of: request, context, for: caller) else {
            throw NCMBFault.unauthenticated
        }
        try await api.modules.sessions.logOut(member)
        return try NCMBResponse.signed(nil, for: caller)
    }
}
