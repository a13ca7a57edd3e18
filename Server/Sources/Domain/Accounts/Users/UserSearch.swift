package import enum OkaeriWire.JSONValue

/// A question about an application's users, in no protocol's words. Adapters translate into it; `Storage` turns it into
/// SQL, once for both engines.
package struct UserSearch: Hashable, Sendable {
    /// The largest page.
    package static let maximumLimit = 1000
    /// How many matches can be skipped.
    package static let maximumSkip = 1_000_000
    /// The most comparisons and values in one question, whatever lists and alternatives they stand in.
    package static let maximumTerms = 200
    /// The most bytes of all texts that are compared with, and of the names of fields.
    package static let maximumBytes = 65_536
    /// The most bytes of all patterns: what a pattern costs grows with its length times that of the text.
    package static let maximumPatternBytes = 512
    /// How many conditions may stand within each other.
    package static let maximumDepth = 10
    /// The most values and members of JSON that an adapter reads a question of, before it knows what they mean.
    package static let maximumValues = 5000
    /// The most fields to order by.
    package static let maximumOrders = 8

    package var condition: UserCondition
    /// What is asked of each user who is found beside: an adapter that puts something of its own between conditions needs to
    /// know which of them hold. They count to the size of the question.
    package var probes: [UserCondition] = []
    package var order: [UserOrder]
    package var limit: Int
    package var skip: Int
    /// Whether all matches are counted.
    package var counts: Bool
    package var reader: Reader

    package init(
        condition: UserCondition = .all([]), order: [UserOrder] = [], limit: Int = 100, skip: Int = 0,
        counts: Bool = false, reader: Reader
    ) {
        self.condition = condition
        self.order = order
        self.limit = limit
        self.skip = skip
        self.counts = counts
        self.reader = reader
    }

    /// All that it asks.
    var question: UserCondition { probes.isEmpty ? condition : .all([condition] + probes) }

    /// Who asks, and hence who is found.
    package enum Reader: Hashable, Sendable {
        /// An operator, who finds everybody.
        case everything
        /// A user, or nobody in particular. Found are the user, everybody whose list lets them read, and, when
        /// `seesUnlisted`, everybody without a list; of others who are disabled nobody, unless `seesDisabled`. Others'
        /// mail addresses and phone numbers are not searched.
        case user(Identifier<User>?, seesUnlisted: Bool, seesDisabled: Bool)
    }

    /// What was found.
    package struct Findings: Hashable, Sendable {
        package var users: [User]
        /// For each user, which of the probes hold; empty without probes.
        package var probed: [[Bool]] = []
        /// How many there are without limit and skip; `nil` when that was not asked.
        package var count: Int?

        package init(users: [User], count: Int?) {
            self.users = users
            self.count = count
        }
    }
}

extension User {
    /// Whether a reader may see this user at all: what a search asks of the database. Nobody sees a user on the way out.
    package func isVisible(to reader: UserSearch.Reader) -> Bool {
        guard deletionRequestedAt == nil else { return false }
        switch reader {
        case .everything: return true
        case .user(id, _, _): return true
        case .user(let reader, let seesUnlisted, let seesDisabled):
            guard seesDisabled || !isDisabled else { return false }
            return rights(of: reader, standard: seesUnlisted ? [.read] : []).contains(.read)
        }
    }
}

/// What can be asked of a user.
package enum UserField: Hashable, Sendable {
    case id, username, email, emailVerified, phone, displayName, createdAt, updatedAt
    /// The later of the last change and the last log-in.
    case changedOrLoggedInAt
    /// A custom field, or a member inside one.
    case custom([String])
}

extension UserField {
    fileprivate var holdsNull: Bool {
        if case .custom(let path) = self { path.contains { $0.utf8.contains(0) } } else { false }
    }
}

/// What a field is compared with.
package enum SearchValue: Hashable, Sendable {
    case null
    case truth(Bool)
    /// As it was written: beyond 2^53 a number of double precision is another one.
    case integer(Int64)
    case number(Double)
    case text(String)
    /// A time; in a custom field `{"__type":"Date","iso":…}`, the form that the backends share.
    case time(Timestamp)
    /// An object or a list, equal only to the same one.
    case structure(JSONValue)

    /// What a backend's query names as a field's value.
    ///
    /// - Parameters:
    ///   - value: As it was sent.
    ///   - field: Times of the server's own may be sent as texts.
    ///   - time: Reads a time as the backend writes it.
    package init(_ value: JSONValue, of field: UserField, time: (JSONValue) -> Timestamp?) {
        switch value {
        case .null: self = .null
        case .bool(let truth): self = .truth(truth)
        case .integer(let number): self = .integer(number)
        case .number(let number): self = .number(number)
        case .string(let text):
            let read = [.createdAt, .updatedAt, .changedOrLoggedInAt].contains(field) ? time(value) : nil
            self = read.map { .time($0) } ?? .text(text)
        case .object: self = time(value).map { .time($0) } ?? .structure(value)
        case .array: self = .structure(value)
        }
    }
}

