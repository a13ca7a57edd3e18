import Domain
import HTTPSupport
import Hummingbird
import PageSupport
import struct OkaeriWire.WireTime

/// `/dashboard/app/ID/hooks`: before what an app's backend is asked, where, and what happens while it is down.
enum HooksPage {
    private static let page = DashboardRoute.Page("/app/{application}/hooks", .readSettings)

    static let routes: [DashboardRoute] = [
        DashboardRoute(page) { try await draw($0) },
        DashboardRoute(page, post: "{hook}", .changeHooks) { request in
            try await change(request) { form, point, id, who throws(DomainError) in
                let set = try await request.modules.hooks.manage.set(
                    point, to: try draft(form, of: point, request.modules.hooks.manage), in: id,
                    isCurrent: try request.isCurrent(form), by: who)
                return set.secret.map(Outcome.secret) ?? .done("saved")
            }
        },
        DashboardRoute(page, post: "{hook}/rotate", .changeHooks) { request in
            try await change(request) { form, point, id, who throws(DomainError) in
                let overlap = try SecretOverlap(hours: Int64(form.text("overlapHours"), radix: 10) ?? -1)
                let made = try await request.modules.hooks.manage.rotate(
                    point, in: id, overlap: overlap, attempt: form.attempt, by: who)
                return .secret(made.secret)
            }
        },
        DashboardRoute(page, post: "{hook}/remove", .changeHooks) { request in
            try await change(request) { form, point, id, who throws(DomainError) in
                try await request.modules.hooks.manage.remove(
                    point, in: id, isCurrent: try request.isCurrent(form), by: who)
                return .done("removed")
            }
        },
        DashboardRoute(page, post: "{hook}/test", .testHook) { request in
            try await change(request) { _, point, id, who throws(DomainError) in
                .tested(try await request.modules.hooks.test(point, in: id, by: who))
            }
        },
    ]

    /// What came of a form.
    private enum Outcome {
        /// A notice on the page that is drawn anew.
        case done(String)
        /// A secret that is shown once.
        case secret(Secret)
        /// What the hook decided, or why it did not.
        case tested(HookOutcome)
    }

    /// - Throws: `fieldsRefused` for a choice that was not made and for what is no time, with everything else that breaks a rule.
    private static func draft(
        _ form: FormValues, of point: HookPoint, _ manage: ManageHooks
    ) throws(DomainError) -> ManageHooks.Draft {
        let whenDown = Hook.WhenDown(rawValue: form.text("whenDown"))
        let times: [(field: String, time: Timestamp?)] =
            point == .logIn ? ["from", "until"].map { (field: $0, time: time(form.text($0))) } : []
        var faults: [ValidationError] = times.filter { $0.time == nil && !form.text($0.field).isEmpty }
            .map { ValidationError(field: $0.field, rule: .noneOf(["2027-03-31"])) }
        if whenDown == nil {
            faults.append(ValidationError(field: "whenDown", rule: .noneOf(Hook.WhenDown.allCases.map(\.rawValue))))
        }
        let draft = ManageHooks.Draft(
            url: form.text("url").words.joined(separator: " "),
            // What is no number is beyond all bounds.
            timeoutMilliseconds: Int64(form.text("timeoutMilliseconds"), radix: 10) ?? -1,
            whenDown: whenDown ?? .refuse, asksGuests: !form.text("asksGuests").isEmpty,
            isPaused: !form.text("isPaused").isEmpty,
            window: Hook.Window(from: times.first?.time, until: times.last?.time))
        guard faults.isEmpty else {
            let known = Set(faults.map(\.field))
            throw .fieldsRefused(faults + manage.faults(of: draft, at: point).filter { !known.contains($0.field) })
        }
        return draft
    }

    /// A time, or the beginning of a day in UTC; `nil` for any other text.
    private static func time(_ text: String) -> Timestamp? {
        (WireTime(text) ?? WireTime("\(text)T00:00:00Z")).map { Timestamp(milliseconds: $0.millisecondsSince1970) }
    }

