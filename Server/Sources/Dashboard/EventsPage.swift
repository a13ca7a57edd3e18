import Domain
import Hummingbird
import PageSupport

/// `/dashboard/app/ID/events`: where events of users are sent, what waits or was given up, and what happened last.
enum EventsPage {
    private static let page = DashboardRoute.Page("/app/{application}/events", .readSettings)
    /// The newest events that are shown.
    private static let shownEvents = 50
    private static let shownDeliveries = 50

    static let routes: [DashboardRoute] = [
        DashboardRoute(page, also: [.readEvents, .readPersonalData]) { try await draw($0) },
        DashboardRoute(page, post: "settings", .changeEvents) { request in
            try await change(request) { form, id, who throws(DomainError) in
                try await request.modules.events.changeSettings(
                    of: id, isStreamed: !form.text("isStreamed").isEmpty,
                    retentionDays: Int64(form.text("retentionDays"), radix: 10) ?? 0,
                    isCurrent: try request.isCurrent(form), by: who)
                return .done("saved")
            }
        },
        DashboardRoute(page, post: "endpoints", .changeEvents, also: [.includeUsersInEvents]) { request in
            try await change(request) { form, id, _ throws(DomainError) in
                let draft = draft(form)
                let made = try await request.perform(draft.action, refusal: { $0 }) { who throws(DomainError) in
                    try await request.modules.events.endpoints.create(
                        draft, in: id, attempt: form.attempt, by: who)
                }
                return .secret(made.secret)
            }
        },
        DashboardRoute(page, post: "endpoints/{endpoint}", .changeEvents, also: [.includeUsersInEvents]) { request in
            try await change(request) { form, id, who throws(DomainError) in
                let draft = draft(form)
                _ = try await request.modules.events.endpoints.change(
                    endpoint(request), in: id, isCurrent: { $0.version == form.version }, by: who,
                    requiring: { action throws(DomainError) in try request.require(action) }, { $0 = draft })
                return .done("saved")
            }
        },
        DashboardRoute(page, post: "endpoints/{endpoint}/rotate", .changeEvents) { request in
            try await change(request) { form, id, who throws(DomainError) in
                let overlap = try SecretOverlap(hours: Int64(form.text("overlapHours"), radix: 10) ?? -1)
                let made = try await request.modules.events.endpoints.rotate(
                    endpoint(request), in: id, overlap: overlap, attempt: form.attempt, by: who)
                return .secret(made.secret)
            }
        },
        DashboardRoute(page, post: "endpoints/{endpoint}/remove", .changeEvents) { request in
            try await change(request) { form, id, who throws(DomainError) in
                try await request.modules.events.endpoints.remove(
                    endpoint(request), in: id, isCurrent: { $0.version == form.version }, by: who)
                return .done("removed")
            }
        },
        DashboardRoute(page, post: "endpoints/{endpoint}/test", .sendTestEvent) { request in
            try await change(request) { _, id, who throws(DomainError) in
                let outcome = try await request.modules.events.testEndpoint(endpoint(request), in: id, by: who)
                return outcome.fault.map(Outcome.failed) ?? .done("tested")
            }
        },
        DashboardRoute(page, post: "endpoints/{endpoint}/replay", .replayEvents) { request in
            try await change(request) { form, id, who throws(DomainError) in
                let replay = request.modules.events.replayEvents
                let text = form.text("after")
                guard !text.isEmpty else {
                    _ = try await replay(givenUpOf: endpoint(request), in: id, by: who)
                    return .done("replayed")
                }
                guard let position = Int64(text, radix: 10), position >= 0 else {
                    throw .fieldsRefused([ValidationError(field: "after", rule: .notOffered)])
                }
                _ = try await replay(after: position, to: endpoint(request), in: id, by: who)
                return .done("replayed")
            }
        },
    ]

    /// What came of a form.
    private enum Outcome {
        /// A notice on the page that is drawn anew.
        case done(String)
        /// A secret that is shown once.
        case secret(Secret)
        /// The endpoint did not take the test.
        case failed(String)
    }

    private static func endpoint(_ request: DashboardRequest) -> Identifier<EventEndpoint> {
        Identifier(rawValue: request.id("endpoint"))
    }