extension SearchValue {
    fileprivate var holdsNull: Bool {
        switch self {
        case .text(let text): text.utf8.contains(0)
        case .structure(let value): value.holdsNull
        case .null, .truth, .integer, .number, .time: false
        }
    }
}

/// What a user must be to be found.
package indirect enum UserCondition: Hashable, Sendable {
    case all([UserCondition])
    case any([UserCondition])
    /// Everybody who is not so, also for want of the field.
    case not(UserCondition)
    /// The field has the value, or is a list with the value in it. `null` is equal to nothing being there.
    case equals(UserField, SearchValue)
    case isOneOf(UserField, [SearchValue])
    /// Compares with a value of the same kind; others do not compare.
    case compares(UserField, Comparison, SearchValue)
    /// There is something other than null.
    case exists(UserField)
    /// The field is a text of a form.
    case matches(UserField, TextPattern)

    package enum Comparison: Hashable, Sendable {
        case less, lessOrEqual, greater, greaterOrEqual
    }

    /// Everything that it asks about.
    var fields: [UserField] {
        switch self {
        case .all(let parts), .any(let parts): parts.flatMap(\.fields)
        case .not(let part): part.fields
        case .equals(let field, _), .isOneOf(let field, _), .compares(let field, _, _), .exists(let field),
            .matches(let field, _):
            [field]
        }
    }

    /// Whether U+0000 stands in it anywhere, which no database looks for and no field holds.
    var holdsNull: Bool {
        switch self {
        case .all(let parts), .any(let parts): parts.contains(where: \.holdsNull)
        case .not(let part): part.holdsNull
        case .equals(let field, let value), .compares(let field, _, let value): field.holdsNull || value.holdsNull
        case .isOneOf(let field, let values): field.holdsNull || values.contains(where: \.holdsNull)
        case .exists(let field): field.holdsNull
        case .matches(let field, let pattern):
            field.holdsNull
                || pattern.pieces.contains { piece in
                    if case .text(let text) = piece { text.utf8.contains(0) } else { false }
                }
        }
    }

    /// How large a question is.
    struct Size: Hashable {
        /// How many comparisons and values it holds.
        var terms = 1
        /// How many conditions stand within each other.
        var depth = 1
        /// What its texts, names and patterns are long, in UTF-8.
        var bytes = 0
        var patternBytes = 0

        /// One more level around.
        fileprivate static func around(_ sizes: [Size]) -> Size {
            var sum = Size()
            for size in sizes {
                sum.terms += size.terms
                sum.depth = max(sum.depth, size.depth + 1)
                sum.bytes += size.bytes
                sum.patternBytes += size.patternBytes
            }
            return sum
        }
    }

    var size: Size {
        switch self {
        case .all(let parts), .any(let parts): .around(parts.map(\.size))
        case .not(let part): .around([part.size])
        case .isOneOf(let field, let values):
            Size(terms: values.count + 1, bytes: field.byteCount + values.reduce(0) { $0 + $1.byteCount })
        case .equals(let field, let value), .compares(let field, _, let value):
            Size(bytes: field.byteCount + value.byteCount)
        case .exists(let field): Size(bytes: field.byteCount)
        // Each piece can cost a walk through the text.
        case .matches(let field, let pattern):
            Size(terms: 1 + pattern.pieces.count, bytes: field.byteCount, patternBytes: pattern.byteCount)
        }
    }
}

extension UserField {
    fileprivate var byteCount: Int {
        if case .custom(let path) = self { path.reduce(0) { $0 + $1.utf8.count } } else { 0 }
    }
}

extension SearchValue {
    fileprivate var byteCount: Int {
        switch self {
        case .null, .truth, .integer, .number, .time: 8
        case .text(let text): text.utf8.count
        case .structure(let value): value.searchedBytes
        }
    }
}

extension JSONValue {
    /// About the length of its text.
    fileprivate var searchedBytes: Int {
        switch self {
        case .null, .bool, .integer, .number: 8
        case .string(let text): text.utf8.count
        case .array(let items): items.reduce(2) { $0 + 1 + $1.searchedBytes }
        case .object(let members): members.reduce(2) { $0 + 2 + $1.key.utf8.count + $1.value.searchedBytes }
        }
    }
}

/// A field to sort by. Numbers stand before texts, and what is not there first.
package struct UserOrder: Hashable, Sendable {
    package var field: UserField
    package var isDescending: Bool

    package init(_ field: UserField, isDescending: Bool = false) {
        self.field = field
        self.isDescending = isDescending
    }
}
