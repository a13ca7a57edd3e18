package import Domain

extension SQLTransaction {
    package func search(
        _ search: UserSearch, in application: Identifier<Application>
    ) throws(DomainError) -> UserSearch.Findings {
        var count: Int?
        if search.counts {
            var composer = UserSearchComposer(connection.dialect, search, application)
            let question = composer.count()
            count = try connection.rows(question) { row throws(DomainError) in row.only.count }.first
        }
        guard search.limit > 0 else { return UserSearch.Findings(users: [], count: count) }
        // What has to be sorted is in memory: ids, and not all that users have.
        let found = search.order.isEmpty ? try page(search, application) : try sortedPage(search, application)
        var users = found.map(\.user)
        try attachIdentities(to: &users, in: application, where: search.reader.seesIdentities)
        var findings = UserSearch.Findings(users: users, count: count)
        if !search.probes.isEmpty { findings.probed = found.map(\.probed) }
        return findings
    }

    /// A user of a page, and which of the search's probes hold.
    private typealias Found = (user: User, probed: [Bool])

    private func page(
        _ search: UserSearch, _ application: Identifier<Application>
    ) throws(DomainError) -> [Found] {
        var composer = UserSearchComposer(connection.dialect, search, application)
        return try connection.rows(composer.page(of: UserRow.qualifiedNames)) { row throws(DomainError) -> Found in
            (try UserRow.content(ColumnReader(row)), Self.probed(search, row, behind: UserRow.width))
        }
    }

    private func sortedPage(
        _ search: UserSearch, _ application: Identifier<Application>
    ) throws(DomainError) -> [Found] {
        typealias Position = (id: Identifier<User>, probed: [Bool])
        var composer = UserSearchComposer(connection.dialect, search, application)
        let page = try connection.rows(composer.page(of: ["users.id"])) { row throws(DomainError) -> Position in
            (row.only.id(), Self.probed(search, row, behind: 1))
        }
        guard !page.isEmpty else { return [] }
        let question = UserSearchComposer.users(page.map(\.id), in: application)
        let found = try connection.rows(question) { row throws(DomainError) in
            try UserRow.content(ColumnReader(row))
        }
        let users = Dictionary(found.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        return page.compactMap { position in users[position.id].map { ($0, position.probed) } }
    }

    private static func probed(_ search: UserSearch, _ row: any RowReader, behind width: Int) -> [Bool] {
        search.probes.indices.map { row.integer(width + $0) == 1 }
    }
}

extension UserSearch.Reader {
    fileprivate var isNobody: Bool {
        if case .user(nil, _, _) = self { true } else { false }
    }

    fileprivate func seesIdentities(of user: Identifier<User>) -> Bool {
        switch self {
        case .everything: true
        case .user(let reader, _, _): reader == user
        }
    }
}

/// Turns a search into SQL. Texts of requests are bound, never written into it.
struct UserSearchComposer {
    fileprivate var query = DynamicQuery()
    fileprivate let search: UserSearch
    fileprivate let application: Identifier<Application>
    fileprivate let dialect: Dialect
    /// Whether anything asks for custom fields.
    fileprivate var readsFields = false

    init(_ dialect: Dialect, _ search: UserSearch, _ application: Identifier<Application>) {
        self.dialect = dialect
        self.search = search
        self.application = application
    }

    mutating func count() -> DynamicQuery {
        let filter = filter()
        query.text = "SELECT COUNT(*) FROM \(tables) WHERE \(filter)"
        return query
    }

    /// Columns of the users of a page, and behind them the search's probes.
    mutating func page(of columns: [String]) -> DynamicQuery {
        // SQLite numbers values in the order of the text.
        let probes = search.probes.map { "CAST(CASE WHEN \(composed($0)) THEN 1 ELSE 0 END AS BIGINT)" }
        let filter = filter()
        let order = order()
        let limit = query.bind(integer: Int64(clamping: search.limit))
        let skip = query.bind(integer: Int64(clamping: search.skip))
        query.text = """
            SELECT \((columns + probes).joined(separator: ", "))
            FROM \(tables) WHERE \(filter) ORDER BY \(order) LIMIT \(limit) OFFSET \(skip)
            """
        return query
    }

