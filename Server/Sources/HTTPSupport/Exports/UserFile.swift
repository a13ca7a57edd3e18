package import Domain
import Foundation
import HTTPTypes
package import Hummingbird
import NIOCore
import OkaeriWire

/// An application's users as a file, written as they are read: memory stays flat, however many they are.
package struct UserFile: Sendable {
    package enum Form: String, CaseIterable, Sendable {
        /// A table for spreadsheets (RFC 4180).
        case csv
        /// One JSON object in each line.
        case json
    }

    package let form: Form
    package let pages: ExportUsers.Pages

    package init(_ form: Form, pages: ExportUsers.Pages) {
        self.form = form
        self.pages = pages
    }

    /// The whole answer.
    package func response() -> Response {
        let (form, pages) = (form, pages)
        let headers: HTTPFields = [
            .contentType: form == .csv ? "text/csv; charset=utf-8" : "application/x-ndjson",
            .contentDisposition: "attachment; filename=\"users.\(form == .csv ? "csv" : "jsonl")\"",
        ]
        let body = ResponseBody { writer in
            // The mark makes spreadsheets read UTF-8.
            if form == .csv { try await writer.write(ByteBuffer(string: "\u{FEFF}" + CSVLine.heading)) }
            var place: UserPlace?
            repeat {
                let page = try await pages(from: place)
                let lines = page.users.map { form == .csv ? CSVLine.line(of: $0) : Self.line(of: $0) }
                if !lines.isEmpty { try await writer.write(ByteBuffer(string: lines.joined())) }
                place = page.next
            } while place != nil
            try await writer.finish(nil)
        }
        return Response(status: .ok, headers: headers, body: body)
    }

    private static func line(of user: User) -> String {
        var members: [String: JSONValue] = [
            "id": .string(user.id.rawValue), "isAnonymous": .bool(user.isAnonymous), "fields": .object(user.fields),
            "createdAt": .string(user.createdAt.wire.description), "isDisabled": .bool(user.isDisabled),
            "emailVerified": .bool(user.emailVerifiedAt != nil),
            "providers": .array(user.providerNames.map { .string($0) }),
        ]
        let texts = [
            "username": user.username, "email": user.email, "phone": user.phone, "displayName": user.displayName,
            "locale": user.locale, "lastLogInAt": user.lastLogInAt?.wire.description,
            "deletionRequestedAt": user.deletionRequestedAt?.wire.description,
        ]
        for (name, text) in texts { members[name] = text.map { .string($0) } }
        return Self.text(of: .object(members)) + "\n"
    }

    fileprivate static func text(of value: JSONValue) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // What was read from JSON can be written as JSON.
        return (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
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

    /// A cell: always in quotes, and with an apostrophe in front of what begins a formula.
    package static func cell(_ text: String) -> String {
        let isFormula = text.unicodeScalars.first.map { "=+-@\t\r\n＝＋－＠".unicodeScalars.contains($0) } ?? false
        return "\"\(isFormula ? "'" : "")\(text.replacing("\"", with: "\"\""))\""
    }
}

extension User {
    fileprivate var providerNames: [String] { Set(identities.map(\.provider.rawValue)).sorted() }
}
