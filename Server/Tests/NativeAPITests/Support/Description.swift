import Foundation
import HTTPTypes
import OkaeriWire
import Yams

/// The API's description, `openapi.yaml`, as the judge of answers.
struct Description: Sendable {
    /// The file in the repository.
    static let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../../../openapi.yaml").standardized

    static let ofTheRepository = Result { try Description(yaml: String(contentsOf: file, encoding: .utf8)) }

    private let root: JSONValue

    /// Something that an answer has and the description does not, or the other way round.
    struct Difference: Error, CustomStringConvertible {
        var description: String
    }

    init(yaml: String) throws {
        root = try YAMLDecoder().decode(JSONValue.self, from: yaml)
    }

    /// Holds an answer against the description.
    ///
    /// - Throws: `Difference`.
    func check(_ answer: Answer, method: String, path: String) throws {
        let path = String(path.prefix { $0 != "?" })
        guard let operations = pathItem(path) else {
            guard answer.status == 404 else { throw Difference(description: "\(path) is not described") }
            // Where nothing is, browsers show a page.
            if answer.headers[.contentType]?.hasPrefix("text/html") == true { return }
            return try check(problem: answer)
        }
        if method == "OPTIONS" { return }
        // Outside of `admin-networks` the paths of admins are none, as the description's introduction says, and without
        // their key that of the metrics is none.
        let isHidden = answer.status == 404 && answer.text.contains(#""code":"path_unknown""#)
        if isHidden, path.hasPrefix("/v1/admin/") || path == "/metrics" {
            return try check(problem: answer)
        }
        guard let operation = operations[method == "HEAD" ? "get" : method.lowercased()] else {
            guard answer.status == 405 else { throw Difference(description: "\(method) \(path) is not described") }
            return try check(problem: answer)
        }
        let location = "\(method) \(path) \(answer.status)"
        guard let response = try operation["responses"]?[String(answer.status)].map(resolve) else {
            throw Difference(description: "\(location) is not described: \(answer.text)")
        }
        for (name, header) in response["headers"]?.members ?? [:] where try resolve(header)["required"] == true {
            guard let field = HTTPField.Name(name), let value = answer.headers[field] else {
                throw Difference(description: "\(location) has no header \(name)")
            }
            if let schema = try resolve(header)["schema"] {
                try check(.string(value), schema, at: "\(location) \(name)")
            }
        }
        if method == "HEAD" { return }
        guard let content = response["content"] else {
            if !answer.body.isEmpty { throw Difference(description: "\(location) has a body") }
            return
        }
        guard let mediaType = answer.headers[.contentType], let media = content[mediaType] else {
            throw Difference(
                description: "\(location) has the media type \(answer.headers[.contentType] ?? "none"): \(answer.text)")
        }
        guard let schema = media["schema"], mediaType.hasSuffix("json") else { return }
        try check(try answer.read(JSONValue.self), schema, at: location)
    }

    private func check(problem answer: Answer) throws {
        guard answer.headers[.contentType] == Problem.mediaType else {
            throw Difference(description: "\(answer.status) is no problem document: \(answer.text)")
        }
        try check(
            try answer.read(JSONValue.self), ["$ref": "#/components/schemas/Problem"], at: "\(answer.status)")
    }

    private func pathItem(_ path: String) -> JSONValue? {
        let segments = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        let paths = root["paths"]?.members ?? [:]
        if let exact = paths[path] { return exact }
        let fitting = paths.filter { pattern, _ in
            let parts = pattern.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
            return parts.count == segments.count && zip(parts, segments).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
        }
        // A path that is spelled out goes before one with names (OpenAPI 3.1 §4.8.8).
        return fitting.min { $0.key.count { $0 == "{" } < $1.key.count { $0 == "{" } }?.value
    }

    /// Every `$ref` of the description that leads nowhere.
    func danglingReferences() -> [String] {
        func references(in value: JSONValue) -> [String] {
            switch value {
            case .object(let members):
                if case .string(let reference)? = members["$ref"] { return [reference] }
                return members.values.flatMap(references)
            case .array(let values): return values.flatMap(references)
            default: return []
            }
        }
        return references(in: root).filter { reference in
            // A reference that cannot be resolved is what is looked for.
            (try? resolve(["$ref": .string(reference)])) == nil
        }
    }

    private func resolve(_ value: JSONValue) throws -> JSONValue {
        guard case .string(let reference)? = value["$ref"] else { return value }
        var found = root
        for name in reference.dropFirst(2).split(separator: "/") {
            guard let next = found[String(name)] else { throw Difference(description: "\(reference) leads nowhere") }
            found = next
        }
        return found
    }
}

/// The part of JSON Schema 2020-12 that the description uses.
extension Description {
    func check(_ value: JSONValue, _ schema: JSONValue, at location: String) throws {
        let parts = try flattened(schema)
        for part in parts {
            try checkType(value, part, at: location)
            try checkLimits(value, part, at: location)
        }
        switch value {
        case .object(let members):
            try check(members, parts, at: location)
        case .array(let values):
            guard let items = parts.lazy.compactMap({ $0["items"] }).first else { return }
            for (index, value) in values.enumerated() { try check(value, items, at: "\(location)[\(index)]") }
        default:
            break
        }
    }

