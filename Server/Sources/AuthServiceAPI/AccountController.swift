import Domain
import HTTPSupport
import HTTPTypes
import Hummingbird
import OkaeriWire

/// Accounts of the family: sign-up, sign-in, the own user, sign-out.
final class AccountController: Sendable {
    private let registerUser: RegisterUser
    private let logInWithPassword: LogInWithPassword
    private let logOut: LogOut
    private let gate: ProtocolAuthenticator
    private let readJSON: JSONReader

    init(_ modules: Modules, gate: ProtocolAuthenticator, readBody: BodyReader) {
        registerUser = modules.logIns.registerUser
        logInWithPassword = modules.logIns.logInWithPassword
        logOut = modules.sessions.logOut
        self.gate = gate
        readJSON = JSONReader(readBody)
    }

    /// `POST /user/signup`: `id`, `password`, `name`, `email`, `phone`. It gives no token.
    func signUp(_ request: Request, _ context: ServerContext) async throws -> Response {
        let enabled = try await enabled(context)
        let body = try await body(of: request, context)
        guard let id = body["id"], !id.isEmpty, let password = body["password"], !password.isEmpty else {
            return Envelope(status: 400, success: false, message: EnvelopeTexts.valueMissing).response()
        }
        // The apps check neither, and two people may type one address: they are kept as they were typed, and lead to nobody.
        var fields: [String: JSONValue] = [:]
        for name in ["email", "phone"] {
            if let text = body[name], !text.isEmpty { fields[name] = .string(text) }
        }
        do {
            _ = try await registerUser(
                RegisterUser.Request(
                    application: enabled.application, protocolName: .envelope,
                    identifiers: NewIdentifiers(username: .set(id), rules: .envelope), password: Secret(password),
                    profile: .init(displayName: body["name"].flatMap { $0.isEmpty ? nil : $0 }, fields: fields),
                    opensSession: false, address: gate.client(of: request, context),
                    origin: gate.origin(of: request, context)))
        } catch {
            guard case .identifiersTaken = error else { throw error }
            return Envelope(status: 200, success: false, message: EnvelopeTexts.idTaken).response()
        }
        return Envelope(status: 204, success: true, message: EnvelopeTexts.signedUp).response()
    }

    /// `POST /user/signin`: `id` and `password`; the token is in `data.jwt`.
    func signIn(_ request: Request, _ context: ServerContext) async throws -> Response {
        let enabled = try await enabled(context)
        let body = try await body(of: request, context)
        guard let id = body["id"], !id.isEmpty, let password = body["password"], !password.isEmpty else {
            return Envelope(status: 400, success: false, message: EnvelopeTexts.valueMissing).response()
        }
        let logIn: LogIn
        do {
            logIn = try await logInWithPassword(
                LogInWithPassword.Request(
                    application: enabled.application, identifier: id, password: Secret(password),
                    client: LogInClient(
                        .envelope, from: gate.client(of: request, context), origin: gate.origin(of: request, context)),
                    // Exactly what was typed at sign-up; nothing is trimmed or taken for an address.
                    candidates: [LogInIdentifier(.username, shown: id)]))
        } catch {
            guard case .fieldsRefused = error else { throw error }
            // An id that can be nobody's.
            throw DomainError.credentialRefused
        }
        return Envelope(
            status: 200, success: true, message: EnvelopeTexts.signedIn,
            data: Envelope.Payload(jwt: logIn.token.revealed)
        ).response()
    }

    /// `GET /user/me`: the own user. No app of the family asks for it; it is here for those that go on.
    func profile(_ request: Request, _ context: ServerContext) async throws -> Response {
        let session = try await session(of: request, context)
        let written = try session.written(
            for: .envelope,
            Envelope(
                status: 200, success: true, message: EnvelopeTexts.profile,
                data: Envelope.Payload(user: UserBody(envelope: session.userView))))
        return Envelope.response(written.body)
    }

    /// `POST /user/signout`: ends the session of the token.
    func signOut(_ request: Request, _ context: ServerContext) async throws -> Response {
        try await logOut(try await session(of: request, context))
        return Envelope(status: 200, success: true, message: EnvelopeTexts.signedOut).response()
    }

    /// The application that the base path names.
    private func enabled(_ context: ServerContext) async throws(DomainError) -> EnabledProtocol {
        try await gate.enabled(.envelope, publicKey: "/" + (context.parameters.get("base") ?? ""), context)
    }

    /// The session of the token in the header `jwt`, or in `Authorization: Bearer`.
    private func session(of request: Request, _ context: ServerContext) async throws(DomainError) -> Authenticated {
        let enabled = try await enabled(context)
        var token = request.headers.value(of: .jwt)?[...]
        if token == nil, let sent = request.headers.value(of: .authorization) {
            token = request.bearerToken ?? sent[...]
        }
        return try await gate.session(of: enabled, token: token, request, context)
    }

    /// The texts of a body. Values of other types count as missing.
    ///
    /// - Throws: `RequestError`.
    private func body(of request: Request, _ context: ServerContext) async throws -> [String: String] {
        guard let members = try await readJSON.members(of: request, context) else {
            throw RequestError.bodyMalformed(reason: "A JSON object is expected.")
        }
        return members.compactMapValues { value in
            if case .string(let text) = value { text } else { nil }
        }
    }
}

extension HTTPField.Name {
    /// Where the siblings send the token, without a scheme.
    static let jwt = HTTPField.Name(known: "jwt")
}

extension UserBody {
    /// A user as the native API shows it, for apps that go on to it.
    init(envelope shown: UserView) {
        self.init(shown.user)
        (identities, emailIsRelay) = ([], nil)
        (lastLogInAt, previousLogInAt) = (nil, nil)
    }
}
