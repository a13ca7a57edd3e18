import Domain
import Foundation
import HTTPTypes
import Hummingbird
import enum OkaeriWire.JSONValue
import PageSupport

/// `/dashboard/app/ID/fields`: who reads and writes the users' custom fields, what they take, and how much a user may hold.
enum FieldsPage {
    private static let page = DashboardRoute.Page("/app/{application}/fields", .readSettings)
    private static let labelled = ["en", "ja", "ko"]

    static let routes: [DashboardRoute] = [
        DashboardRoute(page) { try draw($0) },
        DashboardRoute(
            page, post: "save", .changeFieldRules, also: [.loosenFieldRules, .showUsersToEverybody]
        ) { request in
            try await change(request) { form, id, who throws(DomainError) in
                let rule = try rule(form)
                try await request.modules.applications.changeFieldRules(
                    of: id, mayLoosen: request.allows(.loosenFieldRules), isCurrent: try areCurrent(form, request),
                    by: who
                ) { $0[rule.name] = rule }
                let count = try await request.modules.applications.countRuleBreakers(of: rule, in: id)
                return [("done", "saved"), ("broken", String(count.breaking))]
            }
        },
        DashboardRoute(
            page, post: "policy", .changeFieldRules, also: [.loosenFieldRules, .showUsersToEverybody]
        ) { request in
            try await change(request) { form, id, who throws(DomainError) in
                let isClosed = form.text("policy") == "closed"
                try await request.modules.applications.changeFieldRules(
                    of: id, mayLoosen: request.allows(.loosenFieldRules), isCurrent: try areCurrent(form, request),
                    by: who
                ) { $0.isClosed = isClosed }
                return [("done", "saved")]
            }
        },
        DashboardRoute(page, post: "limits", .changeFieldRules, also: [.loosenFieldRules]) { request in
            try await change(request) { form, id, who throws(DomainError) in
                try await request.modules.applications.changeFieldRules(
                    of: id, mayLoosen: request.allows(.loosenFieldRules), isCurrent: try areCurrent(form, request),
                    by: who, FieldLimitsForm.change(form))
                return [("done", "saved")]
            }
        },
        DashboardRoute(
            page, post: "remove", .changeFieldRules, also: [.loosenFieldRules, .showUsersToEverybody]
        ) { request in
            try await change(request) { form, id, who throws(DomainError) in
                let name = form.text("removed")
                try await request.modules.applications.changeFieldRules(
                    of: id, mayLoosen: request.allows(.loosenFieldRules), isCurrent: try areCurrent(form, request),
                    by: who
                ) { $0[name] = nil }
                return [("done", "removed")]
            }
        },
    ]

    /// Whether all rules are still those that a form was drawn for; for a transaction.
    private static func areCurrent(
        _ form: FormValues, _ request: DashboardRequest
    ) throws(DomainError) -> @Sendable (Domain.Application) -> Bool {
        try request.targetApplication().settings.fieldRules.isStill(form.version)
    }

    /// Shows the page again with what is wrong in the form, or with a notice.
    private static func change(
        _ request: DashboardRequest,
        _ work: (FormValues, Identifier<Domain.Application>, Operator) async throws(DomainError) -> [(String, String)]
    ) async throws -> Response {
        try await request.submit(
            work, then: { request.redirect(to: "\(request.pagePath)?\(FormValues.query($0))") },
            orDraw: { try draw(request, $0, faults: $1) })
    }

    /// The rule that the form describes.
    ///
    /// - Throws: `fieldsRefused`.
    private static func rule(_ form: FormValues) throws(DomainError) -> FieldRule {
        func word<Word: RawRepresentable<String>>(_ name: String) throws(DomainError) -> Word {
            guard let word = Word(rawValue: form.text(name)) else {
                throw .fieldsRefused([ValidationError(field: name, rule: .notOffered)])
            }
            return word
        }
        var rule = FieldRule(
            name: form.text("field"), kind: try word("type"), reader: try word("read"), writer: try word("write"),
            isRequired: !form.text("required").isEmpty)
        let typed = form.text("default")
        if !typed.allSatisfy(\.isWhitespace) {
            // Whatever is wrong with the text, it is no JSON.
            guard let value = try? JSONValue(parsing: Array(typed.utf8)) else {
                throw .fieldsRefused([ValidationError(field: "default", rule: .otherType)])
            }
            rule.standard = value
        }
        for language in labelled where !form.text("label-\(language)").isEmpty {
            rule.labels[language] = form.text("label-\(language)")
        }
        return rule
    }

