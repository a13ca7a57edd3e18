import Domain
import HTTPSupport
import HTTPTypes
import Hummingbird
import OkaeriWire

extension AdminAPI {
    private static let application = "applications/{application}"

    /// Applications themselves.
    static let applications: [AdminRoute] = [
        AdminRoute(.get, "applications", .listApplications) { call in
            let entries = try await call.modules.applications.listApplications(seenBy: try call.caller())
            return try call.answer(AdminApplicationsBody(applications: entries.map(AdminApplicationBody.init(_:))))
        },
        AdminRoute(.post, "applications", .createApplication) { call in
            let attempt = try call.attempt()
            let body = try await call.body(NewApplicationBody.self)
            let made = try await call.modules.applications.createApplication(
                name: body.name, attempt: attempt, by: try call.auditActor())
            return try call.answer(
                NewApplicationResponse(
                    id: made.application.id.rawValue, name: made.application.name, adminKey: made.adminKey.revealed),
                status: .created)
        },
    ]

    /// What happens in an application.
    static let activity: [AdminRoute] = [
        AdminRoute(.get, "\(application)/sessions", .listSessions, also: [.readPersonalData]) { call in
            let query = try AdminQuery(call, "protocol", "from", "limit")
            let limit = try query.number("limit", in: 1...ListActivity.maximumPageSize) ?? 50
            let sessions = try await call.rules.users.listActivity.sessions(
                in: try call.targetApplication().id, for: try call.reader(),
                protocolName: query.text("protocol").map { .init(rawValue: $0) },
                from: query.text("from").map(SessionCursor.init(wire:)), limit: limit)
            return try call.answer(
                AdminSessionsBody(
                    sessions: sessions.map(AdminSessionBody.init(_:)),
                    next: sessions.count == limit
                        ? sessions.last.map { SessionCursor(user: $0.user, session: $0.id).wire } : nil))
        },
        AdminRoute(.get, "\(application)/merges", .listMerges) { call in
            let query = try AdminQuery(call, "from", "limit")
            let limit = try query.number("limit", in: 1...ListActivity.maximumPageSize) ?? 50
            let (merges, tickets) = try await call.rules.users.listActivity.merges(
                in: try call.targetApplication().id, before: query.text("from").map { Identifier(rawValue: $0) },
                limit: limit)
            return try call.answer(
                AdminMergesBody(
                    merges: merges.map(AdminMergeBody.init(_:)),
                    offers: tickets.map {
                        AdminOfferBody(user: $0.user.rawValue, other: $0.other.rawValue, expiresAt: $0.expiresAt.wire)
                    }, next: merges.count == limit ? merges.last?.id.rawValue : nil))
        },
        AdminRoute(.post, "\(application)/users/{user}/merges/{merge}/undo", .undoMerge) { call in
            try await call.modules.transfers.undoMerge(
                Identifier(rawValue: try call.id("merge")), of: try call.user(), in: try call.targetApplication().id,
                by: try call.auditActor())
            return AdminCall.done
        },
        AdminRoute(.get, "\(application)/audit", .readAudit) { call in
            try await call.auditLog(of: try call.targetApplication().id)
        },
        AdminRoute(.get, "\(application)/overview", .readOverview) { call in
            let query = try AdminQuery(call, "days")
            let days = try query.number("days", in: 1...ReadOverview.longestSpanDays) ?? 7
            let overview = try await call.rules.statistics.readOverview(of: try call.targetApplication().id, days: days)
            return try call.answer(OverviewBody(overview))
        },
        AdminRoute(.get, "audit", .readServerAudit) { call in try await call.auditLog(of: AuditEntry.server) },
    ]
}

extension AdminCall {
    fileprivate func auditLog(of application: Identifier<Domain.Application>) async throws -> Response {
        let query = try AdminQuery(self, "actor", "action", "target", "from", "limit")
        let limit = try query.number("limit", in: 1...ListAudit.maximumPageSize) ?? 100
        let entries = try await modules.administration.audit.list(
            in: application,
            matching: AuditFilter(
                actor: query.text("actor").map { .init(rawValue: $0) },
                action: query.text("action").map { .init(rawValue: $0) },
                target: query.text("target").map { .init(rawValue: $0) }),
            before: query.text("from").map { Identifier(rawValue: $0) }, limit: limit)
        return try answer(
            AdminAuditBody(
                entries: entries.map(AuditEntryBody.init(_:)),
                next: entries.count == limit ? entries.last?.id.rawValue : nil))
    }
}

struct AdminApplicationsBody: Encodable {
    let applications: [AdminApplicationBody]
}

struct AdminApplicationBody: Encodable {
    let id: String
    let name: String
    let userCount: Int
    let createdAt: WireTime

    init(_ entry: ListApplications.Entry) {
        id = entry.application.id.rawValue
        name = entry.application.name
        userCount = entry.userCount
        createdAt = entry.application.createdAt.wire
    }
}

struct NewApplicationBody: Decodable, Sendable {
    var name: String

    private enum CodingKeys: String, CodingKey, CaseIterable { case name }

    init(from decoder: any Decoder) throws {
        name = try decoder.closedContainer(keyedBy: CodingKeys.self).decode(String.self, forKey: .name)
    }
}

struct NewApplicationResponse: Encodable {
    let id: String
    let name: String
    /// Returned once.
    let adminKey: String
}

struct AdminSessionsBody: Encodable {
    let sessions: [AdminSessionBody]
    let next: String?
}

struct AdminMergesBody: Encodable {
    let merges: [AdminMergeBody]
    /// Merges that were offered and not decided yet.
    let offers: [AdminOfferBody]
    let next: String?
}

struct AdminMergeBody: Encodable {
    let id: String
    let user: String
    let leftUser: String
    let mergedAt: WireTime
    let undoneBefore: WireTime

    init(_ merge: Merge) {
        id = merge.id.rawValue
        user = merge.user.rawValue
        leftUser = merge.leftUser.rawValue
        mergedAt = merge.mergedAt.wire
        undoneBefore = merge.undoEnd.wire
    }
}

struct AdminOfferBody: Encodable {
    let user: String
    let other: String
    let expiresAt: WireTime
}

struct OverviewBody: Encodable {
    struct Hour: Encodable {
        let at: WireTime
        let counts: [String: Int64]
    }

    let userCount: Int
    let activeToday: Int64
    let activeMonth: Int64
    let from: WireTime
    /// Hours in which something was counted.
    let hours: [Hour]

    init(_ overview: ReadOverview.Overview) {
        userCount = overview.userCount
        activeToday = overview.activeToday
        activeMonth = overview.activeMonth
        from = Timestamp(hour: overview.hours.lowerBound).wire
        hours = Dictionary(grouping: overview.statistics.filter { $0.value > 0 }, by: \.hour)
            .sorted { $0.key < $1.key }.map { hour, statistics in
                Hour(
                    at: Timestamp(hour: hour).wire,
                    counts: Dictionary(statistics.map { ($0.name.rawValue, $0.value) }, uniquingKeysWith: { $1 }))
            }
    }
}

struct AdminAuditBody: Encodable {
    let entries: [AuditEntryBody]
    let next: String?
}
