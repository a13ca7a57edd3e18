import Domain
import Foundation
import HTTPTypes
import KiiAPI
import NCMBAPI
import OkaeriWire
import ParseAPI
import Testing

/// How one protocol reads and writes custom fields, and says that a rule is broken.
struct FieldSurface: Sendable, CustomTestStringConvertible {
    /// What a rule can refuse.
    enum Refusal: CaseIterable, Sendable {
        case readOnly, notDeclared, wrongType, required
    }

    let spoken: SpokenProtocol
    /// Makes a user with fields, given as JSON members.
    let register: @Sendable (_ world: ForeignWorld, _ name: String, _ members: String) async throws -> Answer
    /// Writes fields, given as JSON members.
    let write: @Sendable (_ world: ForeignWorld, _ pass: SpokenProtocol.Pass, _ members: String) async throws -> Answer
    /// Everything that the user itself sees.
    let read: @Sendable (_ world: ForeignWorld, _ pass: SpokenProtocol.Pass) async throws -> [String: JSONValue]
    /// Everything that another user sees; `nil` where no user sees another.
    var readOther:
        (@Sendable (_ world: ForeignWorld, _ pass: SpokenProtocol.Pass, _ id: String) async throws -> Answer)?
    /// Status, and what stands in the body.
    let words: @Sendable (Refusal) -> (status: Int, text: String)

    var testDescription: String { spoken.name }

    static let password = "correct horse 7 staple"
    static let all: [FieldSurface] = [.native, .ncmb, .kii, .parse]

    /// A user who is logged in here.
    func person(_ world: ForeignWorld, _ name: String, _ members: String = "") async throws -> SpokenProtocol.Pass {
        let made = try await register(world, name, members)
        try #require([200, 201].contains(made.status), "\(made.text)")
        return try #require(try await spoken.logIn(world, name, Self.password))
    }

    /// Expects a refusal in the protocol's own words, which name the field.
    func expect(_ answer: Answer, _ refusal: Refusal, _ field: String) {
        let words = words(refusal)
        #expect(answer.status == words.status, "\(spoken.name) \(refusal): \(answer.text)")
        #expect(answer.text.contains(words.text), "\(spoken.name) \(refusal): \(answer.text)")
        #expect(answer.text.contains(field), "\(spoken.name) \(refusal): \(answer.text)")
    }

    static let native = FieldSurface(
        spoken: .native,
        register: { world, name, members in
            try await world.native(
                "POST", "/v1/sign-up",
                #"{"username":"\#(name)","password":"\#(password)","fields":{\#(members)}}"#)
        },
        write: { world, pass, members in
            try await world.native("PATCH", "/v1/user", #"{"fields":{\#(members)}}"#, token: pass.token)
        },
        read: { world, pass in
            guard
                case .object(let fields)? = try await world.native("GET", "/v1/user", token: pass.token)
                    .json()["fields"]
            else { return [:] }
            return fields
        },
        words: { refusal in
            switch refusal {
            case .readOnly: (400, "read_only")
            case .notDeclared: (400, "not_declared")
            case .wrongType: (400, "wrong_type")
            case .required: (400, "required")
            }
        })

    static let ncmb = FieldSurface(
        spoken: .ncmb,
        register: { world, name, members in
            try await world.ncmb("POST", "/users", body("userName", name, members))
        },
        write: { world, pass, members in
            try await world.ncmb("PUT", "/users/\(pass.id)", "{\(members)}", token: pass.token)
        },
        read: { world, pass in try await world.ncmb("GET", "/users/\(pass.id)", token: pass.token).json() },
        readOther: { world, pass, id in try await world.ncmb("GET", "/users/\(id)", token: pass.token) },
        words: { refusal in
            switch refusal {
            case .readOnly, .notDeclared: (403, "E403005")
            case .wrongType: (400, "E400002")
            case .required: (400, "E400003")
            }
        })

    static let kii = FieldSurface(
        spoken: .kii,
        register: { world, name, members in
            try await world.kii("POST", "/users", body("loginName", name, members))
        },
        write: { world, pass, members in
            // All fields as they are, as the SDKs send them, with some changed.
            let known = try await world.kii("GET", "/users/me", token: pass.token).json()
            let changes = try JSONValue(parsing: Array("{\(members)}".utf8))
            guard case .object(let changed) = changes else { return try await world.kii("GET", "/users/me") }
            let sent = known.merging(changed) { $1 }.filter { $0.value != .null }
            let text = String(decoding: try JSONEncoder().encode(sent), as: UTF8.self)
            return try await world.kii("POST", "/users/me", text, token: pass.token)
        },
        read: { world, pass in try await world.kii("GET", "/users/me", token: pass.token).json() },
        readOther: { world, pass, id in try await world.kii("GET", "/users/\(id)", token: pass.token) },
        words: { _ in (400, "INVALID_INPUT_DATA") })

    static let parse = FieldSurface(
        spoken: .parse,
        register: { world, name, members in
            try await world.parse("POST", "/users", body("username", name, members))
        },
        write: { world, pass, members in
            try await world.parse(
                "PUT", "/users/\(pass.id)", "{\(members.replacing(":null", with: #":{"__op":"Delete"}"#))}",
                token: pass.token)
        },
        read: { world, pass in try await world.parse("GET", "/users/me", token: pass.token).json() },
        readOther: { world, pass, id in try await world.parse("GET", "/users/\(id)", token: pass.token) },
        words: { refusal in
            switch refusal {
            case .readOnly, .notDeclared: (400, #""code":119"#)
            case .wrongType: (400, #""code":111"#)
            case .required: (400, #""code":142"#)
            }
        })

    private static func body(_ member: String, _ name: String, _ members: String) -> String {
        #"{"\#(member)":"\#(name)","password":"\#(password)"\#(members.isEmpty ? "" : ",")\#(members)}"#
    }
}

extension ForeignWorld {
    /// A server whose application has rules, and lets users see each other where a protocol does.
    init(_ rules: [FieldRule], isClosed: Bool = false) async throws {
        let open = ForeignOptions(isReadableByAll: true)
        var settings = ApplicationSettings(fieldRules: FieldRules(rules, isClosed: isClosed))
        settings.foreignOptions = [.ncmb: open, .parse: open, .kii: open]
        try await self.init(settings)
    }

    /// What is stored of somebody.
    func stored(_ name: String) async throws -> [String: JSONValue] {
        let users = try await modules.directory.listUsers(in: application.id, filter: .init(identifier: name))
        return try #require(users.first).fields
    }
}
