import Domain
import HTTPTypes
import OkaeriWire
import Testing

@testable import NativeAPI

@Suite("Old services over the admin API")
struct AdminOldServiceTests {
    private func version(_ world: AdminWorld) async throws -> [(String, String)] {
        try await world.version(of: world.path("/old-services"))
    }

    @Test("are set, changed and removed by the version that the caller has seen, each in the audit log")
    func life() async throws {
        let world = try await AdminWorld(roles: [])
        let path = world.path("/old-services")
        #expect(try await world.send("owner", .get, path).json["services"] == [])
        let supabase = #"{"issuer": "https://abc.supabase.co/auth/v1"}"#
        let first = try await version(world)
        let set = try await world.send("owner", .put, "\(path)/supabase", first, body: supabase)
        #expect(set.status == 200, "\(set.text)")
        #expect(try set.json["services"]?.list.first?["hasSecret"] == false)
        // Somebody else has changed the settings meanwhile.
        expect(try await world.send("owner", .put, "\(path)/supabase", first, body: supabase), 412, .changedMeanwhile)
        expect(try await world.send("owner", .delete, "\(path)/supabase", first), 412, .changedMeanwhile)
        expect(try await world.send("owner", .put, "\(path)/supabase", body: supabase), 428, .versionRequired)
        let secret = "0123456789abcdef0123456789abcdef"
        let changed = try await world.send(
            "owner", .put, "\(path)/supabase", try await version(world),
            body: #"{"issuer": "https://abc.supabase.co/auth/v1", "secret": "\#(secret)"}"#)
        #expect(try changed.status == 200 && changed.json["services"]?.list.first?["hasSecret"] == true)
        #expect(!changed.text.contains(secret))
        // What is not given stays.
        let kept = try await world.send(
            "owner", .put, "\(path)/supabase", try await version(world), body: supabase, changes: false)
        #expect(try kept.json["services"]?.list.first?["hasSecret"] == true)
        #expect(try await world.send("owner", .delete, "\(path)/supabase", try await version(world)).status == 204)
        expect(
            try await world.send("owner", .delete, "\(path)/supabase", try await version(world)), 404, .notFound)
        let entries = try await world.server.modules.administration.audit.list(
            in: world.server.application.id, limit: 100
        ).filter { $0.details["oldService"] == "supabase" }
        #expect(
            entries.map { $0.details["change"] ?? "" }.sorted() == ["changed", "created", "removed"])
    }

    @Test(
        "are refused with the name of what is wrong",
        arguments: [
            ("firebase", "{}", "audiences"), ("firebase", #"{"audiences": ["a", "b"]}"#, "audiences"),
            ("firebase", #"{"audiences": ["My Game"]}"#, "audiences"),
            ("firebase", #"{"audiences": ["g"], "issuer": "https://a.example.com"}"#, "issuer"),
            ("firebase", #"{"audiences": ["g"], "secret": "0123456789abcdef0123456789abcdef"}"#, "secret"),
            ("supabase", "{}", "issuer"), ("supabase", #"{"issuer": "http://abc.supabase.co/auth/v1"}"#, "issuer"),
            ("supabase", #"{"issuer": "https://abc.supabase.co/auth/v1/"}"#, "issuer"),
            ("supabase", #"{"issuer": "https://127.0.0.1/auth/v1"}"#, "issuer"),
            ("supabase", #"{"issuer": "https://169.254.169.254/auth/v1"}"#, "issuer"),
            ("supabase", #"{"issuer": "https://abc.supabase.co/auth/v1", "secret": "short"}"#, "secret"),
            ("supabase", #"{"issuer": "https://abc.supabase.co/auth/v1", "audiences": ["a"]}"#, "audiences"),
            ("cognito", #"{"issuer": "https://cognito-idp.eu-west-1.amazonaws.com/p"}"#, "audiences"),
            ("cognito", #"{"audiences": ["a"]}"#, "issuer"),
            ("nakama", #"{"audiences": ["a"]}"#, "audiences"),
            ("nakama", #"{"issuer": "https://a.example.com"}"#, "issuer"),
            ("nakama", #"{"secret": "0123456789abcdef0123456789abcdef"}"#, "secret"),
        ])
    func faults(service: String, body: String, field: String) async throws {
        let world = try await AdminWorld(roles: [])
        let answer = try await world.send(
            "owner", .put, world.path("/old-services/\(service)"), try await version(world), body: body)
        #expect(answer.status == 400 && answer.text.contains("\"\(field)\""), "\(answer.text)")
    }

    @Test("are those whose tokens are verified here, and no others")
    func unknown() async throws {
        let world = try await AdminWorld(roles: [])
        expect(
            try await world.send(
                "owner", .put, world.path("/old-services/parse"), try await version(world), body: "{}"), 404, .notFound)
    }
}
