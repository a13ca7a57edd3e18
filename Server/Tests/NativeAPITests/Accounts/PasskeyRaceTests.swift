import Domain
import Foundation
import HTTPTypes
import OkaeriWire
import TestWorld
import Testing

@Suite("Passkeys that come, go and ask for much at once")
struct PasskeyRaceTests {
    private func statuses(_ sends: [@Sendable () async throws -> Answer]) async throws -> [Int] {
        try await withThrowingTaskGroup(of: Int.self) { group in
            for send in sends { group.addTask { try await send().status } }
            return try await group.reduce(into: []) { $0.append($1) }.sorted()
        }
    }

    private func listed(by person: Person) async throws -> [String] {
        try await person.send(.get, APIPath.passkeys).read(PasskeyListResponse.self).passkeys.map(\.id)
    }

    @Test("are one when the same registration comes eight times at once, and all are answered alike")
    func sameRegistration() async throws {
        let (world, authenticator) = (try await PasskeyWorld(), SoftwareAuthenticator())
        let person = try await world.server.person()
        let body = try await world.registration(authenticator, by: person)
        let answers = try await statuses(
            (0..<8).map { _ in { try await person.send(.post, APIPath.passkeys, body: body) } })
        #expect(answers == [Int](repeating: 201, count: 8))
        #expect(try await listed(by: person) == [authenticator.id])
        let actions = try await world.server.modules.administration.audit.list(in: world.server.application.id)
        #expect(actions.count { $0.action.rawValue == "passkey.added" } == 1)
    }

    @Test("belong to one of two people who register the same credential at once")
    func sameCredential() async throws {
        let world = try await PasskeyWorld()
        for _ in 0..<5 {
            let authenticator = SoftwareAuthenticator()
            let (one, other) = (try await world.server.person(), try await world.server.person())
            let bodies = (
                try await world.registration(authenticator, by: one),
                try await world.registration(authenticator, by: other)
            )
            async let first = one.send(.post, APIPath.passkeys, body: bodies.0)
            async let second = other.send(.post, APIPath.passkeys, body: bodies.1)
            let answers = try await [first, second]
            #expect(answers.map(\.status).sorted() == [201, 409])
            #expect(answers.first { $0.status == 409 }?.code == .identityTaken)
            #expect(try await listed(by: one) + listed(by: other) == [authenticator.id])
        }
    }

    @Test("are twenty at most, also when two registrations come at once and one is left")
    func limit() async throws {
        let world = try await PasskeyWorld()
        let person = try await world.server.person()
        for _ in 0..<Passkey.maximumPerUser - 1 { _ = try await world.add(SoftwareAuthenticator(), to: person) }
        let bodies = [
            try await world.registration(SoftwareAuthenticator(), by: person),
            try await world.registration(SoftwareAuthenticator(), by: person),
        ]
        let answers = try await statuses(
            bodies.map { body in { try await person.send(.post, APIPath.passkeys, body: body) } })
        #expect(answers == [201, 400])
        #expect(try await listed(by: person).count == Passkey.maximumPerUser)
        // Nobody is asked for a touch in vain.
        expect(try await person.send(.post, APIPath.requestPasskey), 400, .invalidMember)
    }

    @Test("leave one of the last two, whichever of two removals at once is first")
    func lastTwo() async throws {
        let (world, first, second) = (try await PasskeyWorld(), SoftwareAuthenticator(), SoftwareAuthenticator())
        let (guest, handle) = try await world.person(first)
        _ = try await world.add(second, to: guest)
        // A log-in that has no device key behind it, and then there is none.
        let logIn = try await world.logIn(try await world.authentication(first, handle))
        let person = Person(server: world.server, device: guest.device, logIn: try logIn.read(LogInResponse.self))
        let keys = try await person.send(.get, APIPath.deviceKeys).read(DeviceKeyListResponse.self).deviceKeys
        for key in keys {
            #expect(try await person.send(.delete, APIPath.deviceKey(key.thumbprint)).status == 204)
        }
        async let one = person.send(.delete, APIPath.passkey(first.id))
        async let other = person.send(.delete, APIPath.passkey(second.id))
        let answers = try await [one, other]
        #expect(answers.map(\.status).sorted() == [204, 409])
        #expect(answers.first { $0.status == 409 }?.code == .lastWayIn)
        #expect(try await listed(by: person).count == 1)
    }

