import Foundation
import Okaeri
import TestWorld
import Testing

@_spi(Base64URL) import OkaeriWire

/// The software authenticator as the SDK sees a device.
private actor DevicePasskey: PasskeyAuthenticator {
    private let authenticator = SoftwareAuthenticator()
    private var handle: Data?
    private(set) var forgotten: [Data] = []

    func create(_ request: PasskeyCreation) async throws(OkaeriError) -> CreatedPasskey {
        handle = request.userHandle
        let ceremony = SoftwareAuthenticator.Ceremony(
            "webauthn.create", challenge: Base64URL.text(of: request.challenge))
        guard let made = try? authenticator.create(ceremony) else { throw .cancelled }
        return CreatedPasskey(
            id: Data(authenticator.credentialId), clientDataJSON: Data(made.clientData),
            attestationObject: Data(made.attestationObject), transports: ["internal"])
    }

    func assert(_ request: PasskeyRequest) async throws(OkaeriError) -> PasskeyAssertion {
        let ceremony = SoftwareAuthenticator.Ceremony("webauthn.get", challenge: Base64URL.text(of: request.challenge))
        guard let shown = try? authenticator.get(ceremony), let handle else { throw .cancelled }
        return PasskeyAssertion(
            id: Data(authenticator.credentialId), clientDataJSON: Data(shown.clientData),
            authenticatorData: Data(shown.authenticatorData), signature: Data(shown.signature), userHandle: handle)
    }

    func forget(_ credential: Data, of domain: String) async { forgotten.append(credential) }
}

@Suite("Passkeys by the SDK against the real routes")
struct PasskeysBySDKTests {
    @Test("are added, used to log in and to be there again, renamed, merged and removed")
    func whole() async throws {
        let world = try await PasskeyWorld()
        let device = DevicePasskey()
        let okaeri = try SDKClient.make(world.server)
        let guest = try await okaeri.logInAutomatically().user
        #expect(try await okaeri.applicationProfile().passkeys?.domain == SoftwareAuthenticator.domain)
        let added = try await okaeri.addPasskey(named: "My phone", with: device)
        #expect(added.name == "My phone")
        let user = try #require(await okaeri.currentUser)
        #expect(user.id == guest.id && !user.isAnonymous)
        let tablet = try SDKClient.make(world.server)
        try await tablet.logInAutomatically()
        let conflict = try await tablet.mergeConflict(by: try await tablet.passkeyProof(from: device))
        #expect(conflict != nil)
        #expect(try await tablet.logInWithPasskey(device).user.id == guest.id)
        #expect(try await tablet.reloadUser().identities.count { $0.provider == "device" } == 2)
        #expect(try await tablet.renamePasskey(added.id, to: "鍵").name == "鍵")
        world.server.clock.advance(by: .seconds(700))
        await #expect(throws: OkaeriError.reauthenticationRequired) { try await tablet.removePasskey(added.id) }
        try await tablet.reauthenticate(with: try await tablet.passkeyProof(from: device))
        try await tablet.removePasskey(added.id, from: device)
        #expect(try await tablet.passkeys().isEmpty)
        #expect(await device.forgotten.count == 1)
        await #expect(throws: OkaeriError.passkeyRefused(.unknown)) { try await tablet.logInWithPasskey(device) }
    }

    @Test("are refused by name where the application has none")
    func disabled() async throws {
        let okaeri = try SDKClient.make(try await TestServer())
        try await okaeri.logInAutomatically()
        #expect(try await okaeri.applicationProfile().passkeys == nil)
        await #expect(throws: OkaeriError.passkeyRefused(.notEnabled)) {
            try await okaeri.addPasskey(with: DevicePasskey())
        }
    }
}
