import Domain
import HTTPSupport
import HTTPTypes
import Hummingbird
import PageSupport

/// `/dashboard/app/ID/audit`
enum AuditPage {
    static let routes = [DashboardRoute(.init("/app/{application}/audit", .readAudit), show)]

    @Sendable private static func show(_ request: DashboardRequest) async throws -> Response {
        let query = request.page.query
        func value(_ name: String) -> String? {
            query[name].flatMap { $0.isEmpty || $0.utf8.contains(0) ? nil : String($0.prefix(200)) }
        }
        let names = try await request.adminNames()
        let entries = try await request.modules.administration.audit.list(
            in: try request.targetApplication().id,
            matching: AuditFilter(
                actor: value("actor").map { .init(rawValue: request.reference($0, names)) },
                action: value("action").map { .init(rawValue: $0) },
                target: value("target").map { .init(rawValue: request.reference($0, names)) }),
            before: value("from").map { .init(rawValue: $0) }, limit: 100)
        var list = ListModel()
        list.columns = ["when", "who", "what", "whom", "result", "address"].map { request.text("audit.\($0)") }
        list.empty = request.text("audit.empty")
        list.filters = ["actor", "action", "target"].map {
            PageField(
                $0, label: request.text("audit.\($0)"), kind: $0 == "action" ? .select : .text, value: query.text($0),
                hint: request.knownText("audit.\($0)Hint"), isRequired: false
            ).offering($0 == "action" ? request.actions(with: query.text($0)) : [])
        }
        /// In words; the link leads to all entries that have the same.
        func cell(_ name: String, _ words: String, _ identifier: String) -> ListModel.Cell {
            let link = "\(request.pagePath)?\(FormValues.query([(name, identifier)]))"
            return ListModel.Cell(text: words, link: link, identifier: identifier)
        }
        list.rows = entries.map { entry -> [ListModel.Cell] in
            let target = entry.target.map { cell("target", request.words($0, names), $0.rawValue) }
            return [
                .init(text: "", time: entry.at),
                cell("actor", request.words(entry.actor, names), entry.actor.rawValue),
                cell("action", request.word(entry.action), entry.action.rawValue),
                target ?? .init(text: "–"),
                .init(
                    text: entry.result == .done ? request.text("audit.done") : "",
                    badge: entry.result == .refused ? request.text("audit.refused") : nil),
                .init(text: entry.origin.address ?? "–", isCode: true),
            ]
        }
        if entries.count == 100 { list.next = entries.last?.id.rawValue }
        var model = list.model(request)
        model["isLive"] = value("from") == nil
        return try request.html("list", title: request.text("nav.audit"), model)
    }
}

/// `/dashboard/app/ID/conflicts`: merges that can be undone, and offers that wait.
enum ConflictsPage {
    private static let page = DashboardRoute.Page("/app/{application}/conflicts", .listMerges)

    static let routes: [DashboardRoute] = [
        DashboardRoute(page, show),
        DashboardRoute(page, post: "/app/{application}/users/{user}/merges/{merge}/undo", .undoMerge) { request in
            _ = try await request.form()
            try await request.modules.transfers.undoMerge(
                .init(rawValue: request.id("merge")), of: .init(rawValue: request.id("user")),
                in: try request.targetApplication().id, by: try request.auditActor())
            return request.redirect(to: "\(request.path("conflicts"))?done=undone")
        },
    ]

    @Sendable private static func show(_ request: DashboardRequest) async throws -> Response {
        let application = try request.targetApplication()
        let from = request.page.query.text("from")
        let (merges, offers) = try await request.rules.users.listActivity.merges(
            in: application.id, before: from.isEmpty ? nil : .init(rawValue: from), limit: 50)
        var list = ListModel()
        list.columns = ["kept", "left", "when", "until"].map { request.text("conflicts.\($0)") }
        list.empty = request.text("conflicts.empty")
        list.rows =
            offers.map { offer in
                [
                    .init(
                        text: offer.other.rawValue, link: request.path(of: offer.other), isCode: true,
                        badge: request.text("conflicts.offered")),
                    .init(text: offer.user.rawValue, link: request.path(of: offer.user), isCode: true),
                    .init(text: "–"), .init(text: "", time: offer.expiresAt),
                ]
            }
            + merges.map { merge in
                [
                    .init(text: merge.user.rawValue, link: request.path(of: merge.user), isCode: true),
                    .init(text: merge.leftUser.rawValue, isCode: true), .init(text: "", time: merge.mergedAt),
                    .init(text: "", time: merge.undoEnd),
                ]
            }
        var model = list.model(request)
        if merges.count == 50 { model["next"] = "\(request.path("conflicts"))?from=\(merges[49].id)" }
        if request.offers(.undoMerge) {
            model["undo"] = merges.map { merge -> PageTemplates.Model in
                [
                    "link": "\(request.path(of: merge.user))/merges/\(merge.id)/undo",
                    "user": merge.user.rawValue, "left": merge.leftUser.rawValue,
                ]
            }
            model["hasUndo"] = !merges.isEmpty
        }
        if request.page.query.text("done") == "undone" { model["notice"] = request.text("conflicts.undone") }
        return try request.html("list", title: request.text("nav.conflicts"), model)
    }
}

/// `/dashboard/health`
enum HealthPage {
    static let routes = [DashboardRoute(.init("/health", .readHealth), show)]

    @Sendable private static func show(_ request: DashboardRequest) async throws -> Response {
        let found = try await request.rules.statistics.readHealth()
        var list = ListModel()
        list.columns = [request.text("health.what"), request.text("health.how")]
        func row(_ name: String, _ text: String, time: Timestamp? = nil, badge: String? = nil) {
            list.rows.append([
                .init(text: request.text("health.\(name)")), .init(text: text, time: time, badge: badge),
            ])
        }
        row("version", ProgramVersion.current)
        row("storage", request.text("health.good", ["milliseconds": String(found.storage.wholeMilliseconds)]))
        row("applications", String(found.applications))
        row("users", String(found.users))
        row("sessions", String(request.modules.sessions.cachedSessions))
        row("passwords", String(found.passwordsWaiting))
        row("mail", String(found.mailWaiting), badge: found.sendsMail ? nil : request.text("health.noMail"))
        if let oldest = found.oldestMailAt { row("oldestMail", "", time: oldest) }
        row(
            "givenUp", String(found.mailGivenUp), badge: found.mailGivenUp > 0 ? request.text("health.look") : nil)
        for key in found.signingKeys { row("key", "\(key.id.prefix(10))… · ", time: key.createdAt) }
        row("clock", "", time: found.at)
        return try request.html("list", title: request.text("nav.health"), list.model(request))
    }
}
