import Domain
import HTTPSupport
import HTTPTypes
import Hummingbird
import OkaeriWire

extension AdminAPI {
    private static let services = "applications/{application}/old-services"

    /// The services whose tokens lead to users that were taken in from there.
    static let oldServices: [AdminRoute] = [
        AdminRoute(.get, services, .readSettings) { call in
            try call.answer(oldServicesOf: try call.targetApplication())
        },
        AdminRoute(.put, "\(services)/{service}", .changeOldServices) { call in
            let (name, version) = (try call.oldService(), try call.versionText())
            let body = try await call.body(OldServiceDraftBody.self)
            let changed = try await call.modules.providers.manageOldServices.set(
                name, to: body.draft, in: try call.targetApplication().id, isCurrent: try call.isCurrent(version),
                by: try call.auditActor())
            return try call.answer(oldServicesOf: changed)
        },
        AdminRoute(.delete, "\(services)/{service}", .changeOldServices) { call in
            let (name, version) = (try call.oldService(), try call.versionText())
            try await call.modules.providers.manageOldServices.remove(
                name, in: try call.targetApplication().id, isCurrent: try call.isCurrent(version),
                by: try call.auditActor())
            return AdminCall.done
        },
    ]
}

extension AdminCall {
    /// - Throws: `administration(notFound)` for a service whose tokens are not verified here.
    fileprivate func oldService() throws(DomainError) -> OldService.Name {
        guard let name = OldService.Name(rawValue: try id("service")) else { throw .administration(.notFound) }
        return name
    }

    fileprivate func answer(oldServicesOf application: Domain.Application) throws -> Response {
        try answer(OldServicesBody(application.oldServices), versionOf: application)
    }
}

/// How a service is known.
struct OldServiceDraftBody: Decodable, Sendable {
    let draft: ManageOldServices.Draft

    private enum CodingKeys: String, CodingKey, CaseIterable { case issuer, audiences, secret }

    init(from decoder: any Decoder) throws {
        let members = try decoder.closedContainer(keyedBy: CodingKeys.self)
        draft = ManageOldServices.Draft(
            issuer: try members.decodeIfPresent(String.self, forKey: .issuer),
            audiences: try members.decodeIfPresent([String].self, forKey: .audiences) ?? [],
            secret: try members.decodeIfPresent(String.self, forKey: .secret).map { Secret($0) })
    }
}