    private static func draft(_ form: FormValues) -> ManageEventEndpoints.Draft {
        ManageEventEndpoints.Draft(
            url: form.text("url").words.joined(separator: " "),
            types: form.text("types").split { $0.isWhitespace || $0 == "," }.map { EventType(rawValue: String($0)) },
            includesUser: !form.text("includesUser").isEmpty, isPaused: !form.text("isPaused").isEmpty)
    }

    private static func change(
        _ request: DashboardRequest,
        _ work: (FormValues, Identifier<Domain.Application>, Operator) async throws(DomainError) -> Outcome
    ) async throws -> Response {
        try await request.submit(
            work,
            then: { outcome in
                switch outcome {
                case .done(let notice): request.redirect(to: back(request, "done=\(notice)"))
                case .secret(let secret): try await draw(request, once: secret)
                case .failed(let reason): try await draw(request, failure: reason)
                }
            },
            orDraw: { try await draw(request, $0, faults: $1) })
    }

    /// The page, with the endpoint that the form was of, unless that is gone.
    private static func back(_ request: DashboardRequest, _ query: String) -> String {
        let id = request.id("endpoint")
        let isGone = query == "done=removed"
        return "\(request.pagePath)?\(query)" + (id.isEmpty || isGone ? "" : "&\(FormValues.query([("endpoint", id)]))")
    }

    private static func draw(
        _ request: DashboardRequest, _ form: FormValues = .none, faults: [ValidationError] = [], once: Secret? = nil,
        failure: String? = nil
    ) async throws -> Response {
        // As it is after a form that is answered by the page itself.
        let application = try await request.modules.applications.findApplication(try request.targetApplication().id)
        let (events, settings) = (request.modules.events, application.settings.events)
        let endpoints = try await events.endpoints.list(in: application.id)
        let asked = request.id("endpoint").isEmpty ? request.page.query.text("endpoint") : request.id("endpoint")
        let chosen = endpoints.first { $0.id.rawValue == asked }
        var list = table(request, endpoints)
        list.links = chosen == nil ? [] : [(request.text("events.all"), request.pagePath)]
        var model = list.model(request)
        model["lead"] = request.text("events.lead")
        model["once"] = once.map {
            request.once($0.revealed, title: request.text("events.secret"), note: request.text("events.secretHint"))
        }
        var sections: [PageTemplates.Model] = []
        if let chosen, request.offers(.readEvents) { sections.append(try await deliveries(request, to: chosen)) }
        if chosen == nil, request.offers(.readEvents) {
            sections.append(try await newest(request, in: application.id, isRecorded: settings.isRecorded))
        }
        model["sections"] = sections
        let forms = EventForms(
            request: request, form: form, faults: faults,
            version: form.version(or: chosen?.version ?? application.version))
        var shown: [PageTemplates.Model] = []
        if request.offers(.changeEvents) {
            if let chosen {
                shown += [forms.change(chosen), forms.rotate(chosen)]
            } else {
                shown += [forms.create(), forms.settings(settings)]
            }
        }
        if let chosen, request.offers(.sendTestEvent) { shown.append(forms.test(chosen)) }
        if let chosen, request.offers(.replayEvents) { shown.append(forms.replay(chosen)) }
        if let chosen, request.offers(.changeEvents) { shown.append(forms.remove(chosen)) }
        model["form"] = shown
        model["notice"] = request.notice(of: ["saved", "removed", "tested", "replayed"], in: "events.done")
        var errors = faults.map { (Optional($0.webhookField), request.text("events.bad.\($0.field)")) }
        if let failure {
            errors.append((nil, request.text("events.failed", ["reason": request.words(ofFault: failure)])))
        }
        model["summary"] = request.summary(errors)
        return try request.html(
            "list", title: request.text("nav.events"), model,
            status: errors.isEmpty ? .ok : .unprocessableContent)
    }

