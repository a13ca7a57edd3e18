import Domain
import HTTPSupport
import Hummingbird
import OkaeriWire

/// `POST /users`: signs a member up; with `authData` it also logs a known one in.
///
/// A session that comes with it is left alone: the Objective-C SDK makes a new member in the session of an anonymous
/// one, and deletes that afterwards; and others send tokens that have long been dead.
struct SignUpMemberRoute: Sendable {
    let api: NCMBAPI

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        let caller = try await api.caller(of: request, context)
        let body = try await api.body(of: request, context)
        let authData = try AuthDataRequest(body.members["authData"])
        let newUser = try Self.newUser(body)
        let logIn =
            authData.isEmpty
            ? try await signUp(body, newUser, caller, request, context)
            : try await logIn(authData, body, newUser, caller, request, context)
        if logIn.isNew, logIn.user.email != nil, logIn.user.emailVerifiedAt == nil {
            await api.sendConfirmation(to: logIn.user, by: logIn.session, for: caller, request, context)
        }
        return try NCMBResponse.signed(
            authData.isEmpty ? Self.answer(logIn) : Self.answer(logIn, authData, caller),
            status: logIn.isNew ? .created : .ok, for: caller)
    }

    private func signUp(
        _ body: NCMBBody, _ newUser: UserRegistration.Profile, _ caller: NCMBCaller, _ request: Request,
        _ context: ServerContext
    ) async throws -> LogIn {
        let missing = NCMBFault.empty("userName or password")
        let userName = try body.text("userName", missing: missing)
        let password = try body.text("password", missing: missing)
        return try await api.modules.accounts.signUp(
            SignUp.Request(
                application: caller.application,
                identifiers: NewIdentifiers(
                    username: .set(userName), email: try body.mailAddress, rules: .ncmb),
                password: Secret(password), newUser: newUser, device: api.device(of: request),
                address: api.client(of: request, context), protocolName: .ncmb,
                origin: api.gate.origin(of: request, context)))
    }

    private func logIn(
        _ authData: AuthDataRequest, _ body: NCMBBody, _ newUser: UserRegistration.Profile, _ caller: NCMBCaller,
        _ request: Request, _ context: ServerContext
    ) async throws -> LogIn {
        let client = api.client(of: request, context)
        var identifiers = NewIdentifiers(email: try body.mailAddress, rules: .ncmb)
        if case .string(let name)? = body.members["userName"], !name.isEmpty { identifiers.username = .set(name) }
        return try await api.modules.accounts.logInWithIdentities(
            LogInWithIdentities.Request(
                application: caller.application,
                people: try await api.verified(authData, for: caller, from: client),
                anonymousId: authData.anonymousId, newUser: newUser, identifiers: identifiers, protocolName: .ncmb,
                device: api.device(of: request), address: client, origin: api.gate.origin(of: request, context)))
    }

    private static func newUser(_ body: NCMBBody) throws -> UserRegistration.Profile {
        var operations: [String: FieldOperation] = [:]
        for (name, value) in try MemberFields.custom(in: body.members) {
            operations[name] = try MemberFields.operation(name, value)
        }
        let excess = ProfileRules.faults(ofChange: operations)
        guard excess.isEmpty else { throw DomainError.fieldsRefused(excess) }
        var fields: [String: JSONValue] = [:]
        for (name, operation) in operations {
            do {
                fields[name] = try operation.applied(to: nil)
            } catch {
                throw NCMBFault.wrongType(name)
            }
        }
        let acl: ACL? =
            switch body.members["acl"] {
            case nil, .null?: nil
            case let value?: try MemberFields.acl(value)
            }
        return UserRegistration.Profile(fields: fields, acl: acl)
    }

    /// The five members of the documentation's sample. Objective-C takes the session over only when `authData` is there.
    private static func answer(_ logIn: LogIn) -> NCMBObject {
        NCMBObject([
            ("createDate", .string(logIn.user.createdAt.text)), ("objectId", .string(logIn.user.id.rawValue)),
            ("sessionToken", .string(logIn.token.revealed)), ("userName", .string(logIn.user.username ?? "")),
            ("authData", .null),
        ])
    }

    private static func answer(_ logIn: LogIn, _ authData: AuthDataRequest, _ caller: NCMBCaller) -> NCMBObject {
        MemberObject(logIn.user, for: caller).own(
            sessionToken: logIn.token.revealed,
            authData: AuthDataObject.value(of: logIn.user.identities, sent: authData.sent))
    }
}

extension NCMBBody {
    /// The mail address that the body asks for; null and an empty text take it away.
    var mailAddress: ValueChange<String> {
        get throws(NCMBFault) {
            switch members["mailAddress"] {
            case nil: .unchanged
            case .null?, ""?: .removed
            case .string(let text)?: .set(text)
            default: throw .wrongType("mailAddress")
            }
        }
    }
}
