package import Domain
import HTTPTypes
package import Hummingbird
import NIOCore
import OkaeriWire

/// An application's users as a file, written as they are read and no faster than they are taken: memory stays flat,
/// however many they are.
package struct UserFile: Sendable {
    package enum Form: String, CaseIterable, Sendable {
        /// A table for spreadsheets (RFC 4180).
        case csv
        /// One JSON object in each line.
        case json
    }

    /// An export that is not finished. The client sees that its connection ends in the middle.
    package enum Ending: Error {
        /// Whose export it is may not have it any more.
        case notAllowed
        case tookTooLong
    }

    /// The longest that an export takes, for who reads it slowly.
    package static let longestTime: Duration = .seconds(2 * 3600)

    package let form: Form
    package let pages: ExportUsers.Pages
    private let isAllowed: @Sendable () async throws -> Bool
    private let longestTime: Duration

    /// - Parameters:
    ///   - form: How the users are written.
    ///   - pages: The users.
    ///   - longestTime: How long it may take.
    ///   - isAllowed: Whether whose export it is may still have it; asked before each further page.
    package init(
        _ form: Form, pages: ExportUsers.Pages, longestTime: Duration = Self.longestTime,
        isAllowed: @escaping @Sendable () async throws -> Bool
    ) {
        self.form = form
        self.pages = pages
        self.longestTime = longestTime
        self.isAllowed = isAllowed
    }

    /// The whole answer.
    package func response() -> Response {
        let (form, pages, isAllowed, end) = (form, pages, isAllowed, ContinuousClock.now + longestTime)
        let headers: HTTPFields = [
            .contentType: form == .csv ? "text/csv; charset=utf-8" : "application/x-ndjson",
            .contentDisposition: "attachment; filename=\"users.\(form == .csv ? "csv" : "jsonl")\"",
        ]
        let body = ResponseBody { writer in
            var lines = ByteBuffer()
            // The mark makes spreadsheets read UTF-8.
            if form == .csv { lines.writeString("\u{FEFF}" + CSVLine.heading) }
            var cursor: UserCursor?
            repeat {
                let page = try await pages(from: cursor)
                for user in page.users {
                    switch form {
                    case .csv: lines.writeString(CSVLine.line(of: user))
                    case .json:
                        lines.writeImmutableBuffer(try JSONBytes.buffer(of: UserLine(user)))
                        lines.writeInteger(UInt8(ascii: "\n"))
                    }
                    guard lines.readableBytes >= Self.chunkBytes else { continue }
                    // It waits until the reader has taken what went before: nothing is read ahead.
                    try await writer.write(lines)
                    lines = ByteBuffer()
                }
                cursor = page.next
                if cursor != nil {
                    guard ContinuousClock.now < end else { throw Ending.tookTooLong }
                    guard try await isAllowed() else { throw Ending.notAllowed }
                }
            } while cursor != nil
            if lines.readableBytes > 0 { try await writer.write(lines) }
            try await writer.finish(nil)
        }
        return Response(status: .ok, headers: headers, body: body)
    }

    /// What is written at once. Larger pieces would stay in the allocator's hands.
    package static let chunkBytes = 16 * 1024

    fileprivate static func text(of value: JSONValue) -> String {
        // What was read from JSON can be written as JSON.
        (try? JSONBytes.buffer(of: SortedJSON(value: value))).map { String(buffer: $0) } ?? "{}"
    }
}

/// A user as a line of JSON, members in alphabetical order.
private struct UserLine: Encodable {
    let createdAt: WireTime
    let deletionRequestedAt: WireTime?
    let displayName: String?
    let email: String?
    let emailVerified: Bool
    let fields: SortedJSON
    let id: String
    let isAnonymous: Bool
    let isDisabled: Bool
    let lastLogInAt: WireTime?
    let locale: String?
    let phone: String?
    let providers: [String]
    let username: String?

    init(_ user: User) {
        createdAt = user.createdAt.wire
        deletionRequestedAt = user.deletionRequestedAt?.wire
        displayName = user.displayName
        email = user.email
        emailVerified = user.emailVerifiedAt != nil
        fields = SortedJSON(value: .object(user.fields))
        id = user.id.rawValue
        isAnonymous = user.isAnonymous
        isDisabled = user.isDisabled
        lastLogInAt = user.lastLogInAt?.wire
        locale = user.locale
        phone = user.phone
        providers = user.providerNames
        username = user.username
    }
}

/// A value whose members stand in alphabetical order, so that two exports can be compared.
private struct SortedJSON: Encodable {
    let value: JSONValue

    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    func encode(to encoder: any Encoder) throws {
        switch value {
        case .object(let members):
            var container = encoder.container(keyedBy: Name.self)
            for (name, value) in members.sorted(by: { $0.key < $1.key }) {
                try container.encode(SortedJSON(value: value), forKey: Name(stringValue: name))
            }
        case .array(let values):
            var container = encoder.unkeyedContainer()
            for value in values { try container.encode(SortedJSON(value: value)) }
        case .null, .bool, .integer, .number, .string: try value.encode(to: encoder)
        }
    }
}

/// Users as lines of CSV. What a spreadsheet would take for a formula is written as text.
package enum CSVLine {
    static let heading =
        "id,kind,username,email,phone,displayName,locale,createdAt,lastLogInAt,isDisabled,providers,fields\r\n"

    static func line(of user: User) -> String {
        let cells: [String?] = [
            user.id.rawValue, user.isAnonymous ? "anonymous" : "registered", user.username, user.email, user.phone,
            user.displayName, user.locale, user.createdAt.wire.description, user.lastLogInAt?.wire.description,
            String(user.isDisabled), user.providerNames.joined(separator: " "),
            user.fields.isEmpty ? nil : UserFile.text(of: .object(user.fields)),
        ]
        return cells.map { cell($0 ?? "") }.joined(separator: ",") + "\r\n"
    }

    /// A cell: always in quotes, and with an apostrophe in front of what begins a formula, also behind a semicolon, at which
    /// the spreadsheets of many languages begin a cell. By Unicode scalars: a quotation mark that is joined with an accent is
    /// no character of its own, and ends the cell all the same.
    package static func cell(_ text: String) -> String {
        var cell = "\"".unicodeScalars
        var begins = true
        for scalar in text.unicodeScalars {
            if begins, formulas.contains(scalar) { cell.append("'") }
            if scalar == "\"" { cell.append(scalar) }
            cell.append(scalar)
            begins = scalar == ";"
        }
        cell.append("\"")
        return String(cell)
    }

    private static let formulas = Set("=+-@\t\r\n＝＋－＠".unicodeScalars)
}

extension User {
    fileprivate var providerNames: [String] { Set(identities.map(\.provider.rawValue)).sorted() }
}