    private static func table(_ request: DashboardRequest, _ endpoints: [EventEndpoint]) -> ListModel {
        var list = ListModel()
        list.columns = ["url", "types", "state", "since"].map { request.text("events.\($0)") }
        list.empty = request.text("events.empty")
        list.rows = endpoints.map { endpoint in
            let state = state(of: endpoint)
            return [
                .init(
                    text: endpoint.url,
                    link: "\(request.pagePath)?\(FormValues.query([("endpoint", endpoint.id.rawValue)]))"),
                .init(
                    text: endpoint.types.isEmpty
                        ? request.text("events.allTypes")
                        : endpoint.types.map { request.word($0) }.joined(separator: " · "),
                    identifier: endpoint.types.isEmpty
                        ? nil : endpoint.types.map(\.rawValue).joined(separator: " ")),
                .init(
                    text: state == "good" ? request.text("events.state.good") : "",
                    badge: state == "good"
                        ? nil : request.text("events.state.\(state)", ["count": String(endpoint.failures)])),
                .init(text: "", time: endpoint.createdAt),
            ]
        }
        return list
    }

    private static func state(of endpoint: EventEndpoint) -> String {
        if endpoint.goneAt != nil { return "gone" }
        if endpoint.isPaused { return "paused" }
        return endpoint.failures == 0 ? "good" : "failing"
    }

    /// What waits for an endpoint, and what was given up.
    private static func deliveries(
        _ request: DashboardRequest, to endpoint: EventEndpoint
    ) async throws(DomainError) -> PageTemplates.Model {
        var rows: [[ListModel.Cell]] = []
        for givenUp in [true, false] {
            let found = try await request.modules.events.listDeliveries(
                to: endpoint.id, in: endpoint.application, givenUp: givenUp, limit: shownDeliveries)
            rows += found.map { listed -> [ListModel.Cell] in
                let delivery = listed.delivery
                return [
                    .init(text: String(delivery.position), badge: givenUp ? request.text("events.givenUp") : nil),
                    .init(text: listed.type.map { request.word($0) } ?? "–", identifier: listed.type?.rawValue),
                    .init(
                        text: delivery.user.rawValue, link: request.path(of: delivery.user),
                        isCode: true),
                    .init(text: String(delivery.attempts)),
                    .init(text: delivery.nextTryAt == nil ? "–" : "", time: delivery.nextTryAt),
                    .init(text: delivery.lastFault.map(request.words(ofFault:)) ?? ""),
                ]
            }
        }
        var list = ListModel()
        list.columns = ["position", "type", "user", "tries", "next", "fault"].map { request.text("events.\($0)") }
        list.rows = rows
        list.empty = request.text("events.nothingWaits")
        return section(request, "events.deliveries", list)
    }

    /// The newest events of the stream.
    private static func newest(
        _ request: DashboardRequest, in application: Identifier<Domain.Application>, isRecorded: Bool
    ) async throws(DomainError) -> PageTemplates.Model {
        let events = try await request.modules.events.readEvents.newest(in: application, limit: shownEvents)
        var list = ListModel()
        let (endpoints, deliveries) = try await request.modules.events.listDeliveries.all(
            in: application, from: events.first?.position ?? 0, limit: shownEvents)
        list.columns = ["position", "type", "user", "at", "delivery"].map { request.text("events.\($0)") }
        list.rows = events.reversed().map { event -> [ListModel.Cell] in
            let states = endpoints.compactMap { $0.state(of: event, among: deliveries) }
            return [
                .init(text: String(event.position ?? 0)),
                .init(text: request.word(event.type), identifier: event.type.rawValue),
                .init(text: event.user.rawValue, link: request.path(of: event.user), isCode: true),
                .init(text: "", time: event.at), delivery(request, states),
            ]
        }
        list.empty = request.text(isRecorded ? "events.noEvents" : "events.notRecorded")
        return section(request, "events.newest", list)
    }

    /// How many endpoints have an event, are waited for, or were given up.
    private static func delivery(_ request: DashboardRequest, _ states: [EventEndpoint.State]) -> ListModel.Cell {
        func words(_ state: EventEndpoint.State) -> String? {
            let count = states.count { $0 == state }
            guard count > 0 else { return nil }
            return request.text("events.delivery.\(state.rawValue)", ["count": String(count)])
        }
        let good = [words(.delivered), words(.waits)].compactMap(\.self).joined(separator: " · ")
        return .init(text: states.isEmpty ? "–" : good, badge: words(.givenUp))
    }

    private static func section(
        _ request: DashboardRequest, _ title: String, _ list: ListModel
    ) -> PageTemplates.Model {
        var model = list.model(request)
        model["sectionTitle"] = request.text(title)
        return model
    }
}

