import Domain
import HTTPTypes
import OkaeriWire
import Testing

@testable import NativeAPI

/// A `POST` that was repeated after a lost answer made two.
@Suite("What has a secret that is shown once")
struct AdminAttemptTests {
    /// What is made over the admin API.
    struct Creation: Sendable, CustomTestStringConvertible {
        /// The member of the list that has it.
        let list: String
        let body: String
        let other: String
        /// A body that is refused.
        let wrong: String

        var testDescription: String { list }

        func path(in world: AdminWorld) -> String { list == "endpoints" ? world.path("/event-endpoints") : list }
    }

    private static let creations = [
        Creation(
            list: "keys", body: #"{"name": "CI", "scopes": ["users:read"], "days": 9}"#,
            other: #"{"name": "Other", "scopes": ["users:read"], "days": 9}"#,
            wrong: #"{"name": "CI", "scopes": [], "days": 9}"#),
        Creation(
            list: "applications", body: #"{"name": "Star"}"#, other: #"{"name": "Moon"}"#, wrong: #"{"name": ""}"#),
        Creation(
            list: "endpoints", body: #"{"url": "https://app.example.com/a"}"#,
            other: #"{"url": "https://app.example.com/b"}"#, wrong: #"{"url": "https://127.0.0.1/"}"#),
    ]

    @Test("is made once under the name of an attempt, and as often as it is asked for without", arguments: creations)
    func once(creation: Creation) async throws {
        let world = try await AdminWorld(roles: [])
        let path = creation.path(in: world)
        func make(_ body: String, _ attempt: String?) async throws -> Answer {
            // The entry of a new application is in its own audit log.
            try await world.send(
                "owner", .post, path, attempt.map { [("Idempotency-Key", $0)] } ?? [], body: body,
                changes: path != "applications")
        }
        func count() async throws -> Int? { try await world.send("owner", .get, path).json[creation.list]?.list.count }
        let before = try #require(try await count())
        // What is refused by what it asks leaves the name free.
        let refused = try await make(creation.wrong, "first")
        #expect((400..<500).contains(refused.status), "\(refused.text)")
        #expect(try await make(creation.body, "first").status == 201)
        for body in [creation.body, creation.other] {
            expect(try await make(body, "first"), 409, .idempotencyKeyReused)
        }
        #expect(try await count() == before + 1)
        #expect(try await make(creation.body, "second").status == 201)
        #expect(try await make(creation.body, nil).status == 201)
        #expect(try await make(creation.body, nil).status == 201)
        #expect(try await count() == before + 4)
        #expect(try await make(creation.body, String(repeating: "a", count: 256)).status == 400)
    }
}
