import Domain
import Foundation
import HTTPTypes
import Hummingbird
import enum OkaeriWire.JSONValue
import PageSupport

/// `/dashboard/app/ID/fields`: who reads and writes the users' custom fields, and what they take.
struct FieldsPage: DashboardPage {
    let permission: AdminPermission? = .readSettings

    private static let labelled = ["en", "ja", "ko"]

    func respond(to visit: DashboardRequest) async throws -> Response {
        guard visit.isPost else { return try draw(visit) }
        let form = try await visit.form()
        do {
            return try await change(visit, form)
        } catch {
            guard let faults = error.validationErrors else { throw error }
            return try draw(visit, form, faults: faults)
        }
    }

    private func change(_ visit: DashboardRequest, _ form: FormValues) async throws(DomainError) -> Response {
        let (id, who) = (try visit.place().id, try visit.auditActor(.changeSettings))
        if let policy = form["policy"] {
            try await visit.useCases.changeFieldRules(of: id, by: who) { $0.isClosed = policy == "closed" }
            return visit.redirect(to: "\(visit.path("fields"))?done=saved")
        }
        if let name = form["removed"] {
            try await visit.useCases.changeFieldRules(of: id, by: who) { $0[name] = nil }
            return visit.redirect(to: "\(visit.path("fields"))?done=removed")
        }
        let rule = try Self.rule(form)
        try await visit.useCases.changeFieldRules(of: id, by: who) { $0[rule.name] = rule }
        let count = try await visit.useCases.countRuleBreakers(of: rule, in: id)
        let told = FormValues.query([("done", "saved"), ("broken", String(count.breaking))])
        return visit.redirect(to: "\(visit.path("fields"))?\(told)")
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

    private func draw(
        _ visit: DashboardRequest, _ form: FormValues = .none, faults: [ValidationError] = []
    ) throws -> Response {
        let rules = try visit.place().settings.fieldRules
        var list = ListModel()
        list.columns = ["field", "type", "read", "write", "required", "default"].map { visit.text("fields.\($0)") }
        list.empty = visit.text("fields.empty")
        list.rows = rules.sorted.map { rule in
            [
                .init(
                    text: rule.name, link: "\(visit.path("fields"))?\(FormValues.query([("field", rule.name)]))",
                    isCode: true),
                .init(text: visit.text("fields.type.\(rule.kind.rawValue)")),
                .init(text: visit.text("fields.who.\(rule.reader.rawValue)")),
                .init(text: visit.text("fields.who.\(rule.writer.rawValue)")),
                .init(text: rule.isRequired ? visit.text("fields.yes") : ""),
                .init(text: String(Self.text(of: rule.standard).prefix(60)), isCode: true),
            ]
        }
        var model = list.model(visit)
        if visit.access?.may(.changeSettings) == true { model["form"] = forms(visit, form, rules, faults) }
        if let notice = notice(visit) { model["notice"] = notice }
        if !faults.isEmpty {
            model["summary"] =
                PageSummary(
                    title: visit.text("fault.title"), errors: faults.map { ($0.field, visit.text("settings.bad")) }
                ).model
        }
        return try visit.html(
            "list", title: visit.text("nav.fields"), model, status: faults.isEmpty ? .ok : .unprocessableContent)
    }

    private func notice(_ visit: DashboardRequest) -> String? {
        switch visit.visit.query.text("done") {
        case "removed": return visit.text("fields.removed")
        case "saved":
            let broken = Int(visit.visit.query.text("broken"), radix: 10) ?? 0
            return broken > 0
                ? visit.text("fields.broken", ["count": String(broken)]) : visit.text("settings.saved")
        default: return nil
        }
    }

    /// The rule that was chosen or typed, its removal, and the policy for all others.
    private func forms(
        _ visit: DashboardRequest, _ form: FormValues, _ rules: FieldRules, _ faults: [ValidationError]
    ) -> [PageTemplates.Model] {
        let chosen = rules[visit.visit.query.text("field")]
        func field(
            _ name: String, _ value: String, _ kind: PageField.Kind = .text, isRequired: Bool = false,
            choices: [String] = [], texts: String = ""
        ) -> PageTemplates.Model {
            PageField(
                name, label: visit.text("fields.\(name)"), kind: kind, value: form[name] ?? value,
                hint: visit.dashboard.texts.tables[visit.visit.language]?["fields.\(name)Hint"],
                error: faults.contains { $0.field == name || $0.field == "name" && name == "field" }
                    ? visit.text("settings.bad") : nil,
                isRequired: isRequired, choices: choices.map { ($0, visit.text("fields.\(texts).\($0)")) }
            ).model
        }
        var forms: [PageTemplates.Model] = [
            [
                "title": visit.text("fields.rule"), "button": visit.text("settings.save"),
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
                    field("default", Self.text(of: chosen?.standard)),
                ] + Self.labelled.map { field("label-\($0)", chosen?.labels[$0] ?? "") },
            ],
            [
                "title": visit.text("fields.others"), "button": visit.text("settings.save"),
                "fields": [
                    field(
                        "policy", rules.isClosed ? "closed" : "open", .select, choices: ["open", "closed"],
                        texts: "policy")
                ],
            ],
        ]
        if !rules.rules.isEmpty {
            let name = PageField(
                "removed", label: visit.text("fields.field"), kind: .select, value: chosen?.name ?? "",
                hint: visit.text("fields.remove"), choices: rules.sorted.map { ($0.name, $0.name) })
            forms.append([
                "title": visit.text("fields.removal"), "button": visit.text("fields.removal"),
                "fields": [name.model],
            ])
        }
        return forms
    }

    private static func text(of value: JSONValue?) -> String {
        guard let value else { return "" }
        // What was read from JSON can be written as JSON.
        return (try? JSONEncoder().encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }
}
