import Domain
import Foundation
import HTTPSupport
import HTTPTypes
import Hummingbird
import OkaeriWire

extension HTTPField.Name {
    static let kiiApplication = HTTPField.Name(known: "X-Kii-AppID")
    static let kiiKey = HTTPField.Name(known: "X-Kii-AppKey")
    static let kiiSDK = HTTPField.Name(known: "X-Kii-SDK")
}

/// Who makes a request.
enum KiiCaller: Sendable {
    case anonymous
    case user(Authenticated)
    case administrator

    /// The session, when a user calls.
    var session: Authenticated? {
        if case .user(let who) = self { who } else { nil }
    }

    /// In whose name users are changed.
    var actor: AccountActor {
        isAdministrator ? .protocolKey(.kii) : .user(session?.user.id, standard: [])
    }

    var isAdministrator: Bool {
        if case .administrator = self { true } else { false }
    }
}

/// The header `Authorization`. The scheme is read without regard to case, and two kinds are known.
private enum KiiAuthorization {
    case none
    case basic(name: String)
    case bearer(Substring)

    init(_ request: Request) {
        self = .none
        if let token = request.bearerToken {
            if !token.isEmpty { self = .bearer(token) }
            return
        }
        guard let header = request.headers.value(of: .authorization), let parts = header.cut(at: " "),
            parts.before.lowercased() == "basic", let data = Data(base64Encoded: parts.after.withoutBlanks),
            let text = StreamSafeText.text(of: data)
        else { return }
        self = .basic(name: String(text.before(":")))
    }
}

/// Finds out what all requests have in common: for which application they are, and who calls.
struct KiiRequests: Sendable {
    let gate: ProtocolAuthenticator
    let readBody: BodyReader
    private let applications: Applications
    private let directory: UserDirectory
    private let sessions: Sessions

    init(gate: ProtocolAuthenticator, readBody: BodyReader, _ modules: Modules) {
        self.gate = gate
        self.readBody = readBody
        applications = modules.applications
        directory = modules.directory
        sessions = modules.sessions
    }

    /// A request whose token is not looked at.
    ///
    /// - Throws: `KiiFault` 404, `DomainError`.
    func anonymous(_ request: Request, _ context: ServerContext) async throws -> KiiRequest {
        KiiRequest(
            enabled: try await enabled(request, context), caller: .anonymous, request: request, context: context,
            requests: self)
    }

    /// A request with its caller.
    ///
    /// - Throws: `KiiFault` 404, and 403 for a token that is nobody's any more; `userDisabled`, `storageUnavailable`.
    func authenticated(_ request: Request, _ context: ServerContext) async throws -> KiiRequest {
        let enabled = try await enabled(request, context)
        return KiiRequest(
            enabled: enabled, caller: try await caller(enabled, request, context), request: request, context: context,
            requests: self)
    }

    /// The application: the one that the path names, or else the header, or else HTTP Basic.
    private func enabled(_ request: Request, _ context: ServerContext) async throws -> EnabledProtocol {
        var id = context.parameters.get("appID") ?? request.headers.value(of: .kiiApplication)
        if id == nil, case .basic(let name) = KiiAuthorization(request) {
            id = name
        }
        do {
            return try await gate.enabled(.kii, publicKey: id, context)
        } catch {
            guard case .applicationUnknown = error else { throw error }
            throw KiiFault(
                404, "APP_NOT_FOUND", "AppNotFound", "There is no such application",
                [("appID", MemberFault.printable(id ?? ""))])
        }
    }

    private func caller(
        _ enabled: EnabledProtocol, _ request: Request, _ context: ServerContext
    ) async throws -> KiiCaller {
        guard case .bearer(let token) = KiiAuthorization(request) else {
            return .anonymous
        }
        if token.utf8.first == UInt8(ascii: "a") {
            switch applications.protocolTokens.caller(of: token, for: enabled) {
            case .administrator: return .administrator
            case .anonymous: return .anonymous
            case nil: break
            }
        }
        guard !sessions.refreshSession.isOver(token) else { throw KiiFault.wrongToken(in: enabled.publicKey) }
        do {
            return .user(try await gate.session(of: enabled, token: token, request, context))
        } catch {
            guard case .sessionInvalid = error else { throw error }
            throw KiiFault.wrongToken(in: enabled.publicKey)
        }
    }

