import Domain
import OkaeriWire
import TestWorld
import Testing

@Suite("Addresses that Kii's administrators look after")
struct KiiAdministratorTests {
    private func world() async throws -> ForeignWorld {
        var settings = ApplicationSettings()
        settings.foreignOptions[.kii] = ForeignOptions(demandsVerifiedEmail: true)
        settings.foreignOptions[.kii]?.demandsVerifiedPhone = true
        return try await ForeignWorld(settings, server: ["rate-limits": "off", "dev": "on"])
    }

    private static let addresses = [
        ("email-address", "emailAddress", "one@example.com", "EMAIL"),
        ("phone-number", "phoneNumber", "+819012345678", "PHONE"),
    ]

    @Test("are verified by their word", arguments: addresses)
    func verified(path: String, member: String, address: String, name: String) async throws {
        let world = try await world()
        let (admin, user) = (try await world.administrator(), try await world.kiiUser("one_1"))
        let place = "/users/\(user.id)/\(path)"
        let set = try await world.kii("PUT", place, #"{"\#(member)":"\#(address)","verified":true}"#, token: admin)
        #expect(set.status == 204, "\(set.text)")
        #expect(try await world.kii("GET", place, token: admin).json()["verified"] == .bool(true))
        #expect(!(try await world.kiiToken("\(name):\(address)")).isEmpty)
        // Nothing is left to be shown by a message.
        #expect(try await world.modules.messaging.deliverMail().delivered == 0)
        let taken = try await world.kii("PUT", place, #"{"\#(member)":"\#(address)","verified":false}"#, token: admin)
        #expect(taken.status == 204)
        #expect(try await world.kii("GET", place, token: admin).json()["verified"] == .bool(false))
    }

    @Test("are not verified by the word of the user, nor without a word", arguments: addresses, [true, false])
    func unverified(address: (String, String, String, String), byUser: Bool) async throws {
        let world = try await world()
        let (path, member, text, _) = address
        let (admin, user) = (try await world.administrator(), try await world.kiiUser("one_1"))
        let set = try await world.kii(
            "PUT", "/users/\(user.id)/\(path)", #"{"\#(member)":"\#(text)"\#(byUser ? #","verified":true"# : "")}"#,
            token: byUser ? user.token : admin)
        #expect(set.status == 204, "\(set.text)")
        let read = try await world.kii("GET", "/users/\(user.id)/\(path)", token: admin)
        #expect(try read.json()["verified"] == .bool(false))
    }

    @Test("have a truth for their state, and nothing else")
    func malformed() async throws {
        let world = try await world()
        let (admin, user) = (try await world.administrator(), try await world.kiiUser("one_1"))
        let refused = try await world.kii(
            "PUT", "/users/\(user.id)/email-address", #"{"emailAddress":"one@example.com","verified":"yes"}"#,
            token: admin)
        #expect(refused.status == 400 && refused.code == "INVALID_INPUT_DATA")
    }
}
