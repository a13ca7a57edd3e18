import Domain
import HTTPTypes
import Hummingbird
import enum OkaeriWire.JSONValue
import PageSupport

/// `/dashboard/app/ID/users`: all users, a page at a time, and what can be done to several at once.
struct UsersPage: DashboardPage {
    let permission: AdminPermission? = .readUsers

    private static let standardColumns = UserListView.Column.allCases.map(\.rawValue)
    fileprivate static let deeds = ["disable", "enable", "log-out", "delete"]
    /// What an address holds for one page alone.
    private static let passing: Set<String> = ["from", "done", "count", "left", PageRequest.languageParameter]

    func respond(to visit: DashboardRequest) async throws -> Response {
        if visit.isPost {
            let form = try await visit.form()
            return try await form["view"] == nil ? BulkDeed(visit: visit).respond(form) : keep(form, visit)
        }
        let (access, application, query) = (try visit.caller(), try visit.place(), visit.visit.query)
        let page = try await visit.rules.browseUsers(
            in: application.id, UserQuery.filter(query),
            from: UserQuery.place(query.text("from")), limit: 50, searchesParts: access.may(.readPersonalData))
        try await visit.useCases.recordReading(of: nil, in: application.id, by: try visit.auditActor())
        let (columns, fields) = (Self.columns(query), UserQuery.fields(query))
        var list = ListModel()
        list.columns = columns.map { visit.text("users.\($0)") } + fields
        list.empty = visit.text("users.empty")
        list.filters = UserQuery.fields(visit)
        list.rows = page.users.map { user in
            let shown = access.may(.readPersonalData) ? user : Redaction.user(user)
            return columns.map { Self.cell($0, shown, visit) }
                + fields.map { .init(text: shown.fields[$0].map(Self.text(of:)) ?? "–") }
        }
        list.next = page.next.map { $0.key.isEmpty ? $0.id.rawValue : "\($0.id).\($0.key)" }
        if access.may(.readPersonalData) {
            for form in ["csv", "json"] {
                let link = "\(visit.path("export"))?\(FormValues.query(Self.lasting(query) + [("form", form)]))"
                list.links.append((visit.text("users.\(form)"), link))
            }
        }
        let mayChange = access.may(.changeUsers)
        if mayChange { list.picks = page.users.map(\.id.rawValue) }
        var model = list.model(visit)
        model["chooser"] = Self.chooser(visit, columns, fields)
        model.merge(views(visit, access, application)) { $1 }
        if mayChange, !page.users.isEmpty {
            model["bulk"] =
                [
                    "link": Self.here(visit),
                    "deeds": Self.deeds.map {
                        ["value": $0, "label": visit.text("bulk.\($0)"), "isBad": $0 == "delete"]
                            as PageTemplates.Model
                    },
                ] as PageTemplates.Model
        }
        if ["kept", "dropped"].contains(query.text("done")) {
            model["notice"] = visit.text("views.\(query.text("done"))")
        } else if Self.deeds.contains(query.text("done")) || query.text("done") == "none" {
            let count = String(Int(query.text("count"), radix: 10) ?? 0)
            model["notice"] = visit.text(query.text("done") == "none" ? "bulk.none" : "bulk.done", ["count": count])
        }
        return try visit.html("list", title: visit.text("nav.users"), model)
    }

    /// Keeps what the address shows under a name, or forgets the view of a name.
    private func keep(_ form: FormValues, _ visit: DashboardRequest) async throws -> Response {
        let (who, application) = (try visit.auditActor(.changeUsers), try visit.place().id)
        let name = form.text("view")
        let isKept = form.text("act") != "drop-view"
        let view = isKept ? UserQuery.view(named: name, visit.visit.query) : nil
        try await visit.rules.changeUserListViews(name, to: view, of: application, by: who)
        return visit.redirect(to: Self.here(visit, [("done", isKept ? "kept" : "dropped")]))
    }

    /// Links to the views that were kept, and forms to keep this one or forget one.
    private func views(
        _ visit: DashboardRequest, _ access: AdminAccess, _ application: Domain.Application
    ) -> PageTemplates.Model {
        let kept = application.settings.userListViews.filter { $0.isShown(to: access) }
        let shown = UserQuery.view(named: "", visit.visit.query)
        let views = kept.map { view -> PageTemplates.Model in
            var other = view
            other.name = ""
            let pairs = UserQuery.pairs(of: view)
            return [
                "label": view.name, "isCurrent": other == shown,
                "link": pairs.isEmpty ? visit.path("users") : "\(visit.path("users"))?\(FormValues.query(pairs))",
            ]
        }
        var model: PageTemplates.Model = ["views": views, "hasViews": !views.isEmpty]
        guard access.may(.changeUsers) else { return model }
        let name = PageField("view", label: visit.text("views.name"), hint: visit.text("views.hint"))
        var keeper: PageTemplates.Model = ["here": Self.here(visit), "name": name.model]
        if !kept.isEmpty {
            var drop = PageField(
                "view", label: visit.text("views.drop"), kind: .select, choices: kept.map { ($0.name, $0.name) })
            drop.isRequired = true
            var field = drop.model
            field["id"] = "field-dropped-view"
            keeper["drop"] = field
        }
        model["keeper"] = keeper
        return model
    }

