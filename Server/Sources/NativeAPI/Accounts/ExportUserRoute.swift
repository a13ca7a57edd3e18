package import Domain
import HTTPSupport
import HTTPTypes
package import Hummingbird
import OkaeriWire

/// `GET /v1/user/export`: everything that is stored about the user.
struct ExportUserRoute: RouteHandler {
    let api: NativeAPI

    func respond(to request: Request, _ context: ServerContext) async throws -> Response {
        let caller = try await api.presentCaller(of: request, context)
        let export = try await api.useCases.exportUser(by: caller, from: api.origin(of: request, context))
        return try NativeAPI.answer(export, current: caller.session.id)
    }
}

extension NativeAPI {
    /// Everything that is stored about a user, as a file. The hosted pages give the same.
    package static func answer(_ export: ExportUser.Export, current: Identifier<Session>) throws -> Response {
        let body = ExportAnswer(
            exportedAt: export.exportedAt.wire, application: export.application.id.rawValue,
            // All of it, also what apps never see: it is the person's right (GDPR, article 15).
            user: UserBody(export.user.shown(to: .server, in: export.application)),
            sessions: export.sessions.map { SessionBody($0, isCurrent: $0.id == current) },
            devicesAdded: export.transfers.map { NoticeBody($0) }, log: export.audit.map { LogEntryBody($0) })
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
