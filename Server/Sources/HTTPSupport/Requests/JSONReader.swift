import Domain
import Foundation
package import Hummingbird
package import NIOCore
package import enum OkaeriWire.JSONSyntaxError
package import enum OkaeriWire.JSONValue

/// Reads JSON bodies strictly: a misspelt or malformed request is refused by name, never guessed at. Of old protocols
/// half an emoji is taken.
package struct JSONReader: Sendable {
    /// How many values a body has. Fields of a user, which have up to 262,144 bytes where an application allows it, hold no
    /// more (decision 0278). Without a bound a mebibyte of names with accents took a third of a second, in which all others
    /// had half a processor less.
    package static let maximumValues = 65_536

    private let readBody: BodyReader

    package init(_ readBody: BodyReader) {
        self.readBody = readBody
    }

    /// The request's body.
    ///
    /// - Parameters:
    ///   - type: What the body is read as.
    ///   - request: The request.
    ///   - context: What travels with it.
    ///   - mediaTypes: What `Content-Type` may be, in lower case.
    /// - Returns: `nil` when there is no body.
    /// - Throws: `RequestError`, and what `Body` itself throws.
    package func callAsFunction<Body: Decodable & Sendable>(
        _ type: Body.Type, of request: Request, _ context: ServerContext, mediaTypes: [String] = ["application/json"]
    ) async throws -> Body? {
        let buffer = try await readBody(request, context)
        guard buffer.readableBytes > 0 else { return nil }
        guard request.hasMediaType(mediaTypes) else {
            throw RequestError.mediaTypeUnsupported(accepted: mediaTypes)
        }
        return try Self.decode(type, from: buffer)
    }

    /// The members of a body that is a JSON object, sent by an SDK of an old protocol; see `value(ofOldSDK:)`.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - context: What travels with it.
    ///   - mediaTypes: What `Content-Type` may be, in lower case; `nil` for whatever it says.
    /// - Returns: `nil` when there is no body.
    /// - Throws: `RequestError`.
    package func members(
        of request: Request, _ context: ServerContext, mediaTypes: [String]? = nil
    ) async throws -> [String: JSONValue]? {
        let buffer = try await readBody(request, context)
        guard buffer.readableBytes > 0 else { return nil }
        if let mediaTypes, !request.hasMediaType(mediaTypes) {
            throw RequestError.mediaTypeUnsupported(accepted: mediaTypes)
        }
        let value: JSONValue
        do {
            value = try Self.value(ofOldSDK: Array(buffer.readableBytesView))
        } catch {
            throw RequestError.bodyMalformed(reason: error.words)
        }
        guard case .object(let members) = value else {
            throw RequestError.bodyMalformed(reason: "A JSON object is expected.")
        }
        return members
    }

    /// JSON of an SDK of an old protocol. Half a surrogate pair counts as U+FFFD, as in Parse Server: apps cut names after
    /// so many UTF-16 units, within an emoji, and the SDKs for JavaScript and Unity escape each unit by itself. A byte order
    /// mark in front, which writers of .NET set by themselves, is no part of it (RFC 8259 §8.1).
    ///
    /// - Parameters:
    ///   - text: The JSON: a body, or the `where` of an address.
    ///   - maximumDepth: How many arrays and objects may stand within each other.
    /// - Returns: what it says.
    /// - Throws: `JSONSyntaxError`.
    package static func value(ofOldSDK text: [UInt8], maximumDepth: Int = 128) throws(JSONSyntaxError) -> JSONValue {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let text = text.starts(with: mark) ? Array(text.dropFirst(mark.count)) : text
        do throws(JSONSyntaxError) {
            return try JSONValue(parsing: text, maximumDepth: maximumDepth, maximumValues: maximumValues)
        } catch {
            guard case .badText = error else { throw error }
            return try JSONValue(
                parsing: withoutHalfPairs(text), maximumDepth: maximumDepth, maximumValues: maximumValues)
        }
    }

    /// JSON whose escaped halves of surrogate pairs are `\ufffd`. A backslash stands in strings alone.
    private static func withoutHalfPairs(_ text: [UInt8]) -> [UInt8] {
        func escapedUnit(at start: Int) -> UInt16? {
            let end = start + 6
            guard end <= text.count, text[start] == UInt8(ascii: "\\"), text[start + 1] == UInt8(ascii: "u") else {
                return nil
            }
            var unit: UInt16 = 0
            for byte in text[start + 2..<end] {
                guard let digit = Hexadecimal.digit(byte) else { return nil }
                unit = unit << 4 | UInt16(truncatingIfNeeded: digit)
            }
            return unit
        }
        var (whole, position) = (text, 0)
        while position < text.count {
            guard text[position] == UInt8(ascii: "\\") else {
                position += 1
                continue
            }
            guard let unit = escapedUnit(at: position) else {
                position += 2
                continue
            }
            let isLead = UTF16.isLeadSurrogate(unit)
            if isLead, let next = escapedUnit(at: position + 6), UTF16.isTrailSurrogate(next) {
                position += 12
                continue
            }
            if isLead || UTF16.isTrailSurrogate(unit) {
                whole.replaceSubrange(position + 2..<position + 6, with: "fffd".utf8)
            }
            position += 6
        }
        return whole
    }

    private static func value(in buffer: ByteBuffer) throws(RequestError) -> JSONValue {
        do {
            return try JSONValue(parsing: Array(buffer.readableBytesView), maximumValues: maximumValues)
        } catch {
            throw .bodyMalformed(reason: error.words)
        }
    }

    /// A value of JSON that came within another one.
    ///
    /// - Throws: `RequestError`, and what `Body` itself throws.
    package static func decode<Body: Decodable>(_ type: Body.Type, from buffer: ByteBuffer) throws -> Body {
        do {
            return try value(in: buffer).decoded(as: type)
        } catch let error as DecodingError {
            throw RequestError(error)
        }
    }
}

