import Domain
package import HTTPSupport

/// Fields of a form, or of a query (`application/x-www-form-urlencoded`, WHATWG URL §5). A name counts once.
package struct FormValues: Sendable {
    package static let mediaType = "application/x-www-form-urlencoded"
    package static let maximumBytes = 64 * 1024
    package static let maximumFields = 200
    /// What all names have together: each is normalised whenever it is looked up, and a mebibyte of accents takes a tenth of a second.
    package static let maximumNameBytes = 128 * 1024

    package let all: [(name: String, value: String)]
    private let values: [String: String]

    package static let none = FormValues(all: [])

    /// What is said of a form with a text that is none.
    static let unreadable = "The form is not UTF-8, or has more than 30 combining marks in a row."

    private static let tooManyFields = RequestError.bodyMalformed(
        reason: "The form has more than \(maximumFields) fields.")

    private init(all: [(name: String, value: String)]) {
        self.all = all
        values = Dictionary(all.map { ($0.name, $0.value) }) { first, _ in first }
    }

    /// - Parameters:
    ///   - bytes: The body, or the query.
    ///   - maximumBytes: How long it may be.
    /// - Throws: `RequestError.bodyTooLarge`, `bodyMalformed` for what is no UTF-8 or not stream-safe, has a name twice, or
    ///   too many or too long names.
    package init(_ bytes: [UInt8], maximumBytes: Int = FormValues.maximumBytes) throws(RequestError) {
        guard bytes.count <= maximumBytes else { throw .bodyTooLarge(maximumBytes: maximumBytes) }
        let fields = bytes.split(separator: UInt8(ascii: "&"), maxSplits: Self.maximumFields)
        guard fields.count <= Self.maximumFields else { throw Self.tooManyFields }
        var pairs: [(name: String, value: String)] = []
        for pair in fields {
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = PercentEncoding.text(of: parts[0], plusIsSpace: true),
                let value = PercentEncoding.text(of: parts.count > 1 ? parts[1] : [], plusIsSpace: true)
            else { throw .bodyMalformed(reason: Self.unreadable) }
            pairs.append((name, value))
        }
        try self.init(pairs)
    }

    /// - Throws: `RequestError.bodyMalformed` for a name that is there twice, or too many or too long names.
    init(_ pairs: [(name: String, value: String)]) throws(RequestError) {
        guard pairs.count <= Self.maximumFields else { throw Self.tooManyFields }
        guard pairs.reduce(0, { $0 + $1.name.utf8.count }) <= Self.maximumNameBytes else {
            throw .bodyMalformed(reason: "The names in the form have more than \(Self.maximumNameBytes) bytes.")
        }
        guard Set(pairs.map(\.name)).count == pairs.count else {
            throw .bodyMalformed(reason: "The form has two fields of one name.")
        }
        self.init(all: pairs)
    }

    /// The query of an address; one that cannot be read counts as none.
    package init(query: String?) {
        guard let query, let values = try? FormValues(Array(query.utf8)) else {
            self = .none
            return
        }
        self = values
    }

    /// The same form without some fields.
    package func without(_ names: Set<String>) -> FormValues {
        FormValues(all: all.filter { !names.contains($0.name) })
    }

    package subscript(name: String) -> String? { values[name] }

    /// What was typed into a field; `nil` also for nothing.
    package func typed(_ name: String) -> String? { self[name].flatMap { $0.isEmpty ? nil : $0 } }

    /// The value of a field; empty when it is missing.
    package func text(_ name: String) -> String { values[name] ?? "" }

    /// Names and values as a query.
    package static func query(_ pairs: [(String, String)]) -> String {
        pairs.map { "\($0.percentEncoded)=\($1.percentEncoded)" }.joined(separator: "&")
    }
}
