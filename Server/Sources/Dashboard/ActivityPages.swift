import Domain
import HTTPSupport
import HTTPTypes
import Hummingbird
import PageSupport

/// `/dashboard/app/ID/audit`
struct AuditPage: DashboardPage {
    let permission: AdminPermission? = .readAudit

    func respond(to visit: DashboardRequest) async throws -> Response {
        let query = visit.visit.query
        func value(_ name: String) -> String? {
            query[name].flatMap { $0.isEmpty || $0.utf8.contains(0) ? nil : String($0.prefix(200)) }
        }
        let entries = try await visit.useCases.listAudit(
            in: try visit.place().id,
            matching: AuditFilter(
                actor: value("actor").map { .init(rawValue: $0) }, action: value("action").map { .init(rawValue: $0) },
                target: value("target").map { .init(rawValue: $0) }),
            before: value("from").map { .init(rawValue: $0) }, limit: 100)
        var list = ListModel()
        list.columns = ["when", "who", "what", "whom", "result", "address"].map { visit.text("audit.\($0)") }
        list.empty = visit.text("audit.empty")
        list.filters = ["actor", "action", "target"].map {
            PageField($0, label: visit.text("audit.\($0)"), value: query.text($0), isRequired: false)
        }
        list.rows = entries.map { entry in
            [
                .init(text: "", time: entry.at), .init(text: entry.actor.rawValue, isCode: true),
                .init(text: entry.action.rawValue), .init(text: entry.target?.rawValue ?? "–", isCode: true),
                .init(
                    text: entry.result == .done ? visit.text("audit.done") : "",
                    badge: entry.result == .refused ? visit.text("audit.refused") : nil),
                .init(text: entry.origin.address ?? "–", isCode: true),
            ]
        }
        if entries.count == 100 { list.next = entries.last?.id.rawValue }
        var model = list.model(visit)
        model["isLive"] = value("from") == nil
        return try visit.html("list", title: visit.text("nav.audit"), model)
    }
}

/// `/dashboard/app/ID/conflicts`: merges that can be undone, and offers that wait.
struct ConflictsPage: DashboardPage {
    let permission: AdminPermission? = .readUsers

    func respond(to visit: DashboardRequest) async throws -> Response {
        let application = try visit.place()
        if visit.isPost {
            let form = try await visit.form()
            try await visit.useCases.undoMerge(
                .init(rawValue: form.text("merge")), of: .init(rawValue: form.text("user")), in: application.id,
                by: try visit.auditActor(.changeUsers))
            return visit.redirect(to: "\(visit.path("conflicts"))?done=undone")
        }
        let from = visit.visit.query.text("from")
        let (merges, offers) = try await visit.rules.listActivity.merges(
            in: application.id, before: from.isEmpty ? nil : .init(rawValue: from), limit: 50)
        var list = ListModel()
        list.columns = ["kept", "left", "when", "until"].map { visit.text("conflicts.\($0)") }
        list.empty = visit.text("conflicts.empty")
        list.rows =
            offers.map { offer in
                [
                    .init(
                        text: offer.other.rawValue, link: visit.path("users/\(offer.other)"), isCode: true,
                        badge: visit.text("conflicts.offered")),
                    .init(text: offer.user.rawValue, link: visit.path("users/\(offer.user)"), isCode: true),
                    .init(text: "–"), .init(text: "", time: offer.expiresAt),
                ]
            }
            + merges.map { merge in
                [
                    .init(text: merge.user.rawValue, link: visit.path("users/\(merge.user)"), isCode: true),
                    .init(text: merge.leftUser.rawValue, isCode: true), .init(text: "", time: merge.mergedAt),
                    .init(text: "", time: merge.undoEnd),
                ]
            }
        var model = list.model(visit)
        if merges.count == 50 { model["next"] = "\(visit.path("conflicts"))?from=\(merges[49].id)" }
        if visit.access?.may(.changeUsers) == true {
            model["undo"] = merges.map { merge -> PageTemplates.Model in
                ["merge": merge.id.rawValue, "user": merge.user.rawValue, "left": merge.leftUser.rawValue]
            }
            model["hasUndo"] = !merges.isEmpty
        }
        if visit.visit.query.text("done") == "undone" { model["notice"] = visit.text("conflicts.undone") }
        return try visit.html("list", title: visit.text("nav.conflicts"), model)
    }
}

/// `/dashboard/health`
struct HealthPage: DashboardPage {
    let permission: AdminPermission? = .readFigures

    func respond(to visit: DashboardRequest) async throws -> Response {
        try visit.caller().require(.readFigures, in: nil)
        let found = try await visit.rules.readHealth()
        var list = ListModel()
        list.columns = [visit.text("health.what"), visit.text("health.how")]
        func row(_ name: String, _ text: String, time: Timestamp? = nil, badge: String? = nil) {
            list.rows.append([
                .init(text: visit.text("health.\(name)")), .init(text: text, time: time, badge: badge),
            ])
        }
        row("version", ProgramVersion.current)
        row("storage", visit.text("health.good", ["milliseconds": String(found.storage.wholeMilliseconds)]))
        row("applications", String(found.applications))
        row("users", String(found.users))
        row("sessions", String(visit.useCases.cachedSessions))
        row("passwords", String(found.passwordsWaiting))
        row("mail", String(found.mailWaiting), badge: found.sendsMail ? nil : visit.text("health.noMail"))
        if let oldest = found.oldestMailAt { row("oldestMail", "", time: oldest) }
        row(
            "givenUp", String(found.mailGivenUp), badge: found.mailGivenUp > 0 ? visit.text("health.look") : nil)
        for key in found.signingKeys { row("key", "\(key.id.prefix(10))… · ", time: key.createdAt) }
        row("clock", "", time: found.at)
        return try visit.html("list", title: visit.text("nav.health"), list.model(visit))
    }
}
