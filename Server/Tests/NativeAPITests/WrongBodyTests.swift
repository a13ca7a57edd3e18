import Domain
import Foundation
import HTTPTypes
import OkaeriWire
import Testing

@Suite("Bodies with something wrong")
struct WrongBodyTests {
    @Test(
        "refuses what is no JSON",
        arguments: [
            "{", "}", "{]", "nul", "{\"a\":}", "{'device': 1}", "\u{feff}", "{}{}", "{\"device\": {}} x", "\"", "\\",
            String(repeating: "[", count: 100_000), "{\"device\": {\"name\": \"\u{0}\"}}", "{// comment\n}",
            "{\"device\": {},}", "{\"user\": {\"fields\": {\"n\": 1e999}}}", "{\"device\": {}, \"device\": {}}",
        ])
    func malformed(body: String) async throws {
        let server = try await TestServer()
        expect(try await server.logIn(ProofMaker(), body: body), 400, .malformedBody)
        let person = try await server.person()
        expect(try await person.send(.patch, APIPath.user, body: body), 400, .malformedBody)
        expect(try await person.send(.post, APIPath.token, body: body), 400, .malformedBody)
    }

    @Test(
        "refuses what is no UTF-8",
        arguments: [
            [0xff], [0x7b, 0x22, 0xc3, 0x28, 0x22, 0x3a, 0x31, 0x7d], [0xfe, 0xff, 0, 0x7b, 0, 0x7d],
            [0x7b, 0, 0x7d, 0], [0, 0, 0, 0x7b, 0, 0, 0, 0x7d], [0xed, 0xa0, 0x80], [0x7b, 0x7d, 0],
        ] as [[UInt8]])
    func notUnicode(bytes: [UInt8]) async throws {
        let person = try await TestServer().person()
        expect(try await person.send(.patch, APIPath.user, bytes: bytes), 400, .malformedBody)
    }

    @Test("refuses a body that is JSON but no object", arguments: ["[]", "1", "true", "null", "\"text\""])
    func noObject(body: String) async throws {
        let answer = try await TestServer().logIn(ProofMaker(), body: body)
        expect(answer, 400, .invalidMember)
        #expect(try answer.read(Problem.self).errors?.map(\.field) == [""])
    }

    @Test(
        "names the unknown member by its path",
        arguments: [
            ("{\"colour\": 1}", "colour"), ("{\"device\": {\"colour\": 1}}", "device.colour"),
            ("{\"user\": {\"isAdmin\": true}}", "user.isAdmin"), ("{\"Device\": {}}", "Device"),
        ])
    func unknownMember(body: String, path: String) async throws {
        let answer = try await TestServer().logIn(ProofMaker(), body: body)
        expect(answer, 400, .unknownMember)
        #expect(try answer.read(Problem.self).detail == "Unknown member: \(path).")
    }

    @Test(
        "names the member of a wrong type by its path",
        arguments: [
            ("{\"device\": []}", "device"), ("{\"device\": {\"name\": 1}}", "device.name"),
            ("{\"user\": {\"fields\": \"x\"}}", "user.fields"),
            ("{\"user\": {\"displayName\": {}}}", "user.displayName"),
        ])
    func wrongType(body: String, path: String) async throws {
        let answer = try await TestServer().logIn(ProofMaker(), body: body)
        expect(answer, 400, .invalidMember)
        #expect(try answer.read(Problem.self).errors?.map(\.field) == [path])
    }