    private static func change(
        _ request: DashboardRequest,
        _ work: (FormValues, HookPoint, Identifier<Domain.Application>, Operator) async throws(DomainError) -> Outcome
    ) async throws -> Response {
        guard let point = HookPoint(rawValue: request.id("hook")) else { throw DomainError.administration(.notFound) }
        return try await request.submit(
            { form, id, who throws(DomainError) in try await work(form, point, id, who) },
            then: { outcome in
                switch outcome {
                case .done(let notice):
                    let query = FormValues.query([("done", notice), ("hook", point.rawValue)])
                    return request.redirect(to: "\(request.pagePath)?\(query)")
                case .secret(let secret): return try await draw(request, once: secret)
                case .tested(let outcome): return try await draw(request, tested: outcome)
                }
            },
            orDraw: { try await draw(request, $0, faults: $1) })
    }

    private static func draw(
        _ request: DashboardRequest, _ form: FormValues = .none, faults: [ValidationError] = [], once: Secret? = nil,
        tested: HookOutcome? = nil
    ) async throws -> Response {
        // As it is after a form that is answered by the page itself.
        let application = try await request.modules.applications.findApplication(try request.targetApplication().id)
        let hooks = application.hooks
        let chosen = HookPoint(
            rawValue: request.id("hook").isEmpty ? request.page.query.text("hook") : request.id("hook"))
        var list = table(request, hooks)
        list.links = chosen == nil ? [] : [(request.text("hooks.all"), request.pagePath)]
        var model = list.model(request)
        model["lead"] = request.text("hooks.lead")
        model["once"] = once.map {
            request.once($0.revealed, title: request.text("hooks.secret"), note: request.text("hooks.secretHint"))
        }
        var errors = faults.map { (Optional($0.webhookField), request.text("hooks.bad.\($0.field)")) }
        if let tested {
            switch tested {
            case .malformed(let reason), .silent(let reason), .busy(let reason):
                errors.append((nil, request.text("hooks.failed", ["reason": request.words(ofFault: reason)])))
            case .allowed, .refused: model["sections"] = [decision(request, tested)]
            }
        }
        if let chosen {
            let forms = HookForms(
                request: request, point: chosen, form: form, faults: faults,
                version: form.version(or: application.version))
            model["form"] = forms.all(hooks.first { $0.point == chosen })
        }
        model["notice"] = request.notice(of: ["saved", "removed"], in: "hooks.done")
        model["summary"] = request.summary(errors)
        return try request.html(
            "list", title: request.text("nav.hooks"), model,
            status: errors.isEmpty ? .ok : .unprocessableContent)
    }

    /// A row for each moment, with a hook or without one.
    private static func table(_ request: DashboardRequest, _ hooks: [Hook]) -> ListModel {
        var list = ListModel()
        list.columns = ["point", "url", "state", "whenDown", "timeout", "since"].map { request.text("hooks.\($0)") }
        list.rows = HookPoint.allCases.map { point in
            let name = request.text("hooks.point.\(point.rawValue)")
            let link = "\(request.pagePath)?\(FormValues.query([("hook", point.rawValue)]))"
            guard let hook = hooks.first(where: { $0.point == point }) else {
                return [.init(text: name, link: link), .init(text: request.text("hooks.state.none"))]
                    + Array(repeating: .init(text: "–"), count: 4)
            }
            return [
                .init(text: name, link: link), .init(text: hook.url),
                .init(
                    text: hook.isPaused ? "" : request.text("hooks.state.on"),
                    badge: hook.isPaused ? request.text("hooks.state.off") : nil),
                .init(text: request.text("hooks.whenDown.\(hook.whenDown.rawValue)")),
                .init(text: request.text("hooks.milliseconds", ["count": String(hook.timeoutMilliseconds)])),
                .init(text: "", time: hook.createdAt),
            ]
        }
        return list
    }

    /// What a hook decided in a test.
    private static func decision(_ request: DashboardRequest, _ outcome: HookOutcome) -> PageTemplates.Model {
        var list = ListModel()
        list.columns = ["decision", "says"].map { request.text("hooks.\($0)") }
        switch outcome {
        case .refused(let message):
            list.rows = [[.init(text: request.text("hooks.decision.refuse")), .init(text: message ?? "–")]]
        case .allowed(let fields, let claims):
            let added = fields.merging(claims) { field, _ in field }.sorted { $0.key < $1.key }
            list.rows = [[.init(text: request.text("hooks.decision.allow")), .init(text: added.isEmpty ? "–" : "")]]
            list.rows += added.map { name, value in
                [.init(text: name, isCode: true), .init(text: FieldsPage.text(of: value), isCode: true)]
            }
        case .malformed, .silent, .busy: break
        }
        var model = list.model(request)
        model["sectionTitle"] = request.text("hooks.tested")
        return model
    }
}

