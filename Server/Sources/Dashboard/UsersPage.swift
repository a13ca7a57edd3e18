import Domain
import HTTPSupport
import HTTPTypes
import Hummingbird
import enum OkaeriWire.JSONValue
import PageSupport

/// `/dashboard/app/ID/users`: all users, a page at a time, and what can be done to several at once.
enum UsersPage {
    static let page = DashboardRoute.Page("/app/{application}/users", .listUsers)
    private static let standardColumns = UserListView.Column.allCases.map(\.rawValue)

    static let routes: [DashboardRoute] = [
        DashboardRoute(page, also: [.readPersonalData, .listUserListViews]) { try await draw($0) },
        DashboardRoute(page, post: "/app/{application}/views/save", .changeUserListViews) { request in
            try await changeView(request, "kept") { UserQuery.view(named: $0, request.page.query) }
        },
        DashboardRoute(page, post: "/app/{application}/views/remove", .changeUserListViews) { request in
            try await changeView(request, "dropped") { _ in nil }
        },
    ]

    /// Stores what the address shows under a name, or removes the view of a name.
    private static func changeView(
        _ request: DashboardRequest, _ notice: String, _ view: (String) -> UserListView?
    ) async throws -> Response {
        let (form, reader) = (try await request.form(), try request.reader())
        let name = form.text("view")
        try await request.rules.users.changeListViews(
            name, to: view(name), of: try request.targetApplication().id,
            isCurrent: { $0.shown(to: reader).version == form.version }, by: try request.auditActor())
        return request.redirect(to: here(request, [("done", notice)]))
    }

    /// With what was typed into the form for a new user, and what is wrong with it.
    static func draw(
        _ request: DashboardRequest, _ form: FormValues = .none, _ errors: UserFormErrors? = nil,
        status: HTTPResponse.Status = .ok
    ) async throws -> Response {
        let (reader, application, query) = (try request.reader(), try request.targetApplication(), request.page.query)
        let page = try await request.rules.users.browse(
            in: application.id, for: reader, UserQuery.filter(query),
            from: query["from"].flatMap { $0.isEmpty ? nil : UserCursor(wire: $0) }, limit: 50)
        let (columns, fields) = (columns(query), UserQuery.fields(query))
        var list = ListModel()
        list.columns = columns.map { request.text("users.\($0)") } + fields
        list.filters = UserQuery.fields(request)
        // Nobody at all is no search that found nothing.
        let isWhole = query.text("from").isEmpty && list.filters.allSatisfy { $0.value.isEmpty }
        list.empty = request.text(isWhole ? "users.nobody" : "users.empty")
        list.rows = page.users.map { user in
            columns.map { cell($0, user, request) }
                + fields.map { .init(text: user.fields[$0].map(text(of:)) ?? "–") }
        }
        list.next = page.next?.wire
        if request.offers(.exportUsers) {
            for form in ["csv", "json"] {
                let link = "\(request.path("export"))?\(FormValues.query(lasting(query) + [("form", form)]))"
                list.links.append((request.text("users.\(form)"), link))
            }
        }
        let mayChange = request.offers(.disableUser)
        if mayChange { list.picks = page.users.map(\.id.rawValue) }
        var model = list.model(request)
        if isWhole, page.users.isEmpty, request.offers(.readOverview) {
            model["firstStep"] =
                ["link": request.path("start"), "label": request.text("nav.start")] as PageTemplates.Model
        }
        model["chooser"] = chooser(request, columns, fields)
        model.merge(views(request, reader, application)) { $1 }
        if mayChange, !page.users.isEmpty { model["bulk"] = BulkForm.model(request) }
        model["notice"] = notice(request)
        if request.offers(.createUser) {
            model["form"] = NewUserForm.model(request, form, errors)
            if let errors { model["summary"] = request.summary(errors.summary(request)) }
        }
        return try request.html("list", title: request.text("nav.users"), model, status: status)
    }

    /// What was done to a view, or to several users at once.
    private static func notice(_ request: DashboardRequest) -> String? {
        let query = request.page.query
        let done = query.text("done")
        switch done {
        case "kept", "dropped": return request.text("views.\(done)")
        case "none": return request.text("bulk.none")
        case _ where BulkForm.actions.contains(done):
            return request.text("bulk.done", ["count": String(Int(query.text("count"), radix: 10) ?? 0)])
        default: return nil
        }
    }