    /// The user that a path names.
    ///
    /// - Parameters:
    ///   - reference: The path's name for the user.
    ///   - user: Who looks, and is limited in it; `nil` for an administrator.
    ///   - enabled: Where.
    /// - Returns: the user.
    /// - Throws: `KiiFault` 404, `rateLimited`, `storageUnavailable`.
    func found(
        _ reference: UserReference, by user: Identifier<User>?, in enabled: EnabledProtocol
    ) async throws -> User {
        switch reference {
        case .me: throw KiiFault.unauthorized(in: enabled.publicKey)
        case .id(let id):
            let found: User
            do {
                found = try await directory.readUser(id, in: enabled.application.id)
            } catch {
                guard case .userUnknown = error else { throw error }
                throw reference.notFound(in: enabled.publicKey)
            }
            // Others do not see a user on the way out, whom an administrator can still erase.
            guard user == nil || found.isVisible(to: .everything) else {
                throw reference.notFound(in: enabled.publicKey)
            }
            return found
        case .identifier(let identifier, _, _):
            guard let user = try await directory.lookUpUser(identifier, in: enabled.application.id, by: user),
                AddressKind(identifier.kind)?.counts(of: user, enabled.options) ?? true
            else {
                throw reference.notFound(in: enabled.publicKey)
            }
            return user
        }
    }
}

/// A request of a known application, and who makes it.
struct KiiRequest: Sendable {
    let enabled: EnabledProtocol
    let caller: KiiCaller
    let request: Request
    let context: ServerContext
    fileprivate let requests: KiiRequests

    var application: Domain.Application { enabled.application }

    /// The key that names the application.
    var appID: String { enabled.publicKey }

    var options: ForeignOptions { enabled.options }

    /// The refusal of a caller who may not do this.
    var unauthorized: KiiFault { .unauthorized(in: appID) }

    /// The address that the request came from.
    var client: ClientAddress { requests.gate.client(of: request, context) }

    /// Where the request came from, for the audit log.
    var origin: RequestOrigin { requests.gate.origin(of: request, context) }

    /// The request's own address, as the client knows it.
    var target: ProofTarget { requests.gate.target(of: request, context) }

    /// What the app prefers, best first.
    var languages: [String] { AcceptLanguage.tags(of: request) }

    /// How the path names a user.
    ///
    /// - Throws: `KiiFault` when an address has no form of one.
    func reference() throws(KiiFault) -> UserReference {
        try UserReference(context, in: appID)
    }

    /// The user that the path names, for a caller who may change it: the user itself or an administrator. What strangers
    /// may not change they do not learn about either.
    func user() async throws -> User {
        let reference = try reference()
        if let session = caller.session {
            guard reference.names(session.user) else { throw unauthorized }
            return session.user
        }
        guard caller.isAdministrator else { throw unauthorized }
        return try await found(reference)
    }

    /// The user that the path names.
    func found(_ reference: UserReference) async throws -> User {
        try await requests.found(reference, by: caller.session?.user.id, in: enabled)
    }

    /// In whose name a user is changed.
    func author(of user: User) -> AccountAuthor {
        AccountAuthor(caller.actor, of: user.id, session: caller.session, from: origin)
    }

    /// The body; empty when there is none.
    ///
    /// - Throws: `KiiFault.notJSON`, `RequestError`.
    func body() async throws -> KiiBody {
        if request.hasMediaType(["application/x-www-form-urlencoded"]) {
            return try KiiBody(form: try await requests.readBody(request, context))
        }
        return KiiBody(members: try await JSONReader(requests.readBody).members(of: request, context) ?? [:])
    }
}
