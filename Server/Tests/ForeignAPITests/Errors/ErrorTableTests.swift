@testable import AuthServiceAPI
@testable import Dashboard
import Domain
import Foundation
import HTTPSupport
import HTTPTypes
import Hummingbird
@testable import KiiAPI
@testable import NCMBAPI
@testable import NativeAPI
import NIOCore
import OkaeriWire
@testable import ParseAPI
import Testing
@testable import WebPages

@Suite("An error")
struct ErrorTableTests {
    @Test("looks in every surface as the table says", arguments: ErrorTable.errors)
    func looks(error: DomainError) async throws {
        let row = try #require(try ErrorTable().cells[error.code.rawValue])
        var seen: [String: String] = [:]
        for surface in Surface.allCases { seen[surface.rawValue] = try await surface.word(for: error) }
        #expect(seen == row)
    }

    @Test("has a row for each code that Domain declares")
    func everyCode() throws {
        let table = try ErrorTable()
        #expect(table.surfaces == Surface.allCases.map(\.rawValue))
        #expect(Set(table.cells.keys) == Set(ErrorTable.errors.map(\.code.rawValue)))
        let domain = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Sources/Domain")
        var declared: Set<String> = []
        for file in ["Shared/DomainErrorCodes.swift", "Administration/AdministrationFault.swift"] {
            let text = try String(contentsOf: domain.appendingPathComponent(file), encoding: .utf8)
            declared.formUnion(text.matches(of: /Self\(rawValue: "(\w+)"\)/).map { String($0.1) })
        }
        #expect(declared == Set(table.cells.keys))
    }

    @Test("of a code that no table has is put into words by its kind", arguments: DomainError.Kind.allCases)
    func unknownCode(kind: DomainError.Kind) async throws {
        let error = DomainError(kind, DomainError.Code(rawValue: "fromANewerModule"))
        for surface in Surface.allCases where surface != .dashboard {
            let word = try await surface.word(for: error)
            // AuthService's apps read refusals from responses of status 200.
            #expect(word.hasPrefix("4") || word.hasPrefix("5") || surface == .authService && word.hasPrefix("200"))
            #expect(word.hasPrefix("5") == (kind == .internal || kind == .unavailable), "\(surface): \(word)")
        }
    }

    @Test(
        "says when to ask again, in seconds",
        arguments: [
            (DomainError.rateLimited(retryAfter: .milliseconds(1500)), Surface.apps, "2"),
            (.rateLimited(retryAfter: .zero), Surface.apps, "1"),
            (.busy(retryAfter: .seconds(5)), [.native, .admin, .ncmb, .parse, .kii], "5"),
            (.storageUnavailable, [.native, .admin, .kii], "2"), (.providerUnavailable, [.native, .admin, .kii], "2"),
            (.searchTooSlow, [.kii], "2"), (.credentialRefused, [], ""), (.sessionInvalid, [], ""),
        ])
    func retryAfter(error: DomainError, surfaces: [Surface], seconds: String) throws {
        for surface in Surface.apps {
            let header = try #require(surface.renderer).response(to: error, requestId: "").headers[.retryAfter]
            #expect(header == (surfaces.contains(surface) ? seconds : nil), "\(surface)")
        }
    }

    @Test("of values names what Kii, NCMB and Parse look at first", arguments: ["email", "username", "password"])
    func values(field: String) async throws {
        let error = DomainError.fieldsRefused([ValidationError(field: field, rule: .required)])
        var words: [String?] = []
        for surface in [Surface.ncmb, .parse, .kii, .authService] { words.append(try await surface.word(for: error)) }
        let parse = ["email": "400 204", "username": "400 200", "password": "400 201"][field]
        let kii = field == "password" ? "400 PASSWORD_TOO_SHORT" : "400 INVALID_INPUT_DATA"
        #expect(words == ["400 E400003", parse, kii, "200 valueMissing"])
    }

