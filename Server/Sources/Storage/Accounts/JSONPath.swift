import Domain
import struct OkaeriWire.WireTime

/// A path inside a column of JSON, in the words of one engine.
struct JSONPath {
    private let column: String
    /// What PostgreSQL takes for JSON.
    private let parsed: String
    private let path: [String]
    private let dialect: Dialect

    /// `nil` for what cannot be the name of a field: quotes and backslashes are not in any path of SQLite's.
    init?(column: String, _ path: [String], _ dialect: Dialect) {
        guard !path.isEmpty,
            path.allSatisfy({ name in
                !name.isEmpty && name.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x22 && $0 != 0x5c }
            })
        else { return nil }
        self.column = column
        parsed = "CAST(\(column) AS JSONB)"
        self.path = path
        self.dialect = dialect
    }

    /// In an expression that is JSON already; PostgreSQL alone has such.
    init?(parsed: String, _ path: [String], _ dialect: Dialect) {
        guard let base = JSONPath(column: parsed, path, dialect) else { return nil }
        (column, self.path, self.dialect, self.parsed) = (base.column, path, dialect, parsed)
    }

    private enum Kind {
        case text, number, list

        func name(_ dialect: Dialect) -> String {
            switch (self, dialect) {
            case (.text, .sqlite): "= 'text'"
            case (.text, .postgresql): "= 'string'"
            case (.number, .sqlite): "IN ('integer', 'real')"
            case (.number, .postgresql): "= 'number'"
            case (.list, _): "= 'array'"
            }
        }
    }

    /// SQLite: the path as a text. PostgreSQL: the value there.
    private func node(_ query: inout DynamicQuery, _ more: [String] = []) -> String {
        let names = path + more
        switch dialect {
        case .sqlite: return query.bind(text: "$" + names.map { ".\"\($0)\"" }.joined())
        case .postgresql:
            var node = parsed
            for name in names { node += " -> \(query.bind(text: name))" }
            return "(\(node))"
        }
    }

    private func type(_ query: inout DynamicQuery) -> String {
        let node = node(&query)
        return switch dialect {
        case .sqlite: "json_type(\(column), \(node))"
        case .postgresql: "jsonb_typeof(\(node))"
        }
    }

    private func scalar(_ query: inout DynamicQuery, _ more: [String] = []) -> String {
        let node = node(&query, more)
        return switch dialect {
        case .sqlite: "json_extract(\(column), \(node))"
        case .postgresql: "(\(node) #>> '{}')"
        }
    }

    private func text(_ query: inout DynamicQuery, _ more: [String] = []) -> String {
        let scalar = scalar(&query, more)
        return dialect == .sqlite ? scalar : "\(scalar) COLLATE \"C\""
    }

    /// The number there; NULL for everything else.
    private func number(_ query: inout DynamicQuery) -> String {
        let (type, scalar) = (type(&query), scalar(&query))
        return "CASE WHEN \(type) \(Kind.number.name(dialect)) THEN CAST(\(scalar) AS DOUBLE PRECISION) END"
    }

    /// The text there, or the time of a date; NULL for everything else.
    private func textOrTime(_ query: inout DynamicQuery) -> String {
        let (type, plain, time) = (type(&query), text(&query), text(&query, ["iso"]))
        return "CASE WHEN \(type) \(Kind.text.name(dialect)) THEN \(plain) ELSE \(time) END"
    }

    /// As many characters of a text as it is sorted by: all keys of a sorted page are in memory.
    static let sortedCharacters = 256

    func sortKeys(_ query: inout DynamicQuery) -> [String] {
        [number(&query), "substr(\(textOrTime(&query)), 1, \(Self.sortedCharacters))"]
    }

    func exists(_ query: inout DynamicQuery) -> String {
        "(\(type(&query)) <> 'null')"
    }

    func isTrue(_ query: inout DynamicQuery) -> String {
        let node = node(&query)
        return switch dialect {
        case .sqlite: "json_type(\(column), \(node)) = 'true'"
        case .postgresql: "\(node) = CAST('true' AS JSONB)"
        }
    }

    /// The value itself, or a list with it.
    func equals(_ value: SearchValue, _ query: inout DynamicQuery) -> String {
        switch value {
        case .null: return "NOT COALESCE(\(exists(&query)), FALSE)"
        case .time(let time):
            let (found, wanted) = (text(&query, ["iso"]), query.bind(text: time.iso))
            return "(\(found) = \(wanted))"
        case .structure(let structure):
            // The form in which fields are stored: members sorted by name, nothing between them.
            guard let text = try? JSONText.encode(structure) else { return "FALSE" }
            let (node, wanted) = (node(&query), query.bind(text: text))
            return switch dialect {
            case .sqlite: "(json_extract(\(column), \(node)) = \(wanted))"
            case .postgresql: "(\(node) = CAST(\(wanted) AS JSONB))"
            }
        case .text, .integer, .number, .truth:
            switch dialect {
            case .sqlite: return equalsInSQLite(value, &query)
            case .postgresql:
                let node = node(&query)
                // A list contains a plain value, and a plain value contains itself; an object contains none.
                return "(\(node) @> to_jsonb(\(Self.plain(value, &query))))"
            }
        }
    }

    private func equalsInSQLite(_ value: SearchValue, _ query: inout DynamicQuery) -> String {
        let (type, node) = (type(&query), node(&query))
        let (kinds, isSame) =
            switch value {
            case .text: ("= 'text'", "= \(Self.plain(value, &query))")
            case .truth(let truth): ("= '\(truth)'", "IS NOT NULL")
            default: ("IN ('integer', 'real')", "= \(Self.plain(value, &query))")
            }
        return """
            ((\(type) \(kinds) AND json_extract(\(column), \(node)) \(isSame)) OR (\(type) = 'array' AND EXISTS \
            (SELECT 1 FROM json_each(\(column), \(node)) AS item WHERE item.type \(kinds) AND item.value \(isSame))))
            """
    }

    /// The value itself is one of several, or a list has one of them. A list is walked through once, and looked up in
    /// what is wanted.
    func isOne(of values: PlainValues, _ query: inout DynamicQuery) -> String {
        switch dialect {
        case .sqlite:
            let (type, node) = (type(&query), node(&query))
            let tests = values.kinds(&query)
            let plain = tests.map { "(\(type) \($0.kind) AND \($0.test("json_extract(\(column), \(node))")))" }
            let listed = tests.map { "(item.type \($0.kind) AND \($0.test("item.value")))" }
            return """
                (\(plain.joined(separator: " OR ")) OR (\(type) = 'array' AND EXISTS (SELECT 1 FROM \
                json_each(\(column), \(node)) AS item WHERE \(listed.joined(separator: " OR ")))))
                """
        case .postgresql:
            guard let list = values.json else { return "FALSE" }
            let node = node(&query)
            // Within COALESCE the wanted values are hashed once; PostgreSQL would go through all of them for each item.
            return """
                EXISTS (SELECT 1 FROM jsonb_array_elements(CASE jsonb_typeof(\(node)) WHEN 'array' THEN \(node) \
                WHEN 'object' THEN CAST('[]' AS JSONB) ELSE jsonb_build_array(\(node)) END) AS item(value) \
                WHERE COALESCE(item.value IN (SELECT wanted.value FROM \
                jsonb_array_elements(CAST(\(query.bind(text: list)) AS JSONB)) AS wanted(value)), FALSE))
                """
        }
    }

    /// There is a list with all of several values.
    func holds(_ values: PlainValues, _ query: inout DynamicQuery) -> String {
        switch dialect {
        case .sqlite:
            let (type, node) = (type(&query), node(&query))
            let counts = values.kinds(&query).map { kind in
                """
                (SELECT COUNT(DISTINCT item.value) FROM json_each(\(column), \(node)) AS item \
                WHERE item.type \(kind.kind) AND \(kind.test("item.value"))) = \(kind.count)
                """
            }
            return "(\(type) = 'array' AND \(counts.joined(separator: " AND ")))"
        case .postgresql:
            guard let list = values.json, values.canBeStored else { return "FALSE" }
            let node = node(&query)
            return "(jsonb_typeof(\(node)) = 'array' AND \(node) @> CAST(\(query.bind(text: list)) AS JSONB))"
        }
    }

    func compared(_ sign: String, _ value: SearchValue, _ query: inout DynamicQuery) -> String {
        switch value {
        case .integer(let wanted): return compared(sign, .number(Double(wanted)), &query)
        case .number(let wanted):
            let (found, wanted) = (number(&query), query.bind(number: wanted))
            return "(\(found) \(sign) \(wanted))"
        case .text(let wanted):
            let (type, found, wanted) = (type(&query), text(&query), query.bind(text: wanted))
            return "(\(type) \(Kind.text.name(dialect)) AND \(found) \(sign) \(wanted))"
        case .time(let time):
            let (found, wanted) = (text(&query, ["iso"]), query.bind(text: time.iso))
            return "(\(found) \(sign) \(wanted))"
        case .null, .truth, .structure: return "FALSE"
        }
    }

    /// A text there of a form.
    func matches(_ pattern: TextPattern, _ query: inout DynamicQuery) -> String {
        let (type, found) = (type(&query), text(&query))
        return "(\(type) \(Kind.text.name(dialect)) AND \(found) \(pattern.test(in: dialect, &query)))"
    }

    private static func plain(_ value: SearchValue, _ query: inout DynamicQuery) -> String {
        switch value {
        case .integer(let number): query.bind(integer: number)
        case .number(let number): query.bind(number: number)
        case .truth(let truth): truth ? "TRUE" : "FALSE"
        case .text(let text): query.bind(text: text)
        case .null, .time, .structure: "NULL"
        }
    }
}

extension Timestamp {
    /// As dates in custom fields are written.
    fileprivate var iso: String { WireTime(millisecondsSince1970: milliseconds).description }
}