    /// Users by their ids, in no order.
    static func users(_ ids: [Identifier<User>], in application: Identifier<Application>) -> DynamicQuery {
        var query = DynamicQuery()
        let application = query.bind(text: application.rawValue)
        let list = ids.map { query.bind(text: $0.rawValue) }.joined(separator: ", ")
        query.text = """
            SELECT \(UserRow.qualifiedNames.joined(separator: ", "))
            FROM users WHERE users.application_id = \(application) AND users.id IN (\(list))
            """
        return query
    }

    /// The custom fields of a user are read once, however many conditions ask for them: SQLite sees to that itself.
    private var tables: String {
        guard readsFields, dialect == .postgresql else { return "users" }
        return "users CROSS JOIN LATERAL (SELECT CAST(users.fields AS JSONB) AS fields OFFSET 0) AS document"
    }

    /// A path in the custom fields.
    fileprivate mutating func fields(_ path: [String]) -> JSONPath? {
        readsFields = true
        return dialect == .sqlite
            ? JSONPath(column: "users.fields", path, dialect)
            : JSONPath(parsed: "document.fields", path, dialect)
    }

    private mutating func filter() -> String {
        let application = query.bind(text: application.rawValue)
        var parts = ["users.application_id = \(application)", "users.deletion_requested_at IS NULL"]
        switch search.reader {
        case .everything: break
        case .user(let reader, let seesUnlisted, let seesDisabled):
            parts += visible(to: reader, seesUnlisted: seesUnlisted, seesDisabled: seesDisabled)
        }
        parts.append(composed(search.condition))
        return parts.joined(separator: " AND ")
    }

    /// Who may be seen, as `User.isVisible` says it: by columns for nearly all, and by the list itself for the few that
    /// name the reader.
    private mutating func visible(
        to reader: Identifier<User>?, seesUnlisted: Bool, seesDisabled: Bool
    ) -> [String] {
        var ways = ["users.public_read = 1"]
        var enabled = ["users.disabled_at IS NULL"]
        if seesUnlisted { ways.append("users.public_read IS NULL") }
        if let reader {
            let isReader = "users.id = \(query.bind(text: reader.rawValue))"
            ways.append(isReader)
            enabled.append(isReader)
            let rights = JSONPath(column: "users.access_list", [reader.rawValue, "read"], dialect)
            if let rights { ways.append("(users.public_read = 0 AND \(rights.isTrue(&query)))") }
        }
        return (seesDisabled ? [ways] : [ways, enabled]).map { "(\($0.joined(separator: " OR ")))" }
    }

    private mutating func order() -> String {
        var parts: [String] = []
        for order in search.order {
            let direction = order.isDescending ? "DESC NULLS LAST" : "ASC NULLS FIRST"
            parts += sortKeys(order.field).map { "\($0) \(direction)" }
        }
        parts.append("users.id")
        return parts.joined(separator: ", ")
    }

    private mutating func sortKeys(_ field: UserField) -> [String] {
        switch field {
        // Nobody in particular sees no address, and PostgreSQL sorts by no constant.
        case .email where search.reader.isNobody, .emailVerified where search.reader.isNobody,
            .phone where search.reader.isNobody:
            return []
        case .id: return ["users.id"]
        case .username: return ["users.username"]
        case .email: return [email]
        case .emailVerified: return [verified]
        case .phone: return [phone]
        case .displayName: return ["users.display_name"]
        case .createdAt: return ["users.created_at"]
        case .updatedAt: return ["users.updated_at"]
        case .changedOrLoggedInAt: return [Self.changedOrLoggedIn]
        case .custom(let path):
            guard let path = fields(path) else { return [] }
            return path.sortKeys(&query)
        }
    }
}

extension UserSearchComposer {
    fileprivate mutating func composed(_ condition: UserCondition) -> String {
        switch condition {
        case .all(let parts): return joined(gathered(parts), by: " AND ", none: "TRUE")
        case .any(let parts): return joined(parts.map(Part.condition), by: " OR ", none: "FALSE")
        case .not(let part): return "NOT COALESCE(\(composed(part)), FALSE)"
        case .exists(let field): return exists(field)
        case .equals(let field, let value): return isOne(of: [value], field)
        case .isOneOf(let field, let values): return isOne(of: values, field)
        case .compares(let field, let comparison, let value): return compared(field, comparison.sign, value)
        case .matches(let field, let pattern): return matched(field, pattern)
        }
    }