    /// The schema without references, taken apart at `allOf`.
    private func flattened(_ schema: JSONValue) throws -> [JSONValue] {
        let schema = try resolve(schema)
        guard case .array(let parts)? = schema["allOf"] else { return [schema] }
        return try [schema] + parts.flatMap(flattened)
    }

    private func checkType(_ value: JSONValue, _ schema: JSONValue, at location: String) throws {
        let types: [JSONValue]
        switch schema["type"] {
        case nil: return
        case .array(let list)?: types = list
        case let one?: types = [one]
        }
        let actual: [JSONValue] =
            switch value {
            case .null: ["null"]
            case .bool: ["boolean"]
            case .integer: ["integer", "number"]
            case .number: ["number"]
            case .string: ["string"]
            case .array: ["array"]
            case .object: ["object"]
            }
        guard types.contains(where: { actual.contains($0) }) else {
            throw Difference(description: "\(location) is \(actual), not \(types)")
        }
    }

    private func checkLimits(_ value: JSONValue, _ schema: JSONValue, at location: String) throws {
        if case .array(let values)? = schema["enum"], !values.contains(value) {
            throw Difference(description: "\(location) is \(value), none of \(values)")
        }
        if case .integer(let minimum)? = schema["minimum"], case .integer(let number) = value, number < minimum {
            throw Difference(description: "\(location) is \(number), less than \(minimum)")
        }
        guard case .string(let text) = value else { return }
        if case .string(let pattern)? = schema["pattern"], try Regex(pattern).firstMatch(in: text) == nil {
            throw Difference(description: "\(location) is \(text), unlike \(pattern)")
        }
        if case .integer(let maximum)? = schema["maxLength"], text.unicodeScalars.count > maximum {
            throw Difference(description: "\(location) is longer than \(maximum)")
        }
        if schema["format"] == "date-time", WireTime(text)?.description != text {
            throw Difference(description: "\(location) is \(text), no time as the API writes it")
        }
    }

    /// Required members are there; no member is undescribed, unless the schema says that any may be.
    private func check(_ members: [String: JSONValue], _ parts: [JSONValue], at location: String) throws {
        let described = parts.reduce(into: [String: [JSONValue]]()) { described, part in
            for (name, schema) in part["properties"]?.members ?? [:] { described[name, default: []].append(schema) }
        }
        for part in parts {
            guard case .array(let names)? = part["required"] else { continue }
            for case .string(let name) in names where members[name] == nil {
                throw Difference(description: "\(location) has no \(name)")
            }
        }
        for (name, value) in members {
            if let schemas = described[name] {
                for schema in schemas { try check(value, schema, at: "\(location).\(name)") }
                continue
            }
            let others = parts.compactMap { $0["additionalProperties"] }.filter { $0 != false }
            guard !others.isEmpty else { throw Difference(description: "\(location).\(name) is not described") }
            for schema in others where schema != true { try check(value, schema, at: "\(location).\(name)") }
        }
    }
}

extension JSONValue {
    var members: [String: JSONValue] {
        guard case .object(let members) = self else { return [:] }
        return members
    }

    subscript(name: String) -> JSONValue? { members[name] }
}
