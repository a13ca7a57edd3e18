import Domain
import OkaeriWire
import Testing

@testable import NCMBAPI

/// Members of NCMB's export, by the importer's parts and the API (issue 20).
@Suite("Members of an export")
struct MemberImportTests {
    private func take(
        _ records: [String], into world: NCMBWorld, takesParts: Bool = false, isRehearsal: Bool = false
    ) async throws -> [ImportOutcome] {
        let members = try records.map { text in
            try NCMBExport.member(
                try JSONValue(parsing: Array(text.utf8)), of: world.application.id, knowsDeviceIds: false)
        }
        return try await world.modules.imports.importUsers(
            members, into: world.application.id, of: .ncmb, by: .init(takesParts: takesParts), isRehearsal: isRehearsal)
    }

    private func member(_ id: String, _ rest: String) -> String {
        #"{"objectId":"\#(id)","createDate":"2016-01-02T03:04:05.678Z"\#(rest.isEmpty ? "" : ",")\#(rest)}"#
    }

    private func faults(_ outcome: ImportOutcome?) -> [String] {
        switch outcome {
        case .refused(let faults), .importedInPart(let faults): faults.map(\.field)
        case .imported, .present, nil: []
        }
    }

    /// What one offending part is, and how the report names it.
    private static let parts: [(String, String)] = [
        (#""userName":"TARO""#, "username"), (#""mailAddress":"a@localhost""#, "email"),
        (#""mailAddress":"taro@example.com""#, "email"), (#""acl":7"#, "accessList"), (#""a.b":1"#, "fields.a.b"),
        (#""when":{"__type":"Date","iso":"soon"}"#, "fields.when"), (#""text":"\u0000""#, "fields.text"),
        (#""authData":{"anonymous":{"id":"not a UUID"}}"#, "identities.anonymous"),
        (#""authData":{"line":{"id":"1"}}"#, "identities.line"),
        (#""authData":{"apple":{"id":"1"}}"#, "identities.apple"),
        (#""authData":{"apple":7}"#, "identities.apple"), (#""authData":"{}""#, "identities.authData"),
        (#""authData":[{"apple":{"id":"1"}}]"#, "identities.authData"),
    ]

    @Test("with one offending part are refused by its name, or taken in without it", arguments: parts)
    func part(part: String, field: String) async throws {
        let world = try await NCMBWorld()
        _ = try await take(
            [member("first", #""userName":"taro","mailAddress":"taro@example.com""#)], into: world)
        let way = part.contains("userName") ? #""mailAddress":"hana@example.com""# : #""userName":"hana""#
        let record = member("second", #"\#(part),"score":3,\#(way)"#)
        for isRehearsal in [true, false] {
            let refused = try await take([record], into: world, isRehearsal: isRehearsal).first
            #expect(refused?.isRefusal == true && faults(refused) == [field])
        }
        for isRehearsal in [true, false] {
            let taken = try await take([record], into: world, takesParts: true, isRehearsal: isRehearsal).first
            #expect(taken?.isRefusal == false && faults(taken) == [field])
        }
        let user = try await world.modules.directory.readUser(Identifier(rawValue: "second"), in: world.application.id)
        #expect(user.fields == ["score": .integer(3)])
        #expect(user.username == (part.contains("userName") ? nil : "hana") && user.identities.isEmpty)
        #expect(try await take([record], into: world, takesParts: true) == [.present])
    }

    @Test("to whom nothing would lead are refused all the same, and so are those without a time that can be read")
    func nothingLeft() async throws {
        let world = try await NCMBWorld()
        _ = try await take([member("first", #""userName":"taro""#)], into: world)
        let twin = try await take([member("second", #""userName":"TARO""#)], into: world, takesParts: true)
        #expect(twin == [.refused([ValidationError(field: "username", rule: .notUnique)])])
        let late = #"{"objectId":"third","userName":"late","createDate":"soon"}"#
        #expect(faults(try await take([late], into: world, takesParts: true).first) == ["createDate"])
    }

    @Test(
        "with more than the application's limits are refused, taken within wider limits, or without the largest fields")
    func limits() async throws {
        let save = String(repeating: "x", count: 40_000)
        let record = member("save", #""userName":"taro","save":"\#(save)","score":3"#)
        let many = member(
            "many", #""userName":"hana","# + (0..<150).map { #""f\#($0)":1"# }.joined(separator: ","))
        let long = member("long", #""userName":"\#(String(repeating: "名", count: 300))""#)
        let world = try await NCMBWorld()
        let refused = try await take([record, many, long], into: world)
        #expect(refused.map(faults) == [["fields"], ["fields"], ["username"]])
        let parts = try await take([record, many], into: world, takesParts: true, isRehearsal: true)
        #expect(faults(parts.first) == ["fields.save", "fields"] && faults(parts.last).count == 51)
        try await world.modules.applications.changeFieldRules(of: world.application.id, mayLoosen: true, by: .local) {
            rules in
            rules.limits = ProfileLimits(fields: 200, fieldsBytes: 65_536, userNameCharacters: 300)
        }
        #expect(try await take([record, many, long], into: world) == [.imported, .imported, .imported])
    }

    @Test("go on with fields within wider limits by the API, up to them")
    func wideFields() async throws {
        let world = try await NCMBWorld()
        let save = String(repeating: "x", count: 60_000)
        let body = #"{"userName":"taro","password":"secret-1","save":"\#(save)"}"#
        #expect(try await world.send("POST", "/2013-09-01/users", body: body).code == "E400009")
        try await world.modules.applications.changeFieldRules(of: world.application.id, mayLoosen: true, by: .local) {
            rules in
            rules.limits = ProfileLimits(fields: 120, fieldsBytes: 65_536, userNameCharacters: 400)
        }
        let made = try await world.send("POST", "/2013-09-01/users", body: body)
        #expect(made.status == 201, "\(made.text)")
        let path = "/2013-09-01/users/\(try made.text("objectId"))"
        let token = try made.text("sessionToken")
        let other = #"{"save":"\#(save.replacing("x", with: "y"))"}"#
        #expect(try await world.send("PUT", path, body: other, token: token).status == 200)
        #expect(try await world.send("GET", path, token: token).text.contains("yyyy"))
        let more = #"{"more":"\#(String(repeating: "z", count: 6_000))"}"#
        #expect(try await world.send("PUT", path, body: more, token: token).code == "E400009")
        let name = String(repeating: "n", count: 400)
        for (name, status) in [(name, 200), (name + "n", 400)] {
            let answer = try await world.send("PUT", path, body: #"{"userName":"\#(name)"}"#, token: token)
            #expect(answer.status == status, "\(answer.text)")
        }
        let logIn = try await world.send(
            "POST", "/2013-09-01/login", body: #"{"userName":"\#(name)","password":"secret-1"}"#)
        #expect(logIn.status == 200, "\(logIn.text)")
    }

    @Test(
        "have limits that stay within their own bounds",
        arguments: [
            ProfileLimits(fields: 99), ProfileLimits(fields: 401), ProfileLimits(fieldsBytes: 32_767),
            ProfileLimits(fieldsBytes: .max), ProfileLimits(userNameCharacters: 501),
            ProfileLimits(fields: .min),
        ])
    func bounds(limits: ProfileLimits) async throws {
        let world = try await NCMBWorld()
        await #expect(throws: DomainError.self) {
            try await world.modules.applications.changeFieldRules(of: world.application.id, mayLoosen: true, by: .local)
            {
                $0.limits = limits
            }
        }
        let application = try await world.modules.applications.findApplication(world.application.id)
        #expect(application.settings.fieldRules.limits == .standard)
    }

    @Test("keep the name that NCMB generated, which leaves them anonymous when the whole object is sent back")
    func generatedName() async throws {
        let world = try await NCMBWorld()
        let anonymous = #"{"anonymous":{"id":"A5F0D7B2-97C3-4C68-8E35-0A4D3C1B2F4E"}}"#
        let record = member("old", #""userName":"cmEFG4qlkA","authData":\#(anonymous),"coins":3"#)
        #expect(try await take([record], into: world) == [.imported])
        let logIn = try await world.send("POST", "/2013-09-01/users", body: #"{"authData":\#(anonymous)}"#)
        #expect(try logIn.status == 200 && logIn.text("objectId") == "old")
        #expect(try logIn.text("userName") == "cmEFG4qlkA")
        let token = try logIn.text("sessionToken")
        let read = try await world.send("GET", "/2013-09-01/users/old", token: token)
        #expect(try read.text("userName") == "cmEFG4qlkA")
        #expect(read.text.contains(#""authData":\#(anonymous)"#), "\(read.text)")
        let saved = try await world.send("PUT", "/2013-09-01/users/old", body: read.text, token: token)
        #expect(saved.status == 200, "\(saved.text)")
        let user = try await world.modules.directory.readUser(Identifier(rawValue: "old"), in: world.application.id)
        #expect(user.isAnonymous && user.identities.count == 1)
        // Another name is a choice.
        let named = try await world.send(
            "PUT", "/2013-09-01/users/old", body: #"{"userName":"hana"}"#, token: token)
        #expect(named.status == 200, "\(named.text)")
        #expect(try await world.send("GET", "/2013-09-01/users/old", token: token).text("userName") == "hana")
    }

    @Test("whose names differ in capitals alone are two members, where that is wished, and log in by their own")
    func twins() async throws {
        let world = try await NCMBWorld()
        let (upper, lower) = ("9C1C1B0E-4A4D-4F0B-9A53-0D6C62B1B8F1", "9c1c1b0e-4a4d-4f0b-9a53-0d6c62b1b8f1")
        let mixed = "9c1c1b0e-4A4D-4f0b-9a53-0d6c62b1b8f1"
        let members = try [("first", upper), ("second", lower)].map { id, name in
            try NCMBExport.member(
                try JSONValue(parsing: Array(member(id, #""userName":"\#(name)""#).utf8)), of: world.application.id,
                knowsDeviceIds: true)
        }
        func take(takesTwins: Bool, isRehearsal: Bool) async throws -> [ImportOutcome] {
            try await world.modules.imports.importUsers(
                members, into: world.application.id, of: .ncmb, by: .init(takesTwins: takesTwins),
                isRehearsal: isRehearsal)
        }
        let twin = ImportOutcome.refused([ValidationError(field: "username", rule: .notUnique)])
        #expect(try await take(takesTwins: false, isRehearsal: true) == [.imported, twin])
        #expect(try await take(takesTwins: true, isRehearsal: true) == [.imported, .imported])
        #expect(try await take(takesTwins: true, isRehearsal: false) == [.imported, .imported])
        func logIn(_ name: String, _ password: String) async throws -> Answer {
            try await world.send(
                "POST", "/2013-09-01/login", body: #"{"userName":"\#(name)","password":"\#(password)"}"#)
        }
        #expect(try await logIn(upper, upper).text("objectId") == "first")
        let second = try await logIn(lower, lower)
        #expect(try second.text("objectId") == "second")
        #expect(try await logIn(lower, upper).code == "E401002")
        // In another writing the name leads to who had it first.
        #expect(try await logIn(mixed, upper).text("objectId") == "first")
        for name in [upper, lower, mixed] {
            let body = #"{"userName":"\#(name)","password":"secret-1"}"#
            #expect(try await world.send("POST", "/2013-09-01/users", body: body).code == "E409001")
        }
        let changed = try await world.send(
            "PUT", "/2013-09-01/users/second", body: #"{"mailAddress":"taro@example.com","userName":"\#(lower)"}"#,
            token: try second.text("sessionToken"))
        #expect(changed.status == 200, "\(changed.text)")
        #expect(try await logIn(lower, lower).text("mailAddress") == "taro@example.com")
        // A new name is compared as all are.
        let renamed = try await world.send(
            "PUT", "/2013-09-01/users/second", body: #"{"userName":"\#(mixed)"}"#,
            token: try await logIn(lower, lower).text("sessionToken"))
        #expect(renamed.code == "E409001", "\(renamed.text)")
    }
}
