package import Domain
import HTTPSupport
import HTTPTypes
package import Hummingbird
import OkaeriWire

/// The own user: made, read, changed, made permanent, deleted, exported.
struct UsersController: Sendable {
    let requests: NativeRequests
    let metrics: ServerMetrics
    let logIns: LogIns
    let accounts: Accounts
    let deletion: Deletion

    /// `POST /v1/sign-up`: makes a user with identifiers and a password, and logs it in.
    func create(
        _ application: Domain.Application, _ request: Request, _ context: ServerContext
    ) async throws -> Response {
        let attemptName = try Attempt.name(of: request)
        let body = try await requests.readJSON(SignUpBody.self, of: request, context) ?? SignUpBody(password: nil)
        var named = body
        named.password = nil
        let attempt = try Attempt(name: attemptName, body: named)
        let logIn = try await metrics.logIn { () async throws(DomainError) in
            try await logIns.signUp(
                SignUp.Request(
                    application: application,
                    identifiers: NewIdentifiers(
                        username: ValueChange(given: body.username), email: ValueChange(given: body.email),
                        phone: ValueChange(given: body.phone), rules: .native),
                    password: body.password.map(Secret.init(_:)),
                    newUser: .init(displayName: body.displayName, locale: body.locale, fields: body.fields ?? [:]),
                    client: requests.logInClient(body.device, body.joinsDevice, request, context),
                    attempt: attempt))
        }
        return try JSONResponse(body: LogInResponse(logIn), status: .created).response()
    }

    /// `GET /v1/user`: the own user. The hot path: the session's cache has the user already, so there is no query, and
    /// after the first time it has the answer's bytes too.
    func read(_ caller: Authenticated, _ request: Request, _ context: ServerContext) async throws -> Response {
        Response(json: try caller.written(for: .native, UserBody(caller.userView)).body)
    }

    /// `PATCH /v1/user`: a JSON merge patch (RFC 7396) of the own user.
    func update(_ caller: Authenticated, _ request: Request, _ context: ServerContext) async throws -> Response {
        let patch = try await requests.readJSON(
            UserPatchBody.self, of: request, context, mediaTypes: ["application/merge-patch+json", "application/json"])
        let user = try await accounts.editUser(
            UserEdit(patch ?? UserPatchBody()), of: caller.user.id, in: caller.application,
            by: requests.author(caller, request, context)
        ).user
        return try JSONResponse(body: UserBody(user.shown(to: .owner, in: caller.application))).response()
    }

    /// `POST /v1/user/upgrade`: gives an anonymous user identifiers and a password.
    func upgrade(_ caller: Authenticated, _ request: Request, _ context: ServerContext) async throws -> Response {
        let attemptName = try Attempt.name(of: request)
        let body = try await requests.readJSON(UpgradeBody.self, of: request, context) ?? UpgradeBody(password: nil)
        var named = body
        named.password = nil
        let upgrade = UpgradeUser.Request(
            identifiers: NewIdentifiers(
                username: ValueChange(given: body.username), email: ValueChange(given: body.email),
                phone: ValueChange(given: body.phone), rules: .native),
            password: body.password.map(Secret.init(_:)),
            changes: UserEdit(
                displayName: ValueChange(body.displayName), locale: ValueChange(body.locale),
                fields: ValueChange(body.fields)),
            isNamedAttempt: attemptName != nil)
        let address = requests.gate.client(of: request, context)
        let attempt = try Attempt(name: attemptName, body: named)
        // What is refused by its form alone leaves nothing behind.
        if accounts.upgradeUser.isWellFormed(upgrade, by: caller) {
            try await accounts.rememberAttempt(attempt, by: caller, from: address)
        }
        let user = try await accounts.upgradeOrOfferMerge(
            upgrade, by: caller, isProven: requests.isProven(request, context), address: address,
            from: requests.origin(of: request, context))
        return try JSONResponse(body: UserBody(user.shown(to: .owner, in: caller.application))).response()
    }

    /// `DELETE /v1/user`: the user asks to be deleted.
    func delete(_ caller: Authenticated, _ request: Request, _ context: ServerContext) async throws -> Response {
        let erasedAt = try await deletion.requestDeletion(
            by: caller, isProven: requests.isProven(request, context), from: requests.origin(of: request, context))
        return try JSONResponse(body: DeletionResponse(erasedAt: erasedAt.wire), status: .accepted).response()
    }

    /// `GET /v1/user/export`: everything that is stored about the user.
    func export(_ caller: Authenticated, _ request: Request, _ context: ServerContext) async throws -> Response {
        let export = try await deletion.exportUser(
            by: caller, isProven: requests.isProven(request, context), from: requests.origin(of: request, context))
        return try NativeAPI.response(export, current: caller.session.id)
    }
}

extension ValueChange where Value: Codable & Hashable {
    /// A change as it was sent.
    init(_ change: UserPatchBody.Change<Value>) {
        self =
            switch change {
            case .unchanged: .unchanged
            case .removed: .removed
            case .set(let value): .set(value)
            }
    }
}

extension NativeAPI {
    /// Everything that is stored about a user, as a file. The hosted pages give the same.
    package static func response(_ export: ExportUser.Export, current: Identifier<Session>) throws -> Response {
        let body = ExportResponse(
            exportedAt: export.exportedAt.wire, application: export.application.id.rawValue,
            // All of it, also what apps never see: it is the person's right (GDPR, article 15).
            user: UserBody(export.user.shown(to: .server, in: export.application)),
            sessions: export.sessions.map { session in
                var body = SessionBody(session, isCurrent: session.id == current)
                if !session.fields.isEmpty { body.fields = session.fields }
                return body
            },
            devicesAdded: export.transfers.map { NoticeBody($0) }, passkeys: export.passkeys.map { PasskeyBody($0) },
            log: export.audit.map { LogEntryBody($0) })
        return try JSONResponse(body: body, headers: [.contentDisposition: #"attachment; filename="user.json""#])
            .response()
    }
}

extension LogEntryBody {
    fileprivate init(_ entry: AuditEntry) {
        self.init(
            at: entry.at.wire, actor: entry.actor.rawValue, action: entry.action.rawValue,
            target: entry.target?.rawValue, result: entry.result.rawValue, address: entry.origin.address,
            userAgent: entry.origin.userAgent)
    }
}
