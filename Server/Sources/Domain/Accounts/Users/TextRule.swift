/// What a short text must keep to.
package struct TextRule: Sendable {
    package var maximumCharacters: Int
    package var mayBeEmpty = false
    private var countsBytes = false

    package init(maximumCharacters: Int, mayBeEmpty: Bool = false) {
        self.maximumCharacters = maximumCharacters
        self.mayBeEmpty = mayBeEmpty
    }

    /// - Parameter maximumBytes: How many bytes a text may have, such as an id, which others look up by its bytes.
    init(maximumBytes: Int) {
        maximumCharacters = maximumBytes
        countsBytes = true
    }

    /// No character has more than four bytes: of a text that is longer nothing else need be known.
    package var maximumBytes: Int { countsBytes ? maximumCharacters : 4 * maximumCharacters }

    /// Whether a text has more characters than it may.
    package func isExceeded(by text: String) -> Bool {
        text.utf8.count > maximumBytes
            || (text.utf8.count > maximumCharacters && text.unicodeScalars.count > maximumCharacters)
    }

    /// The rules that a text breaks. Characters are Unicode scalars, so that a pile of accents counts.
    package func faults(of text: String?, field: String) -> [ValidationError] {
        guard let text else { return [] }
        var faults: [ValidationError] = []
        if text.utf8.count > maximumBytes {
            let rule: ValidationError.Rule =
                countsBytes ? .tooManyBytes(maximum: maximumBytes) : .tooLong(maximumCharacters: maximumCharacters)
            return [ValidationError(field: field, rule: rule)]
        }
        if text.isEmpty && !mayBeEmpty { faults.append(ValidationError(field: field, rule: .empty)) }
        if isExceeded(by: text) {
            faults.append(ValidationError(field: field, rule: .tooLong(maximumCharacters: maximumCharacters)))
        }
        if !text.utf8.allSatisfy({ (0x20..<0x7f).contains($0) }),
            text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
        {
            faults.append(ValidationError(field: field, rule: .controlCharacter))
        }
        return faults
    }

    /// The same of a list. One that has too many is not looked through: its errors would be a response of their own size.
    package func faults(ofEach texts: [String], atMost maximum: Int, field: String) -> [ValidationError] {
        guard texts.count <= maximum else {
            return [ValidationError(field: field, rule: .tooManyFields(maximum: maximum))]
        }
        return texts.flatMap { faults(of: $0, field: field) }
    }
}
