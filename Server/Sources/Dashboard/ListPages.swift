import Domain
import HTTPSupport
import HTTPTypes
import Hummingbird
import PageSupport

/// A table with filters above and a next page below, as the template `list` draws it.
struct ListModel {
    struct Cell {
        var text: String
        /// What the text is joined of, where it runs from right to left: each part can be copied by itself.
        var parts: [String] = []
        var link: String?
        var time: Timestamp?
        var isCode = false
        var badge: String?
        /// What programs call it, for who points at it.
        var identifier: String?
    }

    /// What an address says of the form that led to it: no other page says it again.
    static let notice: Set<String> = ["done", "count", "left", "broken"]
    /// What an address holds for one page alone.
    static let passing = notice.union(["from", PageRequest.languageParameter])

    var columns: [String] = []
    var rows: [[Cell]] = []
    /// Fields of a form that asks for the list anew.
    var filters: [PageField] = []
    var next: String?
    var empty = ""
    /// The user that a row is about, when rows can be picked.
    var picks: [String] = []
    /// What stands above: a link with its label.
    var links: [(label: String, link: String)] = []

    func model(_ request: DashboardRequest) -> PageTemplates.Model {
        var model: PageTemplates.Model = [
            "columns": columns.map { ["name": $0] as PageTemplates.Model },
            "rows": rows.enumerated().map { cursor, cells -> PageTemplates.Model in
                var row: PageTemplates.Model = [
                    "cells": zip(columns, cells).map { column, cell in Self.model(cell, column) }
                ]
                if picks.indices.contains(cursor) {
                    row["pick"] = picks[cursor]
                    let name = cells.first?.text ?? ""
                    row["pickLabel"] = request.text("bulk.pick", ["name": name])
                    // Goes with the form, for the question who it is.
                    row["pickName"] = name.isEmpty ? BulkForm.nameless : name
                }
                return row
            },
            "hasPicks": !picks.isEmpty,
            "hasRows": !rows.isEmpty, "empty": empty, "filters": filters.map(\.model),
            "hasFilters": !filters.isEmpty,
            "isFiltered": rows.isEmpty && filters.contains { !$0.value.isEmpty }, "whole": request.pagePath,
            "links": links.map { ["label": $0.label, "link": $0.link] as PageTemplates.Model },
        ]
        if let next {
            let pairs =
                request.page.query.without(Self.passing).all.map { ($0.name, $0.value) } + [("from", next)]
            model["next"] = "\(request.page.path)?\(FormValues.query(pairs))"
        }
        return model
    }

    private static func model(_ cell: Cell, _ column: String) -> PageTemplates.Model {
        var model: PageTemplates.Model = ["text": cell.text, "column": column, "isCode": cell.isCode]
        model["parts"] = cell.parts.enumerated().map { index, part -> PageTemplates.Model in
            ["part": part, "isNext": index > 0]
        }
        if let link = cell.link { model["link"] = link }
        if let time = cell.time { model["time"] = time.text }
        if let badge = cell.badge { model["badge"] = badge }
        if let identifier = cell.identifier { model["identifier"] = identifier }
        return model
    }
}

/// `/dashboard/app/ID/sessions`
enum SessionsPage {
    static let routes = [
        DashboardRoute(.init("/app/{application}/sessions", .listSessions), also: [.readPersonalData], show)
    ]

    @Sendable private static func show(_ request: DashboardRequest) async throws -> Response {
        let query = request.page.query
        let sessions = try await request.rules.users.listActivity.sessions(
            in: try request.targetApplication().id, for: try request.reader(),
            protocolName: query.text("protocol").isEmpty ? nil : .init(rawValue: query.text("protocol")),
            from: query["from"].flatMap { $0.isEmpty ? nil : SessionCursor(wire: $0) }, limit: 50)
        var list = ListModel()
        list.columns = ["user", "device", "way", "address", "created", "used"].map { request.text("sessions.\($0)") }
        list.empty = request.text("sessions.empty")
        list.filters = UserQuery.fields(request).filter { $0.name == "protocol" }
        list.rows = sessions.map { session in
            [
                .init(text: session.user.rawValue, link: request.path(of: session.user), isCode: true),
                .init(
                    text: [session.device.name, session.device.model, session.device.system, session.device.appVersion]
                        .joinedBidiIsolated),
                .init(
                    text: request.words(ofLogInTo: session),
                    identifier: "\(session.protocolName.rawValue) · \(session.method.rawValue)"),
                .init(text: session.address ?? "–", isCode: true),
                .init(text: "", time: session.createdAt), .init(text: "", time: session.lastUsedAt),
            ]
        }
        if sessions.count == 50, let last = sessions.last {
            list.next = SessionCursor(user: last.user, session: last.id).wire
        }
        return try request.html("list", title: request.text("nav.sessions"), list.model(request))
    }
}