/// The forms about one hook.
private struct HookForms {
    let request: DashboardRequest
    let point: HookPoint
    let form: FormValues
    let faults: [ValidationError]
    /// Of the application that is shown.
    let version: String

    /// - Parameter hook: The one that is there; `nil` for a form that makes one.
    /// - Returns: the forms that the admin may send.
    func all(_ hook: Hook?) -> [PageTemplates.Model] {
        var shown: [PageTemplates.Model] = []
        if request.offers(.changeHooks) {
            shown.append(set(hook))
            if hook != nil { shown.append(rotate()) }
        }
        guard let hook else { return shown }
        if request.offers(.testHook) {
            shown.append(form("hooks.test", "hooks.testButton", "/test", note: "hooks.testHint"))
        }
        if request.offers(.changeHooks) {
            var removal = form("hooks.remove", "hooks.removeButton", "/remove", note: "hooks.removeHint")
            removal["isBad"] = true
            removal["sureAbout"] = "\(request.text("hooks.point.\(point.rawValue)")) · \(hook.url)"
            shown.append(removal)
        }
        return shown
    }

    private func set(_ hook: Hook?) -> PageTemplates.Model {
        // Without a response nobody knows whose a token is.
        let choices = (point == .adoption ? [.refuse] : Hook.WhenDown.allCases).map {
            ($0.rawValue, request.text("hooks.whenDown.\($0.rawValue)"))
        }
        var fields = [
            field("url", .url, hook?.url ?? "").model,
            // Nobody but the operator knows: a new hook has no choice that was made for them.
            field("whenDown", .select, hook?.whenDown.rawValue ?? "")
                .offering((hook == nil ? [("", "–")] : []) + choices).model,
            field("timeoutMilliseconds", .number, String(hook?.timeoutMilliseconds ?? Hook.standardTimeout)).model,
        ]
        if point == .signUp {
            fields.append(
                field("asksGuests", .checkbox, hook?.asksGuests == true ? "yes" : "", isRequired: false).model)
        }
        if point == .logIn {
            fields.append(field("from", .text, hook?.window.from?.wire.description ?? "", isRequired: false).model)
            fields.append(field("until", .text, hook?.window.until?.wire.description ?? "").model)
        }
        fields.append(field("isPaused", .checkbox, hook?.isPaused == true ? "yes" : "", isRequired: false).model)
        return form(
            hook == nil ? "hooks.new" : "hooks.change", hook == nil ? "hooks.make" : "settings.save", "",
            fields: fields, note: "hooks.about.\(point.rawValue)")
    }

    private func rotate() -> PageTemplates.Model {
        var model = form(
            "hooks.rotate", "hooks.rotateButton", "/rotate",
            fields: [field("overlapHours", .number, String(SecretOverlap.standardHours)).model])
        model["attempt"] = request.newAttempt()
        return model
    }

    /// One field; after a fault it has what was sent.
    private func field(
        _ name: String, _ kind: PageField.Kind, _ value: String, isRequired: Bool = true
    ) -> PageField {
        // A box that is not checked is not sent; the address of its form is.
        let isSent = !faults.isEmpty && form[kind == .checkbox ? "url" : name] != nil
        return PageField(
            name, label: request.text("hooks.field.\(name)"), kind: kind, value: isSent ? form.text(name) : value,
            hint: request.text("hooks.hint.\(name)"),
            error: faults.first { $0.webhookField == name }.map { request.text("hooks.bad.\($0.field)") },
            isRequired: isRequired)
    }

    private func form(
        _ title: String, _ button: String, _ rest: String, fields: [PageTemplates.Model] = [], note: String? = nil
    ) -> PageTemplates.Model {
        var model: PageTemplates.Model = [
            "title": request.text(title), "button": request.text(button),
            "link": "\(request.pagePath)/\(point.rawValue)\(rest)", "fields": fields, "version": version,
        ]
        if let note { model["note"] = request.text(note) }
        return model
    }
}