    private static let marks = [UInt8]((0..<4000).flatMap { _ in [0xcc, 0x81, 0xcc, 0x96] as [UInt8] })

    private static func text(_ bytes: [UInt8]) -> String { Domain.Base64URL.text(of: bytes) }

    private static let registrations: [(rule: String?, spoil: @Sendable (inout NewPasskeyBody) -> Void)] = [
        (nil, { $0.credential.response.transports = Array(repeating: "a", count: 60_000) }),
        (nil, { $0.credential.response.transports = [String(repeating: "a", count: 33)] }),
        (nil, { $0.credential.response.transports = ["USB"] }), (nil, { $0.name = String(repeating: "x", count: 101) }),
        (nil, { $0.name = String(repeating: "x", count: 200_000) }),
        (nil, { $0.credential.response.attestationObject = "=" }),
        ("credential_id", { $0.credential.id = String(repeating: "A", count: 500_000) }),
        (
            "client_data_malformed",
            { $0.credential.response.clientDataJSON = text([UInt8](repeating: 0x20, count: 4097)) }
        ),
        (
            "client_data_malformed",
            { $0.credential.response.clientDataJSON = text([UInt8](repeating: 0x5b, count: 4096)) }
        ),
        (
            "attestation_malformed",
            { $0.credential.response.attestationObject = text([UInt8](repeating: 0, count: 400_000)) }
        ),
        (
            "attestation_malformed",
            { $0.credential.response.attestationObject = text([UInt8](repeating: 0x81, count: 16_384)) }
        ),
        (
            "attestation_malformed",
            { $0.credential.response.attestationObject = text([0xbb, 0x7f] + [UInt8](repeating: 0xff, count: 7)) }
        ),
        // A name of sixteen thousand combining marks.
        (
            "attestation_malformed",
            { $0.credential.response.attestationObject = text([0xa1, 0x79, 0x3e, 0x80] + marks + [0]) }
        ),
    ]

    @Test("are refused by name when a registration is huge or promises much, and the challenge is good still")
    func hostileRegistrations() async throws {
        let (world, authenticator) = (try await PasskeyWorld(), SoftwareAuthenticator())
        let person = try await world.server.person()
        let body = try await world.registration(authenticator, by: person)
        let right = try JSONDecoder().decode(NewPasskeyBody.self, from: Data(body.utf8))
        for (number, (rule, spoil)) in Self.registrations.enumerated() {
            var spoilt = right
            spoil(&spoilt)
            let answer = try await person.send(.post, APIPath.passkeys, body: try world.text(spoilt))
            if let rule { try expectRefused(answer, rule) } else { expect(answer, 400, .invalidMember) }
            #expect(try await listed(by: person).isEmpty, "\(number)")
        }
        #expect(try await person.send(.post, APIPath.passkeys, body: body).status == 201)
    }

    private static let assertions: [(rule: String, spoil: @Sendable (inout PasskeyAuthentication) -> Void)] = [
        ("credential_id", { $0.id = String(repeating: "A", count: 1365) }),
        ("credential_id", { $0.id = String(repeating: "A", count: 500_000) }),
        ("user_handle", { $0.response.userHandle = String(repeating: "A", count: 500_000) }),
        ("signature", { $0.response.signature = text([UInt8](repeating: 0, count: 1025)) }),
        ("signature", { $0.response.signature = text([UInt8](repeating: 0, count: 300_000)) }),
        ("authenticator_data_malformed", { $0.response.authenticatorData = text([UInt8](repeating: 0, count: 8193)) }),
        ("authenticator_data_malformed", { $0.response.authenticatorData = text([UInt8](repeating: 0, count: 36)) }),
        ("client_data_malformed", { $0.response.clientDataJSON = text([UInt8](repeating: 0x20, count: 300_000)) }),
    ]

    @Test("are refused by name when an assertion is huge or cut off, and the challenge is good still")
    func hostileAssertions() async throws {
        let (world, authenticator) = (try await PasskeyWorld(), SoftwareAuthenticator())
        let (_, handle) = try await world.person(authenticator)
        let right = try await world.authentication(authenticator, handle)
        for (rule, spoil) in Self.assertions {
            var spoilt = right
            spoil(&spoilt)
            try expectRefused(try await world.logIn(spoilt), rule)
        }
        #expect(try await world.logIn(right).status == 200)
    }
}
