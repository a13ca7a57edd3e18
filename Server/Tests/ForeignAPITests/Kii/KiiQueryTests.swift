import Domain
import OkaeriWire
import Testing

@Suite("Queries for Kii's users")
struct KiiQueryTests {
    private static let type = "application/vnd.kii.UserQueryRequest+json"

    private func world() async throws -> (world: ForeignWorld, token: String) {
        let world = try await ForeignWorld()
        for (level, name) in ["anna", "berta", "clara"].enumerated() {
            let made = try await world.kii(
                "POST", "/users",
                #"{"loginName":"\#(name)","emailAddress":"\#(name)@example.com","phoneNumber":"+8190123456\#(level)0","#
                    + #""displayName":"\#(name.uppercased())","password":"123ABC","country":"JP","#
                    + #""level":\#(level),"rank":"\#(level)"}"#)
            #expect(made.status == 201, "\(made.text)")
        }
        return (world, try await world.administrator())
    }

    private func query(_ clause: String, _ more: String = "") -> String {
        #"{"userQuery":{"clause":\#(clause),"orderBy":"loginName","descending":false}\#(more)}"#
    }

    private func names(_ answer: Answer) throws -> [String] {
        guard case .array(let rows)? = try answer.json()["results"] else { throw Missing(description: answer.text) }
        return rows.compactMap { row in
            guard case .object(let row) = row, case .string(let name)? = row["loginName"] else { return nil }
            return name
        }
    }

    @Test(
        "find them by what they are",
        arguments: [
            (#"{"type":"all"}"#, ["anna", "berta", "clara"]),
            (#"{"type":"eq","field":"emailAddress","value":"Berta@example.com"}"#, ["berta"]),
            (#"{"type":"eq","field":"loginName","value":"anna"}"#, ["anna"]),
            (#"{"type":"eq","field":"phoneNumber","value":"+819012345699"}"#, []),
            (#"{"type":"eq","field":"phoneNumber","value":"+819012345620"}"#, ["clara"]),
            (#"{"type":"eq","field":"displayName","value":"ANNA"}"#, ["anna"]),
            (#"{"type":"prefix","field":"displayName","prefix":"B"}"#, ["berta"]),
            (#"{"type":"in","field":"loginName","values":["anna","clara","nobody"]}"#, ["anna", "clara"]),
            (#"{"type":"range","field":"level","lowerLimit":1}"#, ["berta", "clara"]),
            (#"{"type":"eq","field":"level","value":"1"}"#, ["berta"]),
            (#"{"type":"eq","field":"level","value":"1.0"}"#, ["berta"]),
            (#"{"type":"eq","field":"level","value":"one"}"#, []),
            (#"{"type":"in","field":"level","values":["0",2,"x"]}"#, ["anna", "clara"]),
            (#"{"type":"range","field":"level","lowerLimit":"1","upperLimit":"1e0"}"#, ["berta"]),
            (#"{"type":"range","field":"level","upperLimit":"1","upperIncluded":false}"#, ["anna"]),
            (#"{"type":"eq","field":"rank","value":"2"}"#, ["clara"]),
            (#"{"type":"range","field":"rank","lowerLimit":"1"}"#, ["berta", "clara"]),
            (#"{"type":"eq","field":"loginName","value":"1"}"#, []),
            (#"{"type":"range","field":"level","lowerLimit":0,"lowerIncluded":false,"upperLimit":1}"#, ["berta"]),
            (
                #"{"type":"and","clauses":[{"type":"eq","field":"country","value":"JP"},{"type":"not","clause":{"type":"eq","field":"level","value":0}}]}"#,
                ["berta", "clara"]
            ),
            (
                #"{"type":"or","clauses":[{"type":"hasField","field":"nothing"},{"type":"eq","field":"level","value":2}]}"#,
                ["clara"]
            ),
        ])
    func find(clause: String, expected: [String]) async throws {
        let (world, token) = try await world()
        let answer = try await world.kii("POST", "/users/query", query(clause), token: token, type: Self.type)
        #expect(answer.status == 200, "\(answer.text)")
        #expect(try names(answer) == expected)
    }

    @Test("come in pages")
    func pages() async throws {
        let (world, token) = try await world()
        let all = #"{"type":"all"}"#
        let first = try await world.kii(
            "POST", "/users/query", query(all, #","bestEffortLimit":"2""#), token: token, type: Self.type)
        #expect(try names(first) == ["anna", "berta"])
        let key = try first.text("nextPaginationKey")
        let second = try await world.kii(
            "POST", "/users/query", query(all, #","bestEffortLimit":2,"paginationKey":"\#(key)""#), token: token,
            type: Self.type)
        #expect(try names(second) == ["clara"] && second.json()["nextPaginationKey"] == nil)
    }

    @Test("are for administrators alone")
    func others() async throws {
        let (world, _) = try await world()
        for token in [nil, try await world.pseudoUser().token] {
            let answer = try await world.kii(
                "POST", "/users/query", query(#"{"type":"all"}"#), token: token, type: Self.type)
            #expect(answer.status == 401 && answer.code == "UNAUTHORIZED")
        }
    }

    @Test(
        "of another form are refused",
        arguments: [
            #"{}"#, #"{"userQuery":{"clause":{"type":"wish"}}}"#,
            #"{"userQuery":{"clause":{"type":"eq","field":"a"}}}"#,
            #"{"userQuery":{"clause":{"type":"eq","field":"_hasPassword","value":true}}}"#,
            #"{"userQuery":{"clause":{"type":"eq","field":"password","value":"a"}}}"#,
            #"{"userQuery":{"clause":{"type":"and","clauses":[]}}}"#, #"{"userQuery":{},"bestEffortLimit":0}"#,
            #"{"userQuery":{},"bestEffortLimit":"many"}"#,
            #"{"userQuery":{},"paginationKey":"x"}"#, #"{"userQuery":{},"paginationKey":"9999/9999999"}"#,
            #"{"userQuery":{"clause":{"type":"range","field":"a"}}}"#,
        ])
    func refused(body: String) async throws {
        let (world, token) = try await world()
        let answer = try await world.kii("POST", "/users/query", body, token: token, type: Self.type)
        #expect(answer.status == 400 && answer.code == "INVALID_INPUT_DATA", "\(answer.text)")
    }
}