    /// Links to the views that were kept, and forms to keep this one or forget one.
    private static func views(
        _ request: DashboardRequest, _ reader: AdminReader, _ application: Domain.Application
    ) -> PageTemplates.Model {
        let kept = application.settings.userListViews.shown(to: reader)
        let shown = UserQuery.view(named: "", request.page.query)
        let views = kept.map { view -> PageTemplates.Model in
            var other = view
            other.name = ""
            let pairs = UserQuery.pairs(of: view)
            return [
                "label": view.name, "isCurrent": other == shown,
                "link": pairs.isEmpty ? request.path("users") : "\(request.path("users"))?\(FormValues.query(pairs))",
            ]
        }
        var model: PageTemplates.Model = ["views": views, "hasViews": !views.isEmpty]
        guard request.offers(.changeUserListViews) else { return model }
        let name = PageField("view", label: request.text("views.name"), hint: request.text("views.hint"))
        let query = behindPath(lasting(request.page.query))
        var keeper: PageTemplates.Model = [
            "link": request.path("views/save") + query, "name": name.model, "version": kept.version,
        ]
        if !kept.isEmpty {
            var drop = PageField(
                "view", label: request.text("views.drop"), kind: .select
            ).offering(kept.map { ($0.name, $0.name) })
            drop.isRequired = true
            var field = drop.model
            field["id"] = "field-dropped-view"
            field["link"] = request.path("views/remove") + query
            field["version"] = kept.version
            keeper["drop"] = field
        }
        model["keeper"] = keeper
        return model
    }

    /// The page's address with its filters.
    fileprivate static func here(_ request: DashboardRequest, _ more: [(String, String)] = []) -> String {
        request.path("users") + behindPath(lasting(request.page.query) + more)
    }

    fileprivate static func behindPath(_ pairs: [(String, String)]) -> String {
        pairs.isEmpty ? "" : "?\(FormValues.query(pairs))"
    }

    fileprivate static func lasting(_ query: FormValues) -> [(String, String)] {
        query.without(ListModel.passing).all.filter { !$0.value.isEmpty }.map { ($0.name, $0.value) }
    }

    private static func columns(_ query: FormValues) -> [String] {
        guard query["chosen"] != nil else { return standardColumns }
        let chosen = standardColumns.filter { query["column.\($0)"] != nil }
        return chosen.contains("name") || chosen.contains("id") ? chosen : ["name"] + chosen
    }

    private static func chooser(
        _ request: DashboardRequest, _ columns: [String], _ fields: [String]
    ) -> PageTemplates.Model {
        let boxes = standardColumns.map { name in
            PageField(
                "column.\(name)", label: request.text("users.\(name)"), kind: .checkbox,
                value: columns.contains(name) ? "yes" : "", isRequired: false
            ).model
        }
        let own = PageField(
            "fields", label: request.text("users.ownFields"), value: fields.joined(separator: ", "),
            hint: request.text("users.ownFieldsHint"), isRequired: false)
        return ["boxes": boxes, "own": own.model]
    }

    private static func cell(_ column: String, _ user: User, _ request: DashboardRequest) -> ListModel.Cell {
        let link = request.path(of: user.id)
        switch column {
        case "name":
            return .init(text: request.name(of: user), link: link)
        case "kind":
            return .init(
                text: request.text(user.isAnonymous ? "users.anonymous" : "users.registered"),
                badge: user.isDisabled
                    ? request.text("users.disabled")
                    : user.deletionRequestedAt == nil ? nil : request.text("users.leaving"))
        case "identifiers":
            let names = [user.username, user.email, user.phone]
            let parts = names.compactMap(\.self)
            return .init(
                text: names.joinedBidiIsolated,
                parts: parts.contains { $0.bidiIsolated != $0 } ? parts.map(\.withoutBidiControls) : [])
        case "created": return .init(text: "", time: user.createdAt)
        case "lastLogIn": return .init(text: user.lastLogInAt == nil ? "–" : "", time: user.lastLogInAt)
        default: return .init(text: user.id.rawValue, link: link, isCode: true)
        }
    }

    private static func text(of value: JSONValue) -> String {
        if case .string(let text) = value { return String(text.unicodeScalars.prefix(120)) }
        return String(UserPageModel.text(of: value).unicodeScalars.prefix(120))
    }
}

extension DashboardRequest {
    /// What a user is called: by the first name that can be seen. Names of spaces and of signs that nothing is drawn for are
    /// allowed, and no link.
    func name(of user: User) -> String {
        let names = [user.displayName, user.username].compactMap(\.self)
        let seen = names.first { name in
            name.unicodeScalars.contains { scalar in
                !scalar.properties.isWhitespace && !scalar.properties.isDefaultIgnorableCodePoint
            }
        }
        return seen ?? text("users.nameless")
    }
}

/// Something that is done to all users that were picked. Deleting asks once more, and how many they are is typed.
enum BulkForm {
    static let actions = ["disable", "enable", "log-out", "delete"]
    /// What a box says whose row has no name.
    static let nameless = "yes"

