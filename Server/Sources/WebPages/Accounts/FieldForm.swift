import Domain
import OkaeriWire
import PageSupport

/// The application's own fields in one form.
struct FieldForm: Sendable {
    var fields: [TypedField]
    /// What was sent; `nil` for a form that is shown the first time.
    var sent: FormValues?
    /// What stands in front of the name of a field's errors, so that two forms of one page can have the same field.
    var scope = ""
    /// Whether the form makes an account permanent: then an empty box is an answer, too.
    var registers = true

    static let none = FieldForm(fields: [])

    /// The name under which errors of a field stand.
    func errorName(_ field: TypedField) -> String { scope + field.key }

    /// What the form changes, to be merged with what is stored; null takes a value away. What was sent back as it was
    /// shown is no change.
    var changes: [String: JSONValue] {
        guard let sent else { return [:] }
        var changes: [String: JSONValue] = [:]
        for field in fields {
            let name = field.rule.name
            if field.isBox {
                let value = JSONValue.bool(sent[field.key] != nil)
                let wasShown = registers || sent[Self.boxKey(field)] != nil
                let isNews = registers || field.stored != nil || value == true
                if wasShown, isNews, value != field.stored { changes[name] = value }
            } else if let typed = sent[field.key].map({ Self.plain($0, field) }),
                let before = field.text.map({ Self.plain($0, field) }), typed != before
            {
                changes[name] = typed.isEmpty ? .null : field.value(of: typed)
            }
        }
        return changes
    }

    /// Faults of fields by the names that their errors have in the form. The domain names fields by the first letters of
    /// their names, which two fields can share.
    func placed(_ faults: [ValidationError]) -> [ValidationError] {
        let changes = changes
        var waiting = fields
        return faults.map { fault in
            var fault = fault
            if fault.field.hasPrefix("user.") { fault.field.removeFirst(5) }
            if fault.field == "fields", let longest { fault.field = errorName(longest) }
            let found = waiting.firstIndex { field in
                guard ProfileRules.path(of: field.rule.name) == fault.field else { return false }
                let value = changes[field.rule.name] ?? field.stored ?? .null
                return switch fault.rule {
                case .required: value == .null
                case .notOfKind(let kind): !kind.fits(value)
                default: true
                }
            }
            if let found {
                fault.field = errorName(waiting[found])
                waiting.remove(at: found)
            }
            return fault
        }
    }

    /// Where JSON was typed that cannot be read, and its line.
    var unreadable: [(name: String, line: Int)] {
        fields.filter { $0.rule.kind == .object }.compactMap { field in
            guard let typed = sent.map({ Self.plain($0.text(field.key), field) }) else { return nil }
            return ObjectText.unreadableLine(of: typed).map { (errorName(field), $0) }
        }
    }

    /// The field with the most text, whom a limit of all fields together concerns first.
    private var longest: TypedField? {
        fields.filter { !$0.isBox }.max { first, second in
            (sent?.text(first.key).utf8.count ?? 0) < (sent?.text(second.key).utf8.count ?? 0)
        }
    }

    func models(_ request: HostedPageRequest, _ errors: FormErrors?) -> [PageTemplates.Model] {
        pageFields(request, errors).map(\.model)
    }

    func pageFields(_ request: HostedPageRequest, _ errors: FormErrors?) -> [PageField] {
        fields.map { field in
            let label = request.label(of: field.rule)
            let needsText = field.rule.needsAnswer && !field.isBox
            let isOptional = !needsText && !field.isBox
            var shown = PageField(
                field.key,
                label: isOptional ? request.text("field.optional", ["label": label]) : label, kind: field.kind,
                value: sent.map { $0.text(field.key) } ?? field.text ?? "",
                hint: field.hint.map { request.text($0) }, error: errors?[errorName(field)], isRequired: needsText)
            shown.idName = errorName(field)
            shown.inputMode = field.inputMode
            return shown
        }
    }

    /// The boxes of a form that changes things: an empty box is not sent, and must differ from one that was not there.
    var boxes: [PageTemplates.Model] {
        fields.filter(\.isBox).map { ["name": Self.boxKey($0)] }
    }

