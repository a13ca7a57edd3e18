import Domain
import Foundation
import HTTPTypes
import OkaeriWire
import TestWorld
import Testing

@Suite("A passkey by the rules of an application")
struct PasskeyPolicyTests {
    private typealias Rules = @Sendable (inout PasskeyRules) -> Void
    private static let kind = "01020304-0506-0708-090a-0b0c0d0e0f10"
    private static let otherKind = "11020304-0506-0708-090a-0b0c0d0e0f10"

    private func world(_ change: Rules) async throws -> PasskeyWorld {
        var settings = PasskeyWorld.settings
        change(&settings.passkeys)
        return try await PasskeyWorld(settings)
    }

    private static let kinds: [(what: String, change: Rules, isTaken: Bool)] = [
        ("none listed", { _ in }, true),
        ("allowed", { $0.allowedAuthenticators = [otherKind, kind.uppercased()] }, true),
        ("another allowed", { $0.allowedAuthenticators = [otherKind] }, false),
        ("refused", { $0.refusedAuthenticators = [kind] }, false),
        ("another refused", { $0.refusedAuthenticators = [otherKind] }, true),
        ("allowed and refused", { ($0.allowedAuthenticators, $0.refusedAuthenticators) = ([kind], [kind]) }, false),
        (
            "allowed beside a refused one",
            { ($0.allowedAuthenticators, $0.refusedAuthenticators) = ([kind, otherKind], [otherKind]) }, true
        ),
    ]

    @Test("is added by the kinds of authenticators that are allowed and not refused", arguments: kinds.indices)
    func authenticators(index: Int) async throws {
        let (what, change, isTaken) = Self.kinds[index]
        let world = try await world(change)
        var authenticator = SoftwareAuthenticator()
        authenticator.aaguid = Array(1...16)
        let person = try await world.server.person()
        let body = try await world.registration(authenticator, by: person)
        let answer = try await person.send(.post, APIPath.passkeys, body: body)
        if isTaken {
            #expect(try answer.status == 201 && answer.read(PasskeyBody.self).aaguid == Self.kind, "\(what)")
        } else {
            try expectRefused(answer, "authenticator")
            #expect(try answer.read(Problem.self).errors?.first?.field == "credential.response.attestationObject")
        }
    }

    private static let certificate = [UInt8](repeating: 0xab, count: 32)
    private static let origins: [(origin: String, isTaken: Bool)] = [
        ("https://example.test", true), (TestServer.url, true), ("https://shop.example", true),
        ("android:apk-key-hash:\(Domain.Base64URL.text(of: certificate))", true), ("http://example.test", false),
        ("https://other.example.test", false), ("https://id.example.test", false), ("https://example.test:444", false),
        ("https://example.test.shop.example", false), ("https://shop.example.test", false),
        ("android:apk-key-hash:\(Domain.Base64URL.text(of: [UInt8](repeating: 0xac, count: 32)))", false),
    ]

    @Test("is added and used from the domain, the hosted pages, related origins and listed apps alone")
    func allowedOrigins() async throws {
        var settings = PasskeyWorld.settings
        settings.passkeys.domain = "example.test"
        settings.passkeys.origins = ["https://shop.example"]
        settings.passkeys.androidApps = [
            .init(
                packageName: "com.example.app",
                certificates: [Array(repeating: "AB", count: 32).joined(separator: ":")])
        ]
        let world = PasskeyWorld(
            of: try await TestServer(settings: ["public-url": TestServer.url], application: settings))
        let person = try await world.server.person()
        let authenticator = SoftwareAuthenticator()
        let handle = try await person.send(.post, APIPath.requestPasskey).read(PasskeyCreationResponse.self).publicKey
            .user.id
        let body = try await world.registration(authenticator, by: person) {
            ($0.domain, $0.origin) = ("example.test", "https://example.test")
        }
        #expect(try await person.send(.post, APIPath.passkeys, body: body).status == 201)
        for (origin, isTaken) in Self.origins {
            let spoil = { @Sendable (ceremony: inout PasskeyWorld.Ceremony) in
                (ceremony.domain, ceremony.origin) = ("example.test", origin)
            }
            let added = try await person.send(
                .post, APIPath.passkeys, body: try await world.registration(SoftwareAuthenticator(), by: person, spoil))
            let logIn = try await world.logIn(try await world.authentication(authenticator, handle, spoil))
            if isTaken {
                #expect(added.status == 201 && logIn.status == 200, "\(origin): \(added.text) \(logIn.text)")
            } else {
                try expectRefused(added, "origin")
                try expectRefused(logIn, "origin")
            }
        }
    }

    @Test(
        "needs a PIN, a finger or a face where the application says so, which the options ask for",
        arguments: [true, false])
    func userVerification(isRequired: Bool) async throws {
        let (world, authenticator) = (
            try await world { $0.requiresUserVerification = isRequired }, SoftwareAuthenticator()
        )
        let (person, handle) = try await world.person(authenticator)
        let word = isRequired ? "required" : "preferred"
        let creation = try await person.send(.post, APIPath.requestPasskey).read(PasskeyCreationResponse.self)
        #expect(creation.publicKey.authenticatorSelection.userVerification == word)
        let asked = try await world.server.send(.post, APIPath.requestPasskeyLogIn).read(PasskeyRequestResponse.self)
        #expect(asked.publicKey.userVerification == word)
        let touched = try await world.registration(SoftwareAuthenticator(), by: person) { $0.flags = 0x19 }
        let added = try await person.send(.post, APIPath.passkeys, body: touched)
        let logIn = try await world.logIn(try await world.authentication(authenticator, handle) { $0.flags = 0x19 })
        if isRequired {
            try expectRefused(added, "user_verification")
            try expectRefused(logIn, "user_verification")
        } else {
            #expect(added.status == 201 && logIn.status == 200)
        }
    }

    @Test("tells whether it can be backed up, and after each use whether it is")
    func backup() async throws {
        let (world, authenticator) = (try await world { _ in }, SoftwareAuthenticator())
        let person = try await world.server.person()
        let handle = try await person.send(.post, APIPath.requestPasskey).read(PasskeyCreationResponse.self).publicKey
            .user.id
        func backupFlags() async throws -> [Bool]? {
            try await person.send(.get, APIPath.passkeys).read(PasskeyListResponse.self).passkeys.first
                .map { [$0.isBackupEligible, $0.isBackedUp] }
        }
        // Touched, recognised, can be backed up, and is not yet.
        let body = try await world.registration(authenticator, by: person) { $0.flags = 0x0d }
        #expect(try await person.send(.post, APIPath.passkeys, body: body).status == 201)
        #expect(try await backupFlags() == [true, false])
        for (flags, isBackedUp): (UInt8, Bool) in [(0x1d, true), (0x0d, false), (0x1d, true)] {
            let logIn = try await world.logIn(
                try await world.authentication(authenticator, handle) { $0.flags = flags })
            #expect(logIn.status == 200)
            #expect(try await backupFlags() == [true, isBackedUp])
        }
    }
}
