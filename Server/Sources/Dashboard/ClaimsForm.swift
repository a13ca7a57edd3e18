import Domain
import Hummingbird
import OkaeriWire
import PageSupport

/// What becomes claims of access tokens, on the page of roles: a line for each, `plan = field plan`.
enum ClaimsForm {
    private static let lines = "claims"

    /// - Parameters:
    ///   - page: The page of roles.
    ///   - change: Performs a change of the page, and shows it again with what is wrong.
    /// - Returns: the route.
    static func route(
        _ page: DashboardRoute.Page,
        _ change:
            @escaping @Sendable (
                DashboardRequest,
                (FormValues, Identifier<Domain.Application>, Operator) async throws(DomainError) -> String
            ) async throws -> Response
    ) -> DashboardRoute {
        DashboardRoute(page, post: "claims", .changeClaims) { request in
            try await change(request) { form, id, who throws(DomainError) in
                var (rules, faults): ([ClaimRule], [ValidationError]) = ([], [])
                for line in form.text(lines).split(whereSeparator: \.isNewline) {
                    guard let name = line.words.first else { continue }
                    guard let rule = rule(in: line) else {
                        faults.append(ValidationError(field: "claims.\(name)", rule: .notAClaimName))
                        continue
                    }
                    rules.append(rule)
                }
                guard faults.isEmpty else { throw .fieldsRefused(faults) }
                _ = try await request.modules.applications.changeAccessRules.setClaims(
                    rules, in: id, isCurrent: try request.isCurrent(form), by: who)
                return "saved"
            }
        }
    }

    static func model(
        _ request: DashboardRequest, _ form: FormValues, _ rules: AccessRules, version: String,
        _ faults: [ValidationError]
    ) -> PageTemplates.Model {
        let wrong = faults.filter { $0.field.hasPrefix(lines) }.map { String($0.field.dropFirst(lines.count + 1)) }
        let field = PageField(
            lines, label: request.text("roles.claims"), kind: .multiline,
            value: form[lines] ?? rules.claims.map(line(of:)).joined(separator: "\n"),
            hint: request.text("roles.claimsHint"),
            error: wrong.isEmpty ? nil : request.text("roles.claimsBad", ["names": wrong.joined(separator: ", ")]),
            isRequired: false)
        return [
            "title": request.text("roles.claimsTitle"), "button": request.text("settings.save"),
            "link": "\(request.pagePath)/claims", "fields": [field.model], "version": version,
        ]
    }

    /// `NAME [in OBJECT] = SOURCE`, where the source is `field NAME`, `user`, `value JSON`, or `roles`, `permissions` or
    /// `groups`, with `+` and names behind that everybody has.
    ///
    /// - Parameter line: What somebody wrote.
    /// - Returns: `nil` for a line that says none of these.
    static func rule(in line: Substring) -> ClaimRule? {
        guard let sides = line.cut(at: "=") else { return nil }
        let left = sides.before.words
        let name: String
        var within: String?
        switch left.count {
        case 1: name = left[0]
        case 3 where left[1] == "in": (name, within) = (left[0], left[2])
        default: return nil
        }
        let right = sides.after
        let words = right.words
        switch words.first {
        case "user" where words.count == 1: return ClaimRule(name, within: within, .user)
        case "field" where words.count == 2: return ClaimRule(name, within: within, .field(words[1]))
        case "value":
            let text = right.drop(while: \.isWhitespace).dropFirst("value".count)
            // Whatever is wrong with it, it is no value.
            guard let value = try? JSONValue(parsing: Array(text.utf8)) else { return nil }
            return ClaimRule(name, within: within, .constant(value))
        case .some(let word):
            guard let names = ClaimRule.Names(rawValue: word), words.count != 2,
                words.count == 1 || words[1] == "+"
            else { return nil }
            return ClaimRule(name, within: within, .names(names, and: Array(words.dropFirst(2))))
        case nil: return nil
        }
    }

    /// The line of a rule.
    static func line(of rule: ClaimRule) -> String {
        let source =
            switch rule.source {
            case .user: "user"
            case .field(let name): "field \(name)"
            case .constant(let value): "value \(FieldsPage.text(of: value))"
            case .names(let names, let fixed):
                ([names.rawValue] + (fixed.isEmpty ? [] : ["+"] + fixed)).joined(separator: " ")
            }
        return "\(rule.name)\(rule.within.map { " in \($0)" } ?? "") = \(source)"
    }
}
