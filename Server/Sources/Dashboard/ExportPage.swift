import Domain
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import enum OkaeriWire.JSONValue
import PageSupport

/// `/dashboard/app/ID/export`: the users of a list as a file, written as they are read: memory stays flat.
struct ExportPage: DashboardPage {
    let permission: AdminPermission? = .readPersonalData

    func respond(to visit: DashboardVisit) async throws -> Response {
        let application = try visit.place()
        let who = try visit.acting(.readUsers)
        let filter = UserQuery.filter(visit.visit.query)
        let isCSV = visit.visit.query.text("form") != "json"
        try await visit.useCases.recordReading(of: nil, in: application.id, by: who)
        let browse = visit.rules.browseUsers
        let headers: HTTPFields = [
            .contentType: isCSV ? "text/csv; charset=utf-8" : "application/x-ndjson",
            .contentDisposition: "attachment; filename=\"users.\(isCSV ? "csv" : "jsonl")\"",
        ]
        let body = ResponseBody { writer in
            if isCSV { try await writer.write(ByteBuffer(string: "\u{FEFF}" + CSVLine.heading)) }
            var place: UserPlace?
            repeat {
                let page = try await browse(in: application.id, filter, from: place, limit: 500)
                let lines = page.users.map { isCSV ? CSVLine.line(of: $0) : Self.line(of: $0) }
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
            "createdAt": .string(user.createdAt.wire), "isDisabled": .bool(user.isDisabled),
        ]
        let texts = [
            "username": user.username, "email": user.email, "phone": user.phone, "displayName": user.displayName,
            "locale": user.locale, "lastLogInAt": user.lastLogInAt?.wire,
        ]
        for (name, text) in texts { members[name] = text.map { .string($0) } }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // What was read from JSON can be written as JSON.
        return ((try? encoder.encode(members)).map { String(decoding: $0, as: UTF8.self) } ?? "{}") + "\n"
    }
}

/// Users as lines of CSV (RFC 4180). What a spreadsheet would take for a formula is written as text.
enum CSVLine {
    static let heading = "id,kind,username,email,phone,displayName,locale,createdAt,lastLogInAt,isDisabled\r\n"

    static func line(of user: User) -> String {
        let cells = [
            user.id.rawValue, user.isAnonymous ? "anonymous" : "registered", user.username, user.email, user.phone,
            user.displayName, user.locale, user.createdAt.wire, user.lastLogInAt?.wire, String(user.isDisabled),
        ]
        return cells.map { cell($0 ?? "") }.joined(separator: ",") + "\r\n"
    }

    /// A cell: always in quotes, and with an apostrophe in front of what begins a formula.
    static func cell(_ text: String) -> String {
        let isFormula = text.unicodeScalars.first.map { "=+-@\t\r\n＝＋－＠".unicodeScalars.contains($0) } ?? false
        return "\"\(isFormula ? "'" : "")\(text.replacing("\"", with: "\"\""))\""
    }
}