    /// The page's address with its filters.
    fileprivate static func here(_ visit: DashboardRequest, _ more: [(String, String)] = []) -> String {
        let pairs = lasting(visit.visit.query) + more
        return pairs.isEmpty ? visit.path("users") : "\(visit.path("users"))?\(FormValues.query(pairs))"
    }

    private static func lasting(_ query: FormValues) -> [(String, String)] {
        query.all.filter { !passing.contains($0.name) && !$0.value.isEmpty }.map { ($0.name, $0.value) }
    }

    private static func columns(_ query: FormValues) -> [String] {
        guard query["chosen"] != nil else { return standardColumns }
        let chosen = standardColumns.filter { query["column.\($0)"] != nil }
        return chosen.contains("name") || chosen.contains("id") ? chosen : ["name"] + chosen
    }

    private static func chooser(
        _ visit: DashboardRequest, _ columns: [String], _ fields: [String]
    ) -> PageTemplates.Model {
        let boxes = standardColumns.map { name in
            PageField(
                "column.\(name)", label: visit.text("users.\(name)"), kind: .checkbox,
                value: columns.contains(name) ? "yes" : "", isRequired: false
            ).model
        }
        let own = PageField(
            "fields", label: visit.text("users.ownFields"), value: fields.joined(separator: ", "),
            hint: visit.text("users.ownFieldsHint"), isRequired: false)
        return ["boxes": boxes, "own": own.model]
    }

    private static func cell(_ column: String, _ user: User, _ visit: DashboardRequest) -> ListModel.Cell {
        let link = visit.path("users/\(user.id)")
        switch column {
        case "name":
            return .init(text: user.displayName ?? user.username ?? visit.text("users.nameless"), link: link)
        case "kind":
            return .init(
                text: visit.text(user.isAnonymous ? "users.anonymous" : "users.registered"),
                badge: user.isDisabled
                    ? visit.text("users.disabled")
                    : user.deletionRequestedAt == nil ? nil : visit.text("users.leaving"))
        case "identifiers":
            return .init(text: [user.username, user.email, user.phone].compactMap { $0 }.joined(separator: " · "))
        case "created": return .init(text: "", time: user.createdAt)
        case "lastLogIn": return .init(text: user.lastLogInAt == nil ? "–" : "", time: user.lastLogInAt)
        default: return .init(text: user.id.rawValue, link: link, isCode: true)
        }
    }

    private static func text(of value: JSONValue) -> String {
        if case .string(let text) = value { return String(text.prefix(120)) }
        return String(UserPageModel.text(of: value).prefix(120))
    }
}

/// Something that is done to all users that were picked. Deleting asks once more, and how many they are is typed.
private struct BulkDeed {
    let visit: DashboardRequest

    func respond(_ form: FormValues) async throws -> Response {
        let (who, deed, application) = (try visit.auditActor(.changeUsers), form.text("act"), try visit.place())
        let ids = form.all.map(\.name).filter { $0.hasPrefix("pick.") && $0.utf8.count <= 133 }
            .map { Identifier<User>(rawValue: String($0.dropFirst(5))) }
        guard UsersPage.deeds.contains(deed) else { throw PageFault.unknown }
        guard !ids.isEmpty else { return visit.redirect(to: UsersPage.here(visit, [("done", "none")])) }
        if deed == "delete", form.text("confirm") != String(ids.count) {
            return try confirmation(of: ids, isWrong: form["confirm"] != nil)
        }
        if deed == "delete" { try visit.requireRecentLogIn() }
        var count = 0
        for id in ids {
            do throws(DomainError) {
                try await act(deed, on: id, in: application, by: who)
                count += 1
            } catch {
                // Who is gone meanwhile, or on the way out, is passed over; the count tells.
                switch error {
                case .userUnknown, .sessionInvalid, .userDeleted: continue
                default: throw error
                }
            }
        }
        return visit.redirect(to: UsersPage.here(visit, [("done", deed), ("count", String(count))]))
    }

    private func act(
        _ deed: String, on id: Identifier<User>, in application: Domain.Application, by who: Operator
    ) async throws(DomainError) {
        switch deed {
        case "delete": _ = try await visit.useCases.deleteUser(id, in: application, by: who)
        case "log-out": _ = try await visit.rules.endAllSessions(of: id, in: application, by: who)
        default:
            try await visit.useCases.setUserDisabled(id, in: application, isDisabled: deed == "disable", by: who)
        }
    }

    private func confirmation(of ids: [Identifier<User>], isWrong: Bool) throws -> Response {
        let count = String(ids.count)
        let field = PageField(
            "confirm", label: visit.text("bulk.confirm", ["count": count]), kind: .code,
            error: isWrong ? visit.text("bulk.wrong") : nil, isFocused: true)
        let model: PageTemplates.Model = [
            "lead": visit.text("user.deleteHint"), "picks": ids.map { ["id": $0.rawValue] as PageTemplates.Model },
            "field": field.model, "link": UsersPage.here(visit), "count": count,
        ]
        return try visit.html(
            "bulk", title: visit.text("bulk.title", ["count": count]), model,
            status: isWrong ? .unprocessableContent : .ok)
    }
}
