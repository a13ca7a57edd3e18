package import OkaeriWire

/// The types of users' fields, from the rows of `_SCHEMA`: the database keeps files, coordinates, bytes and times as plain values,
/// which only the schema tells apart.
package struct ParseSchema: Sendable {
    private enum FieldType: Hashable, Sendable {
        case file, geoPoint, bytes, date, polygon
        case pointer(String)
        case relation(String)
    }

    private var types: [String: FieldType] = [:]
    /// Whether there is a row of users, whatever their types.
    package private(set) var namesUsers = false
    /// What stands before the name of a file in its address; `nil` for files without address.
    private let filesURL: String?

    /// - Parameters:
    ///   - rows: Of `mongoexport` (a member for each field), of PostgreSQL (`schema`), or of `GET /schemas` (`fields`).
    ///   - filesURL: Where the files are, with a slash at its end.
    package init(_ rows: [JSONValue], filesURL: String?) {
        self.filesURL = filesURL
        for case .object(let row) in rows where row["_id"] == "_User" || row["className"] == "_User" {
            namesUsers = true
            for (name, value) in Self.fields(of: row) { types[name] = Self.type(value) }
        }
    }

    private static func fields(of row: [String: JSONValue]) -> [String: JSONValue] {
        if case .object(let fields)? = row["fields"] { return fields }
        if case .object(let schema)? = row["schema"], case .object(let fields)? = schema["fields"] { return fields }
        return row
    }

    private static func type(_ value: JSONValue) -> FieldType? {
        var (name, target) = ("", "")
        switch value {
        case .string(let text):
            if text.hasPrefix("*") { return .pointer(String(text.dropFirst())) }
            if text.hasPrefix("relation<"), text.hasSuffix(">") {
                return .relation(String(text.dropFirst("relation<".count).dropLast()))
            }
            name = text
        case .object(let members):
            if case .string(let text)? = members["type"] { name = text }
            if case .string(let text)? = members["targetClass"] { target = text }
        default: return nil
        }
        switch name.lowercased() {
        case "file": return .file
        case "geopoint": return .geoPoint
        case "bytes": return .bytes
        case "date": return .date
        case "polygon": return .polygon
        case "pointer" where !target.isEmpty: return .pointer(target)
        case "relation" where !target.isEmpty: return .relation(target)
        default: return nil
        }
    }

    /// The relations that every user has, for rows hold nothing of them.
    var relations: [String: JSONValue] {
        types.compactMapValues { type in
            guard case .relation(let name) = type else { return nil }
            return .object(["__type": "Relation", "className": .string(name)])
        }
    }

    /// A value as the REST API has it. What is typed already, or of another form, stays.
    func typed(_ value: JSONValue, _ name: String) -> JSONValue {
        if case .object(let members) = value, members["__type"] != nil { return value }
        switch (types[name], value) {
        case (.file?, .string(let file)): return self.file(file)
        case (.geoPoint?, .array(let pair)): return Self.geoPoint(pair) ?? value
        case (.geoPoint?, .string(let text)): return Self.geoPoint(Self.numbers(text)) ?? value
        case (.bytes?, .string(let text)): return .object(["__type": "Bytes", "base64": .string(text)])
        case (.date?, .string): return ParseValue.time(value).map(ParseValue.date) ?? value
        case (.pointer(let target)?, .string(let id)):
            return .object(["__type": "Pointer", "className": .string(target), "objectId": .string(id)])
        case (.polygon?, .object(let members)):
            guard case .array(let rings)? = members["coordinates"], case .array(let points)? = rings.first else {
                return value
            }
            return Self.polygon(
                points.flatMap { point -> [JSONValue] in
                    if case .array(let pair) = point, pair.count == 2 { pair } else { [] }
                })
        case (.polygon?, .string(let text)): return Self.polygon(Self.numbers(text))
        default: return value
        }
    }

    private func file(_ name: String) -> JSONValue {
        var members: [String: JSONValue] = ["__type": "File", "name": .string(name)]
        if let filesURL { members["url"] = .string(filesURL + name) }
        return .object(members)
    }

    /// The databases write the longitude first.
    private static func geoPoint(_ pair: [JSONValue]) -> JSONValue? {
        guard pair.count == 2, pair.allSatisfy(\.isNumber) else { return nil }
        return .object(["__type": "GeoPoint", "latitude": pair[1], "longitude": pair[0]])
    }

    /// Of longitudes and latitudes by turns; the last point may be the first again.
    private static func polygon(_ numbers: [JSONValue]) -> JSONValue {
        var points: [JSONValue] = []
        var rest = numbers[...]
        while rest.count >= 2 {
            let pair = Array(rest.prefix(2))
            rest = rest.dropFirst(2)
            points.append(.array([pair[1], pair[0]]))
        }
        if points.count > 1, points.first == points.last { points.removeLast() }
        return .object(["__type": "Polygon", "coordinates": .array(points)])
    }

    /// The numbers of a text such as `(139.7,35.6)`.
    private static func numbers(_ text: String) -> [JSONValue] {
        text.split { "(), ".contains($0) }.compactMap { Double($0) }.filter(\.isFinite).map { .number($0) }
    }
}

extension JSONValue {
    fileprivate var isNumber: Bool {
        switch self {
        case .integer, .number: true
        default: false
        }
    }
}