    private static func route(_ name: String, _ action: AdminAction, _ answer: @escaping DashboardRoute.Answer)
        -> DashboardRoute
    {
        DashboardRoute(UsersPage.page, post: "/app/{application}/bulk/\(name)", action, answer)
    }

    static let routes: [DashboardRoute] = [
        route("disable", .disableUser) { try await setDisabled(true, $0) },
        route("enable", .enableUser) { try await setDisabled(false, $0) },
        route("log-out", .endAllSessions) { request in
            let (application, who) = (try request.targetApplication(), try request.auditActor())
            return try await forEach("log-out", request) { id throws(DomainError) in
                _ = try await request.rules.users.endAllSessions(of: id, in: application, by: who)
            }
        },
        route("confirm-deletion", .confirmDeletion) { request in
            let form = try await request.form()
            let ids = picked(form)
            guard !ids.isEmpty else { return nobody(request) }
            return try confirmation(request, of: ids, in: form, isWrong: false)
        },
        route("delete", .deleteUser) { request in
            let form = try await request.form()
            let ids = picked(form)
            guard !ids.isEmpty else { return nobody(request) }
            guard form.text("confirm") == String(ids.count) else {
                return try confirmation(request, of: ids, in: form, isWrong: true)
            }
            let (application, who) = (try request.targetApplication(), try request.auditActor())
            return try await forEach("delete", request) { id throws(DomainError) in
                _ = try await request.modules.deletion.deleteUser(id, in: application, by: who)
            }
        },
    ]

    /// A button for each action.
    static func model(_ request: DashboardRequest) -> PageTemplates.Model {
        let buttons = actions.map { name -> PageTemplates.Model in
            [
                "link": link(name == "delete" ? "confirm-deletion" : name, request),
                "label": request.text("bulk.\(name)"), "isBad": name == "delete",
            ]
        }
        return ["actions": buttons]
    }

    /// The address of an action, with the list's filters to go back to.
    static func link(_ name: String, _ request: DashboardRequest) -> String {
        request.path("bulk/\(name)") + UsersPage.behindPath(UsersPage.lasting(request.page.query))
    }

    private static func setDisabled(_ isDisabled: Bool, _ request: DashboardRequest) async throws -> Response {
        let (application, who) = (try request.targetApplication(), try request.auditActor())
        return try await forEach(isDisabled ? "disable" : "enable", request) { id throws(DomainError) in
            try await request.modules.accounts.setUserDisabled(id, in: application, isDisabled: isDisabled, by: who)
        }
    }

    private static func picked(_ form: FormValues) -> [Identifier<User>] {
        form.all.map(\.name).filter { $0.hasPrefix("pick.") && $0.utf8.count <= 133 }
            .map { Identifier<User>(rawValue: String($0.dropFirst(5))) }
    }

    private static func nobody(_ request: DashboardRequest) -> Response {
        request.redirect(to: UsersPage.here(request, [("done", "none")]))
    }

    private static func forEach(
        _ name: String, _ request: DashboardRequest, _ work: (Identifier<User>) async throws(DomainError) -> Void
    ) async throws -> Response {
        let ids = picked(try await request.form())
        guard !ids.isEmpty else { return nobody(request) }
        var count = 0
        for id in ids {
            do throws(DomainError) {
                try await work(id)
                count += 1
            } catch {
                // Users who are gone meanwhile, or on the way out, are left out; the count shows it.
                switch error {
                case .userUnknown, .sessionInvalid, .userDeleted: continue
                default: throw error
                }
            }
        }
        return request.redirect(to: UsersPage.here(request, [("done", name), ("count", String(count))]))
    }

    private static func confirmation(
        _ request: DashboardRequest, of ids: [Identifier<User>], in form: FormValues, isWrong: Bool
    ) throws -> Response {
        let count = String(ids.count)
        let picks = ids.map { id -> PageTemplates.Model in
            let name = form.text("pick.\(id)")
            let isNamed = !name.isEmpty && name != nameless
            var pick: PageTemplates.Model = ["id": id.rawValue, "value": isNamed ? name : nameless]
            if isNamed { pick["name"] = name }
            return pick
        }
        let field = PageField(
            "confirm", label: request.text("bulk.confirm", ["count": count]), kind: .code,
            error: isWrong ? request.text("bulk.wrong") : nil
        ).focused()
        let model: PageTemplates.Model = [
            "lead": request.text("user.deleteHint"), "picks": picks,
            "field": field.model, "link": link("delete", request), "back": UsersPage.here(request), "count": count,
        ]
        return try request.html(
            "bulk", title: request.text("bulk.title", ["count": count]), model,
            status: isWrong ? .unprocessableContent : .ok)
    }
}