    @Test("of a proof, a provider's token or a permission says what is wrong with it")
    func details() async throws {
        let native = Surface.native
        #expect(try await native.problem(.proofRefused(.malformed)).detail != nil)
        #expect(try await native.problem(.providerTokenRefused(.signature)).detail != nil)
        let (time, text) = (ErrorTable.time, "2023-11-14T22:13:20.000Z")
        #expect(try await native.problem(.clockSkew(serverTime: time)).serverTime?.description == text)
        #expect(try await native.problem(.userDeleted(erasedAt: time)).erasedAt?.description == text)
        #expect(try await native.problem(.deviceKeyRemoved(ErrorTable.removedKey)).reason == "password_changed")
        #expect(try await native.problem(ErrorTable.mergeOffer).merge?.ticket == "okm_ticket")
        let taken = try await native.problem(.identifiersTaken([.email, .phone])).errors
        #expect(taken?.map(\.field) == ["email", "phone"])
        #expect(
            try await Surface.admin.problem(.administration(.notAllowed(.readUsers))).detail == "Needed: users:read.")
    }

    @Test("of a hook that refuses is never one by which apps log out, and has its message where there is room")
    func hooks() async throws {
        let error = DomainError.hookRefused("By invitation only.")
        var words: [String] = []
        for surface in [Surface.native, .ncmb, .parse, .kii, .authService, .pages] {
            words.append(try await surface.word(for: error))
        }
        #expect(
            words == [
                "403 hook_refused", "403 E403003", "400 141", "409 OPERATION_NOT_ALLOWED", "200 valueRefused",
                "403 hookRefused",
            ])
        #expect(try await Surface.native.problem(error).detail == "By invitation only.")
        #expect(try await Surface.native.word(for: .hookUnavailable) == "503 hook_unavailable")
        #expect("\(error)" == "hookRefused")
    }

    @Test("is written to logs by its code and what belongs to it")
    func description() {
        #expect("\(DomainError.sessionInvalid)" == "sessionInvalid")
        #expect("\(DomainError.rateLimited(retryAfter: .seconds(7)))" == "rateLimited(retryAfter: 7.0 seconds)")
        #expect("\(DomainError.proofRefused(.malformed))" == "proofRefused(Domain.ProofFault.malformed)")
        #expect(!"\(ErrorTable.mergeOffer)".contains("okm_ticket"))
    }

    @Test("is distinguished by its code alone in a pattern")
    func patterns() {
        let error = DomainError.rateLimited(retryAfter: .seconds(7))
        if case .rateLimited = error {} else { Issue.record("A pattern compares codes.") }
        if case .busy = error { Issue.record("The codes differ.") }
        #expect(error != .rateLimited(retryAfter: .seconds(8)))
        #expect(error.code == DomainError.rateLimited(retryAfter: .zero).code)
    }
}

/// What clients and people see errors in; the raw values are the table's columns.
enum Surface: String, CaseIterable {
    case native, admin
    case ncmb = "NCMB"
    case parse = "Parse"
    case kii = "Kii"
    case authService = "AuthService"
    case pages, dashboard

    static let apps: [Surface] = [.native, .admin, .ncmb, .parse, .kii, .authService]

    /// `nil` for pages, whose words are looked up before they are drawn.
    var renderer: (any ErrorRenderer)? {
        switch self {
        case .native: NativeErrors()
        case .admin: AdminErrors()
        case .ncmb: NCMBErrors()
        case .parse: ParseErrors()
        case .kii: KiiErrors()
        case .authService: AuthServiceErrors()
        case .pages, .dashboard: nil
        }
    }

    /// A status and the word for the error.
    func word(for error: DomainError) async throws -> String {
        switch self {
        case .pages: return "\(error.pageWords.status.code) \(error.pageWords.name)"
        case .dashboard: return PageWords(error).map { "\($0.status.code) \($0.text)" } ?? "-"
        default: break
        }
        let response = try #require(renderer).response(to: error, requestId: "")
        let body = try await Self.body(of: response)
        let word: String
        switch self {
        case .kii: word = Self.text(body["errorCode"])
        case .authService: word = Self.textNames[Self.text(body["message"])] ?? "?"
        default: word = Self.text(body["code"])
        }
        return "\(response.status.code) \(word)"
    }

    func problem(_ error: DomainError) async throws -> Problem {
        let response = try #require(renderer).response(to: error, requestId: "")
        return try JSONDecoder().decode(Problem.self, from: try await Self.bytes(of: response))
    }

    private static func bytes(of response: Response) async throws -> Data {
        let collector = BodyCollector()
        try await response.body.write(collector)
        return Data(collector.bytes.readableBytesView)
    }

    private static func body(of response: Response) async throws -> [String: JSONValue] {
        try JSONDecoder().decode([String: JSONValue].self, from: try await bytes(of: response))
    }

    private static func text(_ value: JSONValue?) -> String {
        switch value {
        case .string(let text)?: text
        case .integer(let number)?: "\(number)"
        default: "-"
        }
    }

    private static let textNames: [String: String] = [
        EnvelopeTexts.applicationUnknown: "applicationUnknown", EnvelopeTexts.tokenMissing: "tokenMissing",
        EnvelopeTexts.tokenRefused: "tokenRefused", EnvelopeTexts.disabled: "disabled",
        EnvelopeTexts.signInRefused: "signInRefused", EnvelopeTexts.unreadable: "unreadable",
        EnvelopeTexts.idTaken: "idTaken", EnvelopeTexts.serverFault: "serverFault",
        EnvelopeTexts.tooMany: "tooMany", EnvelopeTexts.valueMissing: "valueMissing",
        EnvelopeTexts.valueRefused: "valueRefused",
    ]
}
