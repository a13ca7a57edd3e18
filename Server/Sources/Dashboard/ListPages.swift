import Domain
import HTTPTypes
import Hummingbird
import PageSupport

/// A table with filters above and a next page below, as the template `list` draws it.
struct ListModel {
    struct Cell {
        var text: String
        var link: String?
        var time: Timestamp?
        var isCode = false
        var badge: String?
    }

    var columns: [String] = []
    var rows: [[Cell]] = []
    /// Fields of a form that asks for the list anew.
    var filters: [PageField] = []
    var next: String?
    var empty = ""
    /// What stands above: a link with its label.
    var links: [(label: String, link: String)] = []

    func model(_ visit: DashboardVisit) -> PageTemplates.Model {
        var model: PageTemplates.Model = [
            "columns": columns.map { ["name": $0] as PageTemplates.Model },
            "rows": rows.map { cells -> PageTemplates.Model in
                ["cells": zip(columns, cells).map { column, cell in Self.model(cell, column) }]
            },
            "hasRows": !rows.isEmpty, "empty": empty, "filters": filters.map(\.model),
            "hasFilters": !filters.isEmpty,
            "links": links.map { ["label": $0.label, "link": $0.link] as PageTemplates.Model },
        ]
        if let next {
            let pairs =
                visit.visit.query.all.filter { $0.name != "from" && $0.name != PageVisit.languageParameter }
                .map { ($0.name, $0.value) } + [("from", next)]
            model["next"] = "\(visit.visit.path)?\(FormValues.query(pairs))"
        }
        return model
    }

    private static func model(_ cell: Cell, _ column: String) -> PageTemplates.Model {
        var model: PageTemplates.Model = ["text": cell.text, "column": column, "isCode": cell.isCode]
        if let link = cell.link { model["link"] = link }
        if let time = cell.time { model["time"] = time.wire }
        if let badge = cell.badge { model["badge"] = badge }
        return model
    }
}

/// `/dashboard/app/ID/users`
struct UsersPage: DashboardPage {
    let permission: AdminPermission? = .readUsers

    func respond(to visit: DashboardVisit) async throws -> Response {
        let (access, application, query) = (try visit.caller(), try visit.place(), visit.visit.query)
        let page = try await visit.rules.browseUsers(
            in: application.id, UserQuery.filter(query),
            from: UserQuery.place(query.text("from")), limit: 50, searchesParts: access.may(.readPersonalData))
        try await visit.useCases.recordReading(of: nil, in: application.id, by: try visit.acting())
        var list = ListModel()
        list.columns = ["name", "kind", "identifiers", "created", "lastLogIn", "id"].map { visit.text("users.\($0)") }
        list.empty = visit.text("users.empty")
        list.filters = UserQuery.fields(visit)
        list.rows = page.users.map { user in
            let shown = access.may(.readPersonalData) ? user : PersonalMask.user(user)
            let link = visit.path("users/\(user.id)")
            return [
                .init(text: shown.displayName ?? shown.username ?? visit.text("users.nameless"), link: link),
                .init(
                    text: visit.text(user.isAnonymous ? "users.anonymous" : "users.registered"),
                    badge: user.isDisabled
                        ? visit.text("users.disabled")
                        : user.deletionRequestedAt == nil ? nil : visit.text("users.leaving")),
                .init(text: [shown.username, shown.email, shown.phone].compactMap { $0 }.joined(separator: " · ")),
                .init(text: "", time: user.createdAt),
                .init(text: user.lastLogInAt == nil ? "–" : "", time: user.lastLogInAt),
                .init(text: user.id.rawValue, link: link, isCode: true),
            ]
        }
        list.next = page.next.map { $0.key.isEmpty ? $0.id.rawValue : "\($0.id).\($0.key)" }
        if access.may(.readPersonalData) {
            let pairs = query.all.filter { $0.name != "from" && $0.name != PageVisit.languageParameter }
            for form in ["csv", "json"] {
                list.links.append(
                    (
                        visit.text("users.\(form)"),
                        visit.path("export") + "?"
                            + FormValues.query(pairs.map { ($0.name, $0.value) } + [("form", form)])
                    ))
            }
        }
        return try visit.html("list", title: visit.text("nav.users"), list.model(visit))
    }
}

