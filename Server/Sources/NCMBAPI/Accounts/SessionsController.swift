import Domain
import HTTPSupport
import Hummingbird
import OkaeriWire

/// Log-ins by password, and the end of a session.
final class SessionsController: Sendable {
    private let requests: NCMBRequests
    private let logInWithPassword: LogInWithPassword
    private let readAnonymousId: ReadAnonymousId
    private let logOut: LogOut

    init(_ requests: NCMBRequests, _ modules: Modules) {
        self.requests = requests
        logInWithPassword = modules.logIns.logInWithPassword
        readAnonymousId = modules.directory.readAnonymousId
        logOut = modules.sessions.logOut
    }

    /// `POST /login`, as SDKs since April 2023 do it. JavaScript sends the whole object; only name and password count.
    func create(_ caller: NCMBCaller, _ request: Request, _ context: ServerContext) async throws -> Response {
        let body = try await requests.body(of: request, context)
        let password = try body.text("password", missing: .empty("password"))
        let identifier: LogInIdentifier
        if case .string(let name)? = body.members["userName"], !name.isEmpty {
            identifier = LogInIdentifier(.username, shown: name)
        } else {
            let missing = NCMBFault.empty("userName or password")
            identifier = LogInIdentifier(.email, shown: try body.text("mailAddress", missing: missing))
        }
        return try await logIn(identifier, password, caller, request, context)
    }

    /// `GET /login`, as older SDKs do it: with the password in the address, which is why nothing logs addresses here.
    func createByQuery(_ caller: NCMBCaller, _ request: Request, _ context: ServerContext) async throws -> Response {
        guard caller.options.takesPasswordsInAddresses else {
            throw RequestError.methodNotAllowed(allow: "POST, OPTIONS")
        }
        let query = try NCMBQuery(request)
        guard let password = query["password"], !password.isEmpty else { throw NCMBFault.empty("password") }
        if let name = query["userName"], !name.isEmpty {
            return try await logIn(LogInIdentifier(.username, shown: name), password, caller, request, context)
        }
        guard let address = query["mailAddress"], !address.isEmpty else {
            throw NCMBFault.empty("userName or password")
        }
        return try await logIn(LogInIdentifier(.email, shown: address), password, caller, request, context)
    }

    /// `GET /logout`: ends the session, of a member who is kept out too: the app may have another one. A dead one is refused,
    /// and all SDKs then forget it too.
    func end(_ caller: NCMBCaller, _ request: Request, _ context: ServerContext) async throws -> Response {
        guard let token = request.headers.value(of: .ncmbSessionToken), !token.isEmpty else {
            throw NCMBFault.unauthenticated
        }
        let asked = Authenticate.Request(
            application: caller.application, token: token[...], proof: nil, protocolName: .ncmb)
        _ = try await logOut(asked, from: { requests.client(of: request, context) })
        return try NCMBResponse.signed(nil, for: caller)
    }

    /// Logs a member in. A token that comes with it, dead or alive, makes no difference.
    private func logIn(
        _ identifier: LogInIdentifier, _ password: String, _ caller: NCMBCaller, _ request: Request,
        _ context: ServerContext
    ) async throws -> Response {
        var asked = LogInWithPassword.Request(
            application: caller.application, identifier: identifier.shown, password: Secret(password),
            client: LogInClient(
                .ncmb, on: requests.device(of: request), from: requests.client(of: request, context),
                origin: requests.origin(of: request, context)), candidates: [identifier])
        asked.needsVerifiedEmail = identifier.kind == .email
        let logIn: LogIn
        do {
            logIn = try await logInWithPassword(asked)
        } catch {
            // Nobody has such a name.
            throw error.code == .fieldsRefused ? NCMBFault.credentialRefused : error
        }
        let object = MemberObject(logIn.user, for: caller, anonymousId: try await readAnonymousId(of: logIn.user))
        return try NCMBResponse.signed(object.own(sessionToken: logIn.token.revealed), for: caller)
    }
}