    private mutating func matched(_ field: UserField, _ pattern: TextPattern) -> String {
        let column: String
        switch field {
        case .id: column = "users.id"
        case .username: column = "users.username"
        case .email: column = email
        case .phone: column = phone
        case .displayName: column = "users.display_name"
        case .emailVerified, .createdAt, .updatedAt, .changedOrLoggedInAt: return "FALSE"
        case .custom(let path):
            return fields(path)?.matches(pattern, &query) ?? "FALSE"
        }
        return "(\(column) \(pattern.test(in: dialect, &query)))"
    }

    private mutating func joined(_ parts: [Part], by word: String, none: String) -> String {
        guard !parts.isEmpty else { return none }
        var texts: [String] = []
        for part in parts {
            switch part {
            case .condition(let condition): texts.append(composed(condition))
            case .holds(let path, let values): texts.append(fields(path)?.holds(values, &query) ?? "FALSE")
            }
        }
        return "(\(texts.joined(separator: word)))"
    }

    /// A part of several conditions.
    private enum Part {
        case condition(UserCondition)
        /// The field is a list with all these values in it.
        case holds([String], PlainValues)
    }

    /// Puts together what one custom field must be equal to: two different values can only be those of a list, and a
    /// list is walked through once for all of them.
    private func gathered(_ parts: [UserCondition]) -> [Part] {
        var wanted: [[String]: PlainValues] = [:]
        for case .equals(.custom(let path), let value) in parts { wanted[path, default: PlainValues()].add(value) }
        var gathered: [Part] = []
        for part in parts {
            guard case .equals(.custom(let path), let value) = part, value.isPlain,
                let values = wanted[path], values.count > 1
            else {
                gathered.append(.condition(part))
                continue
            }
            if values.isFirst(value) { gathered.append(.holds(path, values)) }
        }
        return gathered
    }

    private mutating func exists(_ field: UserField) -> String {
        switch field {
        case .id, .createdAt, .updatedAt, .changedOrLoggedInAt, .emailVerified: return "TRUE"
        case .username: return "(users.username IS NOT NULL)"
        case .email: return "(\(email) IS NOT NULL)"
        case .phone: return "(\(phone) IS NOT NULL)"
        case .displayName: return "(users.display_name IS NOT NULL)"
        case .custom(let path):
            return fields(path)?.exists(&query) ?? "FALSE"
        }
    }

    private mutating func isOne(of values: [SearchValue], _ field: UserField) -> String {
        var ways: [String] = []
        var others = values
        if case .custom(let path) = field, values.count > 1 {
            let plain = PlainValues(values)
            if plain.count > 0 { ways.append(fields(path)?.isOne(of: plain, &query) ?? "FALSE") }
            others = values.filter { !$0.isPlain }
        }
        for value in others { ways.append(equal(field, value)) }
        return ways.isEmpty ? "FALSE" : "(\(ways.joined(separator: " OR ")))"
    }