/// How filters of users stand in addresses, the same for the page and its export.
enum UserQuery {
    static func filter(_ query: FormValues) -> BrowseUsers.Filter {
        var filter = BrowseUsers.Filter()
        switch query.text("kind") {
        case "anonymous": filter.isAnonymous = true
        case "registered": filter.isAnonymous = false
        case "disabled": filter.isDisabled = true
        case "leaving": filter.isLeaving = true
        case "weak": filter.hasWeakCredential = true
        default: break
        }
        filter.provider = text(query, "provider").map { .init(rawValue: $0) }
        filter.protocolName = text(query, "protocol").map { .init(rawValue: $0) }
        filter.seenSince = text(query, "seen").flatMap { Timestamp(day: $0) }
        filter.notSeenSince = text(query, "unseen").flatMap { Timestamp(day: $0) }
        filter.search = text(query, "search")
        return filter
    }

    static func place(_ text: String) -> UserPlace? {
        guard !text.isEmpty else { return nil }
        let parts = text.split(separator: ".", maxSplits: 1).map(String.init)
        return UserPlace(id: .init(rawValue: parts.first ?? ""), key: parts.count > 1 ? parts[1] : "")
    }

    static func fields(_ visit: DashboardVisit) -> [PageField] {
        let query = visit.visit.query
        func choices(_ values: [String]) -> [(value: String, label: String)] {
            [("", visit.text("users.all"))] + values.map { ($0, visit.text("users.\($0)")) }
        }
        func plain(_ values: [String]) -> [(value: String, label: String)] {
            [("", visit.text("users.all"))] + values.map { ($0, $0) }
        }
        return [
            PageField(
                "search", label: visit.text("users.search"), kind: .search, value: query.text("search"),
                isRequired: false),
            PageField(
                "kind", label: visit.text("users.kind"), kind: .select, value: query.text("kind"), isRequired: false,
                choices: choices(["anonymous", "registered", "disabled", "leaving", "weak"])),
            PageField(
                "provider", label: visit.text("users.provider"), kind: .select, value: query.text("provider"),
                isRequired: false, choices: plain(["apple", "google", "facebook", "twitter", "anonymous", "device"])),
            PageField(
                "protocol", label: visit.text("users.protocol"), kind: .select, value: query.text("protocol"),
                isRequired: false, choices: plain(["native", "ncmb", "parse", "kii", "envelope"])),
            PageField(
                "seen", label: visit.text("users.seen"), kind: .date, value: query.text("seen"), isRequired: false),
            PageField(
                "unseen", label: visit.text("users.unseen"), kind: .date, value: query.text("unseen"),
                isRequired: false),
        ]
    }

    private static func text(_ query: FormValues, _ name: String) -> String? {
        query[name].flatMap { $0.isEmpty || $0.utf8.contains(0) ? nil : String($0.prefix(200)) }
    }
}

/// `/dashboard/app/ID/sessions`
struct SessionsPage: DashboardPage {
    let permission: AdminPermission? = .readUsers

    func respond(to visit: DashboardVisit) async throws -> Response {
        let (access, application, query) = (try visit.caller(), try visit.place(), visit.visit.query)
        let parts = query.text("from").split(separator: ".", maxSplits: 1).map(String.init)
        let sessions = try await visit.rules.listActivity.sessions(
            in: application.id,
            protocolName: query.text("protocol").isEmpty ? nil : .init(rawValue: query.text("protocol")),
            from: parts.count == 2
                ? SessionPlace(user: .init(rawValue: parts[0]), session: .init(rawValue: parts[1])) : nil, limit: 50)
        try await visit.useCases.recordReading(of: nil, in: application.id, by: try visit.acting())
        var list = ListModel()
        list.columns = ["user", "device", "way", "address", "created", "used"].map { visit.text("sessions.\($0)") }
        list.empty = visit.text("sessions.empty")
        list.filters = UserQuery.fields(visit).filter { $0.name == "protocol" }
        list.rows = sessions.map { session in
            let isMasked = !access.may(.readPersonalData)
            let name = isMasked ? PersonalMask.text(session.device.name) : session.device.name
            return [
                .init(text: session.user.rawValue, link: visit.path("users/\(session.user)"), isCode: true),
                .init(
                    text: [name, session.device.model, session.device.system, session.device.appVersion]
                        .compactMap { $0 }.joined(separator: " · ")),
                .init(text: "\(session.protocolName.rawValue) · \(session.method.rawValue)"),
                .init(
                    text: (isMasked ? PersonalMask.address(session.address) : session.address) ?? "–", isCode: true),
                .init(text: "", time: session.createdAt), .init(text: "", time: session.lastUsedAt),
            ]
        }
        if sessions.count == 50, let last = sessions.last { list.next = "\(last.user).\(last.id)" }
        return try visit.html("list", title: visit.text("nav.sessions"), list.model(visit))
    }
}
