import Foundation
import Testing
import enum OkaeriWire.JSONValue

@testable import Domain

/// Values as an earlier version sealed them, for a mail queue, a code or a cookie that outlives an upgrade. Their members
/// keep their names, whatever the types are called.
@Suite("What an earlier version sealed")
struct StoredFormTests {
    private struct Form: Decodable {
        let form: String
        let text: JSONValue
    }

    static let kinds = [
        "mail", "rendered mail", "authorization code", "ticket for the pages", "state at a provider",
    ]

    private static func forms() throws -> [Form] {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Fixtures")
        let bytes = try Data(contentsOf: folder.appendingPathComponent("stored-forms.json"))
        return try JSONDecoder().decode([Form].self, from: bytes)
    }

    /// The value read as a type and written again.
    private func again<Value: Codable>(_ type: Value.Type, _ text: JSONValue) throws -> JSONValue {
        let value = try JSONDecoder().decode(type, from: JSONEncoder().encode(text))
        return try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(value))
    }

    @Test("is read whole, and written with the same names", arguments: kinds)
    func keptNames(kind: String) throws {
        let forms = try Self.forms().filter { $0.form == kind }
        #expect(!forms.isEmpty)
        for form in forms {
            let written =
                switch kind {
                case "mail": try again(MailPayload.self, form.text)
                case "rendered mail": try again(MailMessage.self, form.text)
                case "authorization code": try again(AuthorizationGrant.self, form.text)
                case "ticket for the pages": try again(OneTimeLogInToken.self, form.text)
                default: try again(AuthorizationStateRecord.self, form.text)
                }
            #expect(written == form.text)
        }
    }
}