    private mutating func equal(_ field: UserField, _ value: SearchValue) -> String {
        if value == .null { return "NOT COALESCE(\(exists(field)), FALSE)" }
        switch (field, value) {
        case (.username, .text(let text)): return identified(LogInIdentifier(.username, shown: text))
        case (.email, .text(let text)): return ownIdentified(LogInIdentifier(.email, shown: text))
        case (.phone, .text(let text)): return ownIdentified(LogInIdentifier(.phone, shown: text))
        case (.emailVerified, .truth(let truth)):
            return "(\(verified) \(truth ? "IS NOT NULL" : "IS NULL"))"
        case (.custom(let path), _):
            return fields(path)?.equals(value, &query) ?? "FALSE"
        case (.id, _), (.createdAt, _), (.updatedAt, _), (.changedOrLoggedInAt, _), (.displayName, _):
            return compared(field, "=", value)
        case (.username, _), (.email, _), (.phone, _), (.emailVerified, _): return "FALSE"
        }
    }

    /// By an address of the reader's own, or for an operator of anybody's.
    private mutating func ownIdentified(_ identifier: LogInIdentifier) -> String {
        // Values are numbered in the order in which they stand in the text.
        switch search.reader {
        case .everything: return identified(identifier)
        case .user(nil, _, _): return "FALSE"
        case .user(let reader?, _, _):
            let own = query.bind(text: reader.rawValue)
            return "(users.id = \(own) AND \(identified(identifier)))"
        }
    }

    /// By the index of identifiers, in their folded form.
    private mutating func identified(_ identifier: LogInIdentifier) -> String {
        let values = [application.rawValue, identifier.kind.rawValue, identifier.folded, identifier.exact]
            .map { query.bind(text: $0) }
        return """
            users.id IN (SELECT user_id FROM identifiers WHERE application_id = \(values[0]) \
            AND kind = \(values[1]) AND value IN (\(values[2]), \(values[3])))
            """
    }

    private mutating func compared(_ field: UserField, _ sign: String, _ value: SearchValue) -> String {
        switch (field, value) {
        case (.id, .text(let text)): return "(users.id \(sign) \(query.bind(text: text)))"
        case (.username, .text(let text)): return "(users.username \(sign) \(query.bind(text: text)))"
        case (.email, .text(let text)):
            let email = email
            return "(\(email) \(sign) \(query.bind(text: text)))"
        case (.phone, .text(let text)):
            let phone = phone
            return "(\(phone) \(sign) \(query.bind(text: text)))"
        case (.displayName, .text(let text)): return "(users.display_name \(sign) \(query.bind(text: text)))"
        case (.createdAt, .time(let time)):
            return "(users.created_at \(sign) \(query.bind(integer: time.milliseconds)))"
        case (.updatedAt, .time(let time)):
            return "(users.updated_at \(sign) \(query.bind(integer: time.milliseconds)))"
        case (.changedOrLoggedInAt, .time(let time)):
            return "(\(Self.changedOrLoggedIn) \(sign) \(query.bind(integer: time.milliseconds)))"
        case (.custom(let path), _):
            return fields(path)?.compared(sign, value, &query) ?? "FALSE"
        case (.id, _), (.username, _), (.email, _), (.phone, _), (.displayName, _), (.createdAt, _), (.updatedAt, _),
            (.changedOrLoggedInAt, _), (.emailVerified, _):
            return "FALSE"
        }
    }

    /// Without a log-in the comparison is null, and the last change counts.
    fileprivate static let changedOrLoggedIn = """
        CASE WHEN users.last_log_in_at > users.updated_at THEN users.last_log_in_at ELSE users.updated_at END
        """

    fileprivate var email: String {
        mutating get { own("users.email") }
    }

    fileprivate var phone: String {
        mutating get { own("users.phone") }
    }

    fileprivate var verified: String {
        mutating get { own("users.email_verified_at") }
    }

    /// Of an address the reader learns its own: others' must not be found out by looking for them.
    private mutating func own(_ column: String) -> String {
        switch search.reader {
        case .everything: return column
        case .user(nil, _, _): return "NULL"
        case .user(let reader?, _, _):
            return "CASE WHEN users.id = \(query.bind(text: reader.rawValue)) THEN \(column) END"
        }
    }
}

extension UserCondition.Comparison {
    fileprivate var sign: String {
        switch self {
        case .less: "<"
        case .lessOrEqual: "<="
        case .greater: ">"
        case .greaterOrEqual: ">="
        }
    }
}