    @Test(
        "names each member that breaks a limit, and the limit",
        arguments: [
            (#"{"device": {"name": "\#(String(repeating: "n", count: 201))"}}"#, "device.name", "too_long"),
            (#"{"device": {"model": "a\u0007b"}}"#, "device.model", "control_character"),
            (#"{"device": {"system": "a\u0000b"}}"#, "device.system", "control_character"),
            (#"{"device": {"appVersion": "a\u0085b"}}"#, "device.appVersion", "control_character"),
            (#"{"user": {"displayName": "a\nb"}}"#, "user.displayName", "control_character"),
            (#"{"user": {"displayName": ""}}"#, "user.displayName", "empty"),
            (#"{"user": {"displayName": "\#(String(repeating: "é", count: 201))"}}"#, "user.displayName", "too_long"),
            (#"{"user": {"locale": "日本"}}"#, "user.locale", "not_a_language_tag"),
            (#"{"user": {"locale": "\#(String(repeating: "a", count: 36))"}}"#, "user.locale", "too_long"),
            (#"{"user": {"fields": {"": 1}}}"#, "user.fields.", "empty"),
            (
                #"{"user": {"fields": {"big": "\#(String(repeating: "x", count: 32 * 1024))"}}}"#, "user.fields",
                "too_many_bytes"
            ),
            (
                #"{"user": {"fields": {"deep": \#(String(repeating: "[", count: 17) + String(repeating: "]", count: 17))}}}"#,
                "user.fields.deep", "too_deep"
            ),
            (#"{"user": {"fields": {"nul": "a\u0000"}}}"#, "user.fields.nul", "control_character"),
        ])
    func limits(body: String, path: String, rule: String) async throws {
        let answer = try await TestServer().logIn(ProofMaker(), body: body)
        expect(answer, 400, .invalidMember)
        let errors = try answer.read(Problem.self).errors ?? []
        #expect(errors.map(\.field) == [path] && errors.map(\.code) == [rule], "\(answer.text)")
    }

    @Test("refuses 101 fields")
    func tooManyFields() async throws {
        let fields = (0...100).map { "\"f\($0)\": 1" }.joined(separator: ",")
        let answer = try await TestServer().logIn(ProofMaker(), body: "{\"user\": {\"fields\": {\(fields)}}}")
        expect(answer, 400, .invalidMember)
        #expect(try answer.read(Problem.self).errors?.map(\.code) == ["too_many"])
    }

    @Test("reads 1 MiB and refuses one byte more")
    func tooLarge() async throws {
        let person = try await TestServer().person()
        let space = String(repeating: " ", count: 1024 * 1024 - 2)
        #expect(try await person.send(.patch, APIPath.user, body: "{}" + space).status == 200)
        let answer = try await person.send(.patch, APIPath.user, body: "{}" + space + " ")
        expect(answer, 413, .bodyTooLarge)
        #expect(answer.headers[.connection] == "close")
    }

    @Test(
        "refuses other media types, but only where there is a body",
        arguments: [
            "text/plain", "application/x-www-form-urlencoded", "application/xml", "", "json", "application/json2",
        ])
    func mediaType(type: String) async throws {
        let person = try await TestServer().person()
        let header = [("Content-Type", type)]
        let answer = try await person.send(.patch, APIPath.user, header, body: "{}")
        expect(answer, 415, .unsupportedMediaType)
        expect(try await person.send(.post, APIPath.token, header, body: "{}"), 415, .unsupportedMediaType)
        #expect(try await person.send(.post, APIPath.token, header).status == 200)
    }

    @Test("a merge patch is no log-in")
    func mergePatchElsewhere() async throws {
        let answer = try await TestServer().logIn(
            ProofMaker(), [("Content-Type", "application/merge-patch+json")], body: "{}")
        expect(answer, 415, .unsupportedMediaType)
    }

    @Test("repeats of a hostile name only what can be printed")
    func hostileNames() async throws {
        let name = #"\u001b[2J\u202e"# + String(repeating: "x", count: 5000)
        let answer = try await TestServer().logIn(ProofMaker(), body: #"{"\#(name)": 1}"#)
        expect(answer, 400, .unknownMember)
        let detail = try #require(try answer.read(Problem.self).detail)
        #expect(detail.unicodeScalars.allSatisfy { (0x20..<0x7f).contains($0.value) } && detail.count < 300)
    }
}