    private static func draw(
        _ request: DashboardRequest, _ form: FormValues = .none, faults: [ValidationError] = []
    ) throws -> Response {
        let rules = try request.targetApplication().settings.fieldRules
        var list = ListModel()
        list.columns = ["field", "type", "read", "write", "required", "default"].map { request.text("fields.\($0)") }
        list.empty = request.text("fields.empty")
        list.rows = rules.sorted.map { rule in
            [
                .init(
                    text: rule.name, link: "\(request.path("fields"))?\(FormValues.query([("field", rule.name)]))",
                    isCode: true),
                .init(text: request.text("fields.type.\(rule.kind.rawValue)")),
                .init(text: request.text("fields.who.\(rule.reader.rawValue)")),
                .init(text: request.text("fields.who.\(rule.writer.rawValue)")),
                .init(text: rule.isRequired ? request.text("fields.yes") : ""),
                .init(text: String(text(of: rule.standard).prefix(60)), isCode: true),
            ]
        }
        var model = list.model(request)
        if request.offers(.changeFieldRules) { model["form"] = forms(request, form, rules, faults) }
        if let notice = notice(request) { model["notice"] = notice }
        model["summary"] = request.summary(
            faults.map { fault in
                let name = field(of: fault)
                let label = fault.field.hasPrefix("limits.") ? fault.field : "fields.\(name)"
                return (name, request.labelled(label, request.words(of: fault.rule)))
            })
        return try request.html(
            "list", title: request.text("nav.fields"), model, status: faults.isEmpty ? .ok : .unprocessableContent)
    }

    /// The form's name for what breaks a rule.
    private static func field(of fault: ValidationError) -> String {
        guard !fault.field.hasPrefix("limits.") else { return String(fault.field.dropFirst("limits.".count)) }
        return ["name": "field", "fields": "field", "label": "label-\(labelled[0])"][fault.field] ?? fault.field
    }

    private static func notice(_ request: DashboardRequest) -> String? {
        switch request.page.query.text("done") {
        case "removed": return request.text("fields.removed")
        case "saved":
            let broken = Int(request.page.query.text("broken"), radix: 10) ?? 0
            return broken > 0
                ? request.text("fields.broken", ["count": String(broken)]) : request.text("settings.saved")
        default: return nil
        }
    }

    /// The rule that was chosen or typed, its removal, and the policy for all others.
    private static func forms(
        _ request: DashboardRequest, _ form: FormValues, _ rules: FieldRules, _ faults: [ValidationError]
    ) -> [PageTemplates.Model] {
        let chosen = rules[request.page.query.text("field")]
        func field(
            _ name: String, _ value: String, _ kind: PageField.Kind = .text, isRequired: Bool = false,
            choices: [String] = [], texts: String = ""
        ) -> PageTemplates.Model {
            PageField(
                name, label: request.text("fields.\(name)"), kind: kind, value: form[name] ?? value,
                hint: request.knownText("fields.\(name)Hint"),
                error: faults.first { Self.field(of: $0) == name }.map { request.words(of: $0.rule) },
                isRequired: isRequired
            ).offering(choices.map { ($0, request.text("fields.\(texts).\($0)")) }).model
        }
        var forms: [PageTemplates.Model] = [
            [
                "title": request.text("fields.rule"), "button": request.text("settings.save"),
                "link": "\(request.pagePath)/save",
                "fields": [
                    field("field", chosen?.name ?? "", isRequired: true),
                    field(
                        "type", (chosen?.kind ?? .any).rawValue, .select,
                        choices: FieldKind.allCases.map(\.rawValue), texts: "type"),
                    field(
                        "read", (chosen?.reader ?? .everybody).rawValue, .select,
                        choices: FieldRule.Reader.allCases.map(\.rawValue), texts: "who"),
                    field(
                        "write", (chosen?.writer ?? .owner).rawValue, .select,
                        choices: FieldRule.Writer.allCases.map(\.rawValue), texts: "who"),
                    field("required", chosen?.isRequired == true ? "yes" : "", .checkbox),
                    field("default", text(of: chosen?.standard)),
                ] + labelled.map { field("label-\($0)", chosen?.labels[$0] ?? "") },
            ],
            [
                "title": request.text("fields.others"), "button": request.text("settings.save"),
                "link": "\(request.pagePath)/policy",
                "fields": [
                    field(
                        "policy", rules.isClosed ? "closed" : "open", .select, choices: ["open", "closed"],
                        texts: "policy")
                ],
            ],
        ]
        forms.append(FieldLimitsForm.model(request, form, rules.limits, faults))
        if !rules.rules.isEmpty {
            let name = PageField(
                "removed", label: request.text("fields.field"), kind: .select, value: chosen?.name ?? "",
                hint: request.text("fields.remove")
            ).offering(rules.sorted.map { ($0.name, $0.name) })
            forms.append([
                "title": request.text("fields.removal"), "button": request.text("fields.removal"),
                "link": "\(request.pagePath)/remove",
                "fields": [name.model],
            ])
        }
        for index in forms.indices { forms[index]["version"] = form.version(or: rules.version) }
        return forms
    }

    static func text(of value: JSONValue?) -> String {
        guard let value else { return "" }
        // What was read from JSON can be written as JSON.
        return (try? JSONEncoder().encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
}