extension RequestError {
    /// What a decoder found, without its words: they can repeat what was sent.
    init(_ error: DecodingError) {
        switch error {
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            self = .membersInvalid([MemberFault(path: context.path, rule: .wrongType)])
        case .keyNotFound(let key, let context):
            let name = MemberFault.printable(key.stringValue)
            let path = context.path.isEmpty ? name : "\(context.path).\(name)"
            self = .membersInvalid([MemberFault(path: path, rule: .required)])
        case .dataCorrupted(let context) where context.codingPath.isEmpty:
            self = .bodyMalformed(reason: "The body is not JSON.")
        case .dataCorrupted(let context):
            self = .membersInvalid([MemberFault(path: context.path, rule: .malformed)])
        @unknown default:
            self = .bodyMalformed(reason: "The body cannot be read.")
        }
    }
}

extension JSONSyntaxError {
    /// What is wrong, without repeating what was sent.
    package var words: String {
        switch self {
        case .unexpected(let offset): "The body is not JSON: byte \(offset) is unexpected."
        case .incomplete: "The body is not JSON: it ends in the middle."
        case .badText(let offset): "The body is not JSON: the string that ends at byte \(offset) is not UTF-8."
        case .tooManyMarks(let offset):
            "The string that ends at byte \(offset) has more than 30 combining marks in a row."
        case .duplicateMember: "The body has two members of one name."
        case .numberOutOfRange(let offset): "The body has a number out of range, at byte \(offset)."
        case .tooDeep: "The body has too many arrays and objects within each other."
        case .tooManyValues:
            "The body has more than \(JSONReader.maximumValues) values; as one count four plain ones of a list, "
                + "and four bytes of names that are not ASCII."
        }
    }
}

extension DecodingError.Context {
    /// The context as `user.fields.list.0`.
    fileprivate var path: String {
        MemberFault.printable(
            codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: "."))
    }
}
