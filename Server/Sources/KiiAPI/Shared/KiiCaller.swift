import Domain
import Foundation
import HTTPSupport
import HTTPTypes
import Hummingbird
import OkaeriWire

extension HTTPField.Name {
    static let kiiApplication = HTTPField.Name(known: "X-Kii-AppID")
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
        isAdministrator ? .operator : .user(session?.user.id, standard: [])
    }

    var isAdministrator: Bool {
        if case .administrator = self { true } else { false }
    }
}

/// The header `Authorization`. The scheme is read without regard to case, and two kinds are known.
enum KiiAuthorization {
    case none
    case basic(name: String, secret: String)
    case bearer(Substring)

    init(_ request: Request) {
        self = .none
        if let token = request.bearerToken {
            if !token.isEmpty { self = .bearer(token) }
            return
        }
        guard let header = request.headers.value(of: .authorization), let space = header.firstIndex(of: " "),
            header[..<space].lowercased() == "basic",
            let data = Data(base64Encoded: String(header[space...].drop { $0 == " " })),
            let text = StreamSafeText.text(of: data)
        else { return }
        let name = text.prefix { $0 != ":" }
        self = .basic(name: String(name), secret: String(text.dropFirst(name.count + 1)))
    }
}

extension KiiAPI {
    /// The application: the one that the path names, or else the header, or else HTTP Basic.
    ///
    /// - Throws: `KiiFault` 404, `DomainError`.
    func enabled(_ request: Request, _ context: ServerContext) async throws -> EnabledProtocol {
        var id = context.parameters.get("appID") ?? request.headers.value(of: .kiiApplication)
        if id == nil, case .basic(let name, _) = KiiAuthorization(request) {
            id = name
        }
        do {
            return try await gate.enabled(.kii, publicKey: id)
        } catch {
            guard case .applicationUnknown = error else { throw error }
            throw KiiFault(
                404, "APP_NOT_FOUND", "AppNotFound", "There is no such application",
                [("appID", MemberFault.printable(id ?? ""))])
        }
    }

    /// Who calls.
    ///
    /// - Throws: `KiiFault` 403 for a token that is nobody's any more, `userDisabled`, `storageUnavailable`.
    func caller(
        _ enabled: EnabledProtocol, _ request: Request, _ context: ServerContext
    ) async throws -> KiiCaller {
        guard case .bearer(let token) = KiiAuthorization(request) else {
            return .anonymous
        }
        if token.utf8.first == UInt8(ascii: "a") {
            switch modules.applications.protocolTokens.caller(of: token, for: enabled) {
            case .administrator: return .administrator
            case .anonymous: return .anonymous
            case nil: break
            }
        }
        guard !modules.sessions.refreshSession.isOver(token) else { throw KiiFault.wrongToken(in: enabled.publicKey) }
        do {
            return .user(try await gate.session(of: enabled, token: token, request, context))
        } catch {
            guard case .sessionInvalid = error else { throw error }
            throw KiiFault.wrongToken(in: enabled.publicKey)
        }
    }

    /// Who calls, for calls that need a user or an administrator.
    func knownCaller(
        _ enabled: EnabledProtocol, _ request: Request, _ context: ServerContext
    ) async throws -> KiiCaller {
        let caller = try await caller(enabled, request, context)
        if case .anonymous = caller { throw KiiFault.unauthorized(in: enabled.publicKey) }
        return caller
    }

    /// Where the request came from, for the audit log.
    func origin(of request: Request, _ context: ServerContext) -> RequestOrigin {
        gate.origin(of: request, context)
    }

    /// Who changes a user.
    func author(
        _ caller: KiiCaller, of user: User, _ request: Request, _ context: ServerContext
    ) -> EditUser.Author {
        let (actor, origin) = (caller.actor, origin(of: request, context))
        return EditUser.Author(actor, of: user.id, session: caller.session, from: origin)
    }
}
