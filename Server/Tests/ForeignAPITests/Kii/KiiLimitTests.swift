import AuthServiceAPI
import Domain
import KiiAPI
import OkaeriWire
import Testing

/// Kii's apps count on 150 custom fields in 63 KB (issue 20).
@Suite("How much Kii's users hold")
struct KiiLimitTests {
    private static let limits = ProfileLimits(fields: 150, fieldsBytes: 63 * 1024)

    private func body(fields count: Int, bytes: Int = 1) -> String {
        let fields = (0..<count).map { "\"f\($0)\":\"\(String(repeating: "x", count: bytes / count))\"" }
        return "{\(fields.joined(separator: ","))}"
    }

    private func limits(of application: Domain.Application, at world: ForeignWorld) async throws -> ProfileLimits {
        try await world.modules.applications.findApplication(application.id).settings.fieldRules.limits
    }

    @Test(
        "is what Kii allowed, and no more",
        arguments: [(150, 150, true), (151, 151, false), (100, 62_000, true), (2, 62_000, true), (2, 65_000, false)])
    func bounds(fields: Int, bytes: Int, isTaken: Bool) async throws {
        let world = try await ForeignWorld()
        let user = try await world.pseudoUser()
        let answer = try await world.kii("POST", "/users/me", body(fields: fields, bytes: bytes), token: user.token)
        #expect(answer.status == (isTaken ? 200 : 400), "\(answer.text.prefix(200))")
        if !isTaken { #expect(answer.code == "INVALID_INPUT_DATA") }
        let read = try await world.kii("GET", "/users/me", token: user.token).json()
        #expect(read.keys.filter { $0.hasPrefix("f") }.count == (isTaken ? fields : 0))
    }

    @Test("is taken under names of kana too, where the operator allows more")
    func japaneseNames() async throws {
        let world = try await ForeignWorld()
        try await world.modules.applications.changeFieldRules(
            of: world.application.id, mayLoosen: true, by: .local
        ) { $0.limits = ProfileLimits(fields: 400, fieldsBytes: 262_144) }
        let user = try await world.pseudoUser()
        let names = (0..<2500).map { "\"たいへんよくきく回復薬\($0)\":1" }.joined(separator: ",")
        #expect(names.utf8.count > 100_000)
        let written = try await world.kii("POST", "/users/me", "{\"bag\":{\(names)}}", token: user.token)
        #expect(written.status == 200, "\(written.text.prefix(200))")
    }

    @Test("is changed by Okaeri's own protocol within the same limits")
    func ownProtocol() async throws {
        let world = try await ForeignWorld()
        let user = try await world.kiiUser("mina26", "correct horse 7 staple")
        let written = try await world.kii("POST", "/users/me", body(fields: 149, bytes: 60_000), token: user.token)
        #expect(written.status == 200, "\(written.text.prefix(200))")
        let logIn = try await world.native(
            "POST", "/v1/log-in/password", #"{"identifier":"mina26","password":"correct horse 7 staple"}"#)
        guard case .object(let session)? = try logIn.json()["session"], case .string(let token)? = session["token"]
        else {
            throw Missing(description: logIn.text)
        }
        for (name, status) in [("one", 200), ("two", 400)] {
            let changed = try await world.native("PATCH", "/v1/user", #"{"fields":{"\#(name)":1}}"#, token: token)
            #expect(changed.status == status, "\(changed.text.prefix(200))")
        }
    }

    @Test("stays when all fields are sent anew, where another protocol wrote it under a name unknown to Kii")
    func otherProtocolsFields() async throws {
        let world = try await ForeignWorld()
        let user = try await world.kiiUser("mina26", "correct horse 7 staple")
        let logIn = try await world.native(
            "POST", "/v1/log-in/password", #"{"identifier":"mina26","password":"correct horse 7 staple"}"#)
        guard case .object(let session)? = try logIn.json()["session"], case .string(let token)? = session["token"]
        else {
            throw Missing(description: logIn.text)
        }
        let body = #"{"fields":{"_plan":"gold","errorCode":7,"level":1}}"#
        #expect(try await world.native("PATCH", "/v1/user", body, token: token).status == 200)
        let written = try await world.kii("POST", "/users/me", #"{"score":2}"#, token: user.token)
        #expect(written.status == 200, "\(written.text)")
        let fields = try await world.native("GET", "/v1/user", token: token).json()["fields"]
        #expect(fields == .object(["_plan": "gold", "errorCode": 7, "score": 2]))
    }

    @Test("is the application's from when it switches Kii on, and the operator's to change afterwards")
    func enabled() async throws {
        let world = try await ForeignWorld()
        let applications = world.modules.applications
        let plain = try await applications.createApplication(name: "Plain", by: .local).application
        #expect(try await limits(of: plain, at: world) == .standard)
        _ = try await applications.enableProtocol(.kii, of: plain.id, by: .local)
        #expect(try await limits(of: plain, at: world) == Self.limits)
        // Wider ones stay as they are, and other keys bring back nothing that was taken away.
        for chosen in [ProfileLimits(fields: 400, fieldsBytes: 131_072, userNameCharacters: 300), .standard] {
            try await applications.changeFieldRules(of: plain.id, mayLoosen: true, by: .local) { $0.limits = chosen }
            _ = try await applications.enableProtocol(
                .kii, given: [.appKey: Secret("00112233")], of: plain.id, by: .local)
            #expect(try await limits(of: plain, at: world) == chosen)
        }
        let entries = try await world.modules.administration.audit.list(in: plain.id)
        let first = try #require(entries.first { $0.details["limits"] != nil && $0.details["protocol"] == "kii" })
        #expect(first.details["limits"] == "150 fields, 64512 bytes, 255 characters")
    }

    @Test("is not what applications of other protocols allow")
    func otherProtocols() async throws {
        let world = try await ForeignWorld()
        let other = try await world.modules.applications.createApplication(
            name: "Other", protocols: [.envelope: [.basePath: Secret("/diary")]], by: .local
        ).application
        #expect(try await limits(of: other, at: world) == .standard)
    }
}
