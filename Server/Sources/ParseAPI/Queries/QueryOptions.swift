import Domain
import Foundation
import HTTPSupport
import OkaeriWire

/// The options of a query. Numbers may come as texts, as Apple's SDK sends them.
struct QueryOptions {
    /// Which columns are answered.
    struct Columns {
        private var kept: Set<String>?
        private var left: Set<String> = []
        /// These always come.
        private static let constant: Set<String> = ["objectId", "createdAt", "updatedAt", "ACL", "__type", "className"]

        init(_ keys: String?, _ excluded: String?) {
            kept = keys.map(Self.names)
            left = excluded.map(Self.names) ?? []
        }

        /// Of `prefs.theme` the whole field comes.
        private static func names(_ text: String) -> Set<String> {
            Set(text.pieces(at: ",").map { QueryOptions.trimmed($0.before(".")) })
        }

        func cut(_ members: [String: JSONValue]) -> [String: JSONValue] {
            members.filter { name, _ in
                Self.constant.contains(name) || !left.contains(name) && (kept?.contains(name) ?? true)
            }
        }
    }

    private(set) var condition: JSONValue?
    private(set) var order: String?
    private(set) var limit = Self.standardLimit
    private(set) var skip = 0
    private(set) var counts = false
    /// The pointers to expand, dotted; `*` for all of the first level.
    private(set) var includes: Set<String> = []
    private(set) var columns = Columns(nil, nil)

    private static let standardLimit = 100
    private static let overlooked: Set<String> = [
        "include", "includeAll", "keys", "excludeKeys", "redirectClassNameForKey", "readPreference",
        "includeReadPreference", "subqueryReadPreference", "hint", "comment", "distinct",
    ]
    /// Arrays and objects within each other that are read of a `where`.
    private static let maximumDepth = 24
    /// Names in a list with commas: more than a user has fields. A body holds half a million, which take a quarter of a second.
    private static let maximumNames = 500
    private static let maximumNamesBytes = 65_536

    /// - Throws: 102, 107.
    init(_ call: ParseCall) throws(ParseFault) {
        for (name, value) in call.query.sorted(by: { $0.key < $1.key }) {
            switch name {
            case "where": condition = try Self.condition(value)
            case "order": order = try Self.text(name, value)
            // A negative limit is none of the app's own, as the JavaScript SDK has it.
            case "limit":
                limit = try Self.number(name, value)
                if limit < 0 { limit = Self.standardLimit }
            case "skip":
                skip = try Self.number(name, value)
                guard skip >= 0 else { throw .invalidParameter(name) }
            case "count": counts = ![.null, false, "", "0", "false", .integer(0)].contains(value)
            case "explain": guard call.caller.isMaster else { throw .invalidParameter(name) }
            default: guard Self.overlooked.contains(name) else { throw .invalidParameter(name) }
            }
        }
        if let include = call.query["include"] {
            includes = Set(try Self.text("include", include).pieces(at: ",").map(Self.trimmed))
        }
        if call.query["includeAll"].map({ $0 != "false" && $0 != false }) ?? false { includes.insert("*") }
        columns = Columns(
            try call.query["keys"].map { value throws(ParseFault) in try Self.text("keys", value) },
            try call.query["excludeKeys"].map { value throws(ParseFault) in try Self.text("excludeKeys", value) })
    }

    /// The options of one object, for which nothing else can be asked.
    ///
    /// - Throws: 102.
    init(ofOne call: ParseCall) throws(ParseFault) {
        let known: Set<String> = ["keys", "include", "excludeKeys", "includeAll"]
        guard call.query.keys.allSatisfy(known.contains) else {
            throw ParseFault(102, "Improper encode of parameter")
        }
        try self.init(call)
    }

    /// The `where` of a call.
    static func condition(of call: ParseCall) throws(ParseFault) -> JSONValue? {
        try call.query["where"].flatMap { value throws(ParseFault) in try condition(value) }
    }

    private static func condition(_ value: JSONValue) throws(ParseFault) -> JSONValue? {
        guard let condition = try parsed(value) else { return nil }
        guard !condition.holds(moreThan: UserSearch.maximumValues) else { throw tooLarge }
        guard !condition.hasUnreadableDate(by: ParseValue.time) else { throw .invalidDate("where") }
        return condition
    }

    private static func parsed(_ value: JSONValue) throws(ParseFault) -> JSONValue? {
        guard case .string(let text) = value else { return value }
        guard !text.isEmpty else { return nil }
        do {
            return try JSONReader.value(ofOldSDK: Array(text.utf8), maximumDepth: maximumDepth)
        } catch {
            throw error == .tooDeep ? tooLarge : ParseFault(107, "where is not JSON.")
        }
    }

    private static let tooLarge = ParseFault.invalidQuery("The query is too large: where.")

    /// Names with commas between them, or a list of such: as JSON, or as the JSON text that an address holds.
    ///
    /// - Throws: 102, also for more names than anybody has.
    private static func text(_ name: String, _ value: JSONValue) throws(ParseFault) -> String {
        var text = try joined(name, value)
        if case .string = value, text.hasPrefix("[") || text.hasPrefix("\"") {
            guard text.utf8.count <= maximumNamesBytes,
                let value = try? JSONValue(parsing: Array(text.utf8), maximumDepth: 2)
            else { throw .invalidParameter(name) }
            text = try joined(name, value)
        }
        guard text.utf8.count <= maximumNamesBytes,
            text.utf8.count(where: { $0 == UInt8(ascii: ",") }) < maximumNames
        else { throw .invalidQuery("The query is too large: \(name).") }
        return text
    }

    private static func joined(_ name: String, _ value: JSONValue) throws(ParseFault) -> String {
        switch value {
        case .string(let text): return text
        case .array(let parts):
            var texts: [String] = []
            for part in parts {
                guard case .string(let text) = part else { throw .invalidParameter(name) }
                texts.append(text)
            }
            return texts.joined(separator: ",")
        default: throw .invalidParameter(name)
        }
    }

    static func trimmed(_ name: some StringProtocol) -> String { name.withoutBlanks }

    private static func number(_ name: String, _ value: JSONValue) throws(ParseFault) -> Int {
        let number: Int? =
            switch value {
            case .integer(let number): Int(exactly: number)
            case .number(let number): Int(exactly: number)
            case .string(let text): Int(text, radix: 10)
            default: nil
            }
        guard let number else { throw .invalidParameter(name) }
        return number
    }
}