    private static func boxKey(_ field: TypedField) -> String { "box.\(field.rule.name)" }

    /// As a browser sends it back: lines end in one way, and spaces at the ends do not count.
    private static func plain(_ text: String, _ field: TypedField) -> String {
        text.replacing("\r\n", with: "\n").replacing("\r", with: "\n").trimmingSpaces
    }
}

extension HostedPageRequest {
    /// What people read of a field: the operator's word in the page's language, or else in another; its name without one.
    func label(of rule: FieldRule) -> String {
        LocalizedText(rule.labels).text(in: [browser.language.rawValue]) ?? rule.name
    }

    /// The application's fields for somebody who is nobody here yet.
    func newFields(_ sent: FormValues? = nil) -> FieldForm {
        FieldForm(fields: application.settings.fieldRules.asked.map { TypedField($0) }, sent: sent)
    }

    /// What a guest was not asked yet.
    func upgradeFields(of user: User, _ sent: FormValues? = nil) -> FieldForm {
        FieldForm(
            fields: application.settings.fieldRules.asked.map { TypedField($0, stored: user.fields[$0.name]) }
                .filter { $0.stored == nil }, sent: sent, scope: "upgrade.")
    }

    /// What the owner reads and writes of the own fields. A guest's upgrade asks for those that are missing; but a guest
    /// who links a provider instead finds the required ones here, too.
    func profileFields(of user: User, _ sent: FormValues? = nil, canLink: Bool = true) -> FieldForm {
        FieldForm(
            fields: application.settings.fieldRules.asked.map { TypedField($0, stored: user.fields[$0.name]) }
                .filter { field in
                    let isHere = !user.isAnonymous || field.stored != nil || canLink && field.rule.needsAnswer
                    return isHere && field.text != nil
                }, sent: sent, registers: false)
    }

    /// What the owner only reads: fields of the server's that have a label.
    func facts(of user: User) -> [PageTemplates.Model] {
        application.settings.fieldRules.sorted.compactMap { rule in
            guard rule.writer == .server, rule.reader != .server, !rule.labels.isEmpty,
                let text = fact(TypedField(rule, stored: user.fields[rule.name]))
            else { return nil }
            return ["label": label(of: rule), "text": text]
        }
    }

    private func fact(_ field: TypedField) -> String? {
        switch field.stored {
        case .bool(let flag)?: return text(flag ? "common.yes" : "common.no")
        case .integer(let number)?: return String(number)
        case .number(let number)?: return String(number)
        case .array?, .object?:
            // Braces are for programs.
            guard let text = field.text, !ObjectText.isJSON(text) else { return nil }
            return text.isEmpty ? nil : text.replacing("\n", with: ", ")
        default: return field.text.flatMap { $0.isEmpty ? nil : $0 }
        }
    }

    /// What a person reads of an error of a form with fields of the application's own.
    func errors(of error: DomainError, _ form: FieldForm) -> FormErrors {
        guard let faults = error.validationErrors else { return errors(of: error) }
        var errors = errors(of: .fieldsRefused(form.placed(faults)))
        for (name, line) in form.unreadable {
            guard let index = errors.fields.firstIndex(where: { $0.name == name }) else { continue }
            errors.fields[index].text = text("rule.notJSON", ["line": String(line)])
        }
        let names = Set(form.fields.map(form.errorName))
        // What no field of the form can mend stands above it by its name.
        for (name, text) in errors.fields where name.hasPrefix("fields") && !names.contains(name) {
            errors.others.append(named(text, name))
        }
        errors.fields.removeAll { $0.name.hasPrefix("fields") && !names.contains($0.name) }
        // As they stand in the form, so that who reads them goes down the page once.
        let order = ["username", "email", "password", "displayName"] + form.fields.map(form.errorName)
        let ranks = Dictionary(order.enumerated().map { ($1, $0) }) { first, _ in first }
        errors.fields = errors.fields.enumerated()
            .sorted { (ranks[$0.element.name] ?? .max, $0.offset) < (ranks[$1.element.name] ?? .max, $1.offset) }
            .map(\.element)
        return errors
    }
}
