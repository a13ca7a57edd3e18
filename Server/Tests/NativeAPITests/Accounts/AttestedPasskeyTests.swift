import Crypto
import Domain
import HTTPTypes
import OkaeriWire
import OutboundServices
import TestWorld
import Testing

@Suite("An attested passkey")
struct AttestedPasskeyTests {
    private static func authenticator() -> SoftwareAuthenticator {
        var authenticator = SoftwareAuthenticator()
        authenticator.aaguid = TestCertifier.aaguid
        return authenticator
    }

    private static let kind = "01020304-0506-0708-090a-0b0c0d0e0f10"

    /// An application that demands them, at a time at which the certificates are valid.
    private func world(_ kinds: [String] = [], _ pem: String = TestCertifier.rootPEM) async throws -> PasskeyWorld {
        var settings = PasskeyWorld.settings
        settings.passkeys.attestationRoots = [AttestationRoots(certificates: pem, authenticators: kinds)]
        let world = try await PasskeyWorld(settings)
        world.server.clock.advance(
            by: .milliseconds(TestCertifier.moment.milliseconds - world.server.clock.now.milliseconds))
        return world
    }

    private func added(
        _ world: PasskeyWorld, by authenticator: SoftwareAuthenticator = authenticator(),
        _ spoil: (inout SoftwareAuthenticator.Ceremony) -> Void = { _ in }
    ) async throws -> Answer {
        let person = try await world.server.person()
        let certifier = try TestCertifier()
        let body = try await world.registration(authenticator, by: person) {
            $0.format = "packed"
            $0.certifier = certifier
            spoil(&$0)
        }
        return try await person.send(.post, APIPath.passkeys, body: body)
    }

    private func expect(_ answer: Answer, _ rule: String) throws {
        #expect(answer.status == 401, "\(answer.text)")
        #expect(try answer.read(Problem.self).errors?.map(\.code) == [rule])
    }

    @Test("is taken for its kind, and for all, and the options ask for it", arguments: [[], [kind]])
    func taken(kinds: [String]) async throws {
        let world = try await world(kinds)
        let person = try await world.server.person()
        let options = try await person.send(.post, APIPath.requestPasskey).read(PasskeyCreationResponse.self)
        #expect(options.publicKey.attestation == "direct")
        let answer = try await added(world)
        #expect(answer.status == 201, "\(answer.text)")
    }

    @Test("is demanded: none, and one by its own key, are refused")
    func demanded() async throws {
        let world = try await world()
        try expect(try await added(world) { $0.format = "none" }, "attestation_format")
        try expect(try await added(world) { $0.certifier = nil }, "attestation_format")
    }

    @Test("is refused by name for another kind, other roots, a broken chain and another key")
    func refused() async throws {
        try expect(try await added(try await world(["00000000-0000-0000-0000-000000000001"])), "attestation_root")
        let world = try await world()
        var other = Self.authenticator()
        other.aaguid = [UInt8](repeating: 7, count: 16)
        try expect(try await added(world, by: other), "attestation_certificate")
        try expect(try await added(world) { $0.certifier?.chain.removeLast() }, "attestation_root")
        try expect(try await added(world) { $0.certifier?.chain.reverse() }, "attestation_certificate")
        try expect(try await added(world) { $0.certifier?.chain = [TestCertifier.root] }, "attestation_certificate")
        try expect(try await added(world) { $0.certifier?.chain = [] }, "attestation_malformed")
        let key = P256.Signing.PrivateKey()
        try expect(try await added(world) { $0.certifier?.key = key }, "attestation_signature")
        world.server.clock.advance(by: .days(40_000))
        try expect(try await added(world), "attestation_root")
    }

    @Test(
        "needs roots that can be read",
        arguments: ["", "no PEM", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----"])
    func roots(pem: String) async throws {
        let world = try await PasskeyWorld()
        await #expect(throws: DomainError.self) {
            _ = try await world.server.modules.applications.changeApplication(
                world.server.application.id, isCurrent: { _ in true }, by: .local
            ) { $0.settings.passkeys.attestationRoots = [AttestationRoots(certificates: pem, authenticators: [])] }
        }
    }

    @Test("has a chain of which no byte can be changed")
    func chain() throws {
        let (chains, certifier) = (CertificateChains(), try TestCertifier())
        let now = TestCertifier.moment
        let leaf = try #require(chains.verify(certifier.chain, roots: [TestCertifier.root], at: now))
        let key = try P256.Signing.PublicKey(derRepresentation: leaf.publicKey)
        #expect(key.rawRepresentation == certifier.key.publicKey.rawRepresentation)
        #expect(leaf.subject["2.5.4.11"] == ["Authenticator Attestation"] && !leaf.isAuthority)
        #expect(leaf.extensions["1.3.6.1.4.1.45724.1.1.4"]?.value == [4, 16] + TestCertifier.aaguid)
        #expect(chains.certificates(pem: TestCertifier.rootPEM) == [TestCertifier.root])
        for (number, certificate) in certifier.chain.enumerated() {
            for index in certificate.indices {
                var changed = certifier.chain
                changed[number][index] ^= 1
                #expect(chains.verify(changed, roots: [TestCertifier.root], at: now) == nil, "\(number), \(index)")
            }
        }
        #expect(chains.verify(certifier.chain, roots: [], at: now) == nil)
        #expect(chains.verify([], roots: [TestCertifier.root], at: now) == nil)
        #expect(
            chains.verify(
                [[UInt8]](repeating: certifier.chain[0], count: 100_000), roots: [TestCertifier.root], at: now) == nil)
        #expect(chains.verify(certifier.chain, roots: [TestCertifier.root], at: now - .days(3650)) == nil)
        #expect(chains.verify([certifier.chain[0]], roots: [certifier.chain[1]], at: now) != nil)
    }
}
