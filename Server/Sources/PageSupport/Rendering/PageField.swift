/// One field of a form, as the partial `field` draws it: a label that belongs to it, a hint and an error that a screen
/// reader reads with it, and what a password manager needs to know.
package struct PageField: Sendable {
    package var name: String
    /// What the name is among the ids of the page, when not the name itself: two forms can have a field of one name.
    package var idName: String
    package var label: String
    package var kind: Kind
    package var value: String
    package var hint: String?
    /// What is wrong with the value, in the person's language.
    package var error: String?
    /// The autofill tokens (HTML §4.10.18.7): `username`, `new-password`, `one-time-code`.
    package var autocomplete: String
    package var isRequired: Bool
    package var isFocused = false
    /// Choices of a list.
    package var choices: [(value: String, label: String)] = []
    /// Which keyboard a phone shows (HTML §6.8.7).
    package var inputMode: String?

    package enum Kind: String, Sendable {
        case text, email, password, tel, search, url, number, date
        /// Digits or letters to copy from elsewhere: no capitals and no corrections.
        case code
        case multiline
        case checkbox
        case select
        /// One of several choices, all of which are shown.
        case radio
    }

    package init(
        _ name: String, label: String, kind: Kind = .text, value: String = "", hint: String? = nil,
        error: String? = nil, autocomplete: String = "off", isRequired: Bool = true
    ) {
        self.name = name
        idName = name
        self.label = label
        self.kind = kind
        self.value = value
        self.hint = hint
        self.error = error
        self.autocomplete = autocomplete
        self.isRequired = isRequired
    }

    /// The same field, which has the focus when the page opens.
    package func focused(_ isFocused: Bool = true) -> PageField {
        var field = self
        field.isFocused = isFocused
        return field
    }

    /// The same field with choices of a list.
    package func offering(_ choices: [(value: String, label: String)]) -> PageField {
        var field = self
        field.choices = choices
        return field
    }

    /// The id of a field in a page. Ids hold no spaces, and those of an application's own fields can have any letters.
    static func id(of name: String) -> String {
        name.utf8.reduce(into: "field-") { id, byte in
            switch byte {
            case UInt8(ascii: "."): id += "-"
            case 0x30...0x39, 0x41...0x5a, 0x61...0x7a: id.unicodeScalars.append(Unicode.Scalar(byte))
            default: id += "_\(String(byte, radix: 16))"
            }
        }
    }

    /// What the partial asks for.
    package var model: PageTemplates.Model {
        var model: PageTemplates.Model = [
            "id": Self.id(of: idName), "name": name, "label": label,
            "type": kind == .code ? "text" : kind.rawValue, "autocomplete": autocomplete, "required": isRequired,
            "autofocus": isFocused && error == nil, "password": kind == .password, "code": kind == .code,
            "plain": kind != .text && kind != .multiline && kind != .search,
            "multiline": kind == .multiline, "checkbox": kind == .checkbox, "select": kind == .select,
            "radio": kind == .radio,
            "input": ![.multiline, .checkbox, .select, .radio].contains(kind),
            "checked": kind == .checkbox && !value.isEmpty,
            // Passwords are never sent back.
            "value": kind == .password ? "" : value,
        ]
        if let hint { model["hint"] = hint }
        if let inputMode { model["inputMode"] = inputMode }
        if let error { model["error"] = error }
        let described = [hint.map { _ in "hint" }, error.map { _ in "error" }].compactMap { $0 }
        if !described.isEmpty {
            model["describedBy"] = described.map { "\(Self.id(of: idName))-\($0)" }.joined(separator: " ")
        }
        model["choices"] = choices.map { choice -> PageTemplates.Model in
            ["value": choice.value, "label": choice.label, "selected": choice.value == value]
        }
        return model
    }
}

/// What the partial `summary` shows above a form with errors. It has the focus when the page opens, and is announced.
package struct PageSummary: Sendable {
    package var title: String
    package var errors: [(field: String?, text: String)]

    package init(title: String, errors: [(field: String?, text: String)]) {
        self.title = title
        self.errors = errors
    }

    package var model: PageTemplates.Model {
        [
            "title": title,
            "errors": errors.map { error -> PageTemplates.Model in
                var model: PageTemplates.Model = ["text": error.text]
                if let field = error.field { model["target"] = PageField.id(of: field) }
                return model
            },
        ]
    }
}