/// The forms of the page of events.
private struct EventForms {
    let request: DashboardRequest
    let form: FormValues
    let faults: [ValidationError]
    /// Of the endpoint that is shown, or of the application.
    let version: String

    func create() -> PageTemplates.Model {
        named(form("events.new", "events.make", link: "endpoints", fields: draft(.init(url: ""))))
    }

    func change(_ endpoint: EventEndpoint) -> PageTemplates.Model {
        form("events.change", "settings.save", link: link(endpoint), fields: draft(.init(endpoint), hasPause: true))
    }

    func settings(_ settings: EventSettings) -> PageTemplates.Model {
        let days = settings.retention.components.seconds / 86_400
        return form(
            "events.settings", "settings.save", link: "settings",
            fields: [
                field("isStreamed", .checkbox, settings.isStreamed ? "yes" : "", isRequired: false),
                field("retentionDays", .number, String(days)),
            ])
    }

    func rotate(_ endpoint: EventEndpoint) -> PageTemplates.Model {
        named(
            form(
                "events.rotate", "events.rotateButton", link: "\(link(endpoint))/rotate",
                fields: [field("overlapHours", .number, String(SecretOverlap.standardHours))]))
    }

    func test(_ endpoint: EventEndpoint) -> PageTemplates.Model {
        form("events.test", "events.testButton", link: "\(link(endpoint))/test", fields: [], note: "events.testHint")
    }

    func replay(_ endpoint: EventEndpoint) -> PageTemplates.Model {
        form(
            "events.replay", "events.replayButton", link: "\(link(endpoint))/replay",
            fields: [field("after", .number, "", isRequired: false)])
    }

    func remove(_ endpoint: EventEndpoint) -> PageTemplates.Model {
        var model = form(
            "events.remove", "events.removeButton", link: "\(link(endpoint))/remove", fields: [],
            note: "events.removeHint")
        model["isBad"] = true
        model["sureAbout"] = endpoint.url
        return model
    }

    /// A form that shows a secret once.
    private func named(_ form: PageTemplates.Model) -> PageTemplates.Model {
        var model = form
        model["attempt"] = request.newAttempt()
        return model
    }

    private func link(_ endpoint: EventEndpoint) -> String { "endpoints/\(endpoint.id.rawValue)" }

    private func draft(_ draft: ManageEventEndpoints.Draft, hasPause: Bool = false) -> [PageTemplates.Model] {
        [
            field("url", .url, draft.url),
            field("types", .multiline, draft.types.map(\.rawValue).joined(separator: "\n"), isRequired: false),
            field("includesUser", .checkbox, draft.includesUser ? "yes" : "", isRequired: false),
        ] + (hasPause ? [field("isPaused", .checkbox, draft.isPaused ? "yes" : "", isRequired: false)] : [])
    }

    /// One field; after a fault it has what was sent.
    private func field(
        _ name: String, _ kind: PageField.Kind, _ value: String, isRequired: Bool = true
    ) -> PageTemplates.Model {
        // A box that is not checked is not sent; another field of its form is. The form beside shows what there is.
        let sign = ["includesUser": "url", "isPaused": "url", "isStreamed": "retentionDays"][name] ?? name
        let isSent = !faults.isEmpty && form[sign] != nil
        var model = PageField(
            name, label: request.text("events.field.\(name)"), kind: kind, value: isSent ? form.text(name) : value,
            hint: request.text("events.hint.\(name)"),
            error: faults.first { $0.webhookField == name }.map { request.text("events.bad.\($0.field)") },
            isRequired: isRequired
        ).model
        // Too many for a hint, all of which is read out with its field.
        if name == "types" {
            model["vocabulary"] =
                [
                    "title": request.text("events.names"),
                    "words": EventType.all.map { type -> PageTemplates.Model in
                        ["code": type.rawValue, "word": request.word(type)]
                    },
                ] as PageTemplates.Model
        }
        return model
    }

    private func form(
        _ title: String, _ button: String, link: String, fields: [PageTemplates.Model], note: String? = nil
    ) -> PageTemplates.Model {
        var model: PageTemplates.Model = [
            "title": request.text(title), "button": request.text(button), "link": "\(request.pagePath)/\(link)",
            "fields": fields, "version": version,
        ]
        if let note { model["note"] = request.text(note) }
        return model
    }
}
