import Crypto
import Domain
import FakeProviders
import OkaeriWire
import OutboundServices
import Storage
import Testing

/// A server whose application has rules for first launches, and a fake App Attest.
struct AttestationWorld: Sendable {
    static let app = "TEAM123456.com.example.app"

    let server: TestServer
    let apple: FakeAppAttest

    /// - Parameters:
    ///   - settings: As on the command line.
    ///   - store: The storage; a new one without it.
    ///   - rules: What the application demands; attestations are required without it.
    /// - Throws: when something of the test's own world is missing.
    init(
        settings: [String: String] = [:], store: (any Engine)? = nil,
        _ rules: (inout AttestationRules) -> Void = { $0.mode = .required }
    ) async throws {
        let clock = StandingClock()
        apple = try FakeAppAttest(clock: clock)
        var application = ApplicationSettings()
        application.attestation.appleApps = [Self.app]
        // As little work as there is.
        application.attestation.proofOfWorkBits = 10
        rules(&application.attestation)
        var addresses = ProviderAddresses()
        addresses.appAttestRoots = [apple.root]
        server = try await TestServer(
            settings: settings, application: application, store: store, clock: clock, providers: addresses)
    }

    /// What the server demands of a device that it does not know.
    func demand(
        of device: ProofMaker, _ code: ErrorCode = .attestationRequired, peer: String = "192.0.2.1"
    ) async throws -> FirstLaunchDemandBody {
        let answer = try await server.logIn(device, peer: peer)
        expect(answer, 403, code)
        return try #require(try answer.read(Problem.self).firstLaunch)
    }

    /// A device's attestation of a challenge.
    func attestation(
        _ device: ProofMaker, _ challenge: String, app: String = AttestationWorld.app,
        _ change: (inout FakeAppAttest.Manner) -> Void = { _ in }
    ) throws -> DeviceAttestationBody {
        var manner = FakeAppAttest.Manner()
        change(&manner)
        let hash = PresentedAttestation.clientDataHash(challenge: challenge, key: device.thumbprint)
        let made = try apple.attest(hash, of: app, manner)
        return DeviceAttestationBody(
            format: "apple-appattest", challenge: challenge, keyId: Base64URL.text(of: made.keyId),
            object: Base64URL.text(of: made.object))
    }

    func logIn(
        _ device: ProofMaker, with attestation: DeviceAttestationBody, peer: String = "192.0.2.1"
    ) async throws -> Answer {
        let body = """
            {"attestation": {"format": "\(attestation.format)", "challenge": "\(attestation.challenge)", \
            "keyId": "\(attestation.keyId)", "object": "\(attestation.object)"}}
            """
        return try await server.logIn(device, body: body, peer: peer)
    }

    /// An attested first launch.
    func attested(_ device: ProofMaker = ProofMaker(), peer: String = "192.0.2.1") async throws -> Answer {
        let demand = try await demand(of: device, peer: peer)
        let challenge = try #require(demand.attestation?.challenge)
        return try await logIn(device, with: try attestation(device, challenge), peer: peer)
    }

    /// Sends a first launch with a proof of work; the work is done unless a solution is given.
    func logIn(
        _ device: ProofMaker, work: FirstLaunchDemandBody.Work, solution: String? = nil, peer: String = "192.0.2.1"
    ) async throws -> Answer {
        let solution = solution ?? Self.solution(of: work)
        let body =
            #"{"proofOfWork": {"challenge": "\#(work.challenge)", "bits": \#(work.bits), "solution": "\#(solution)"}}"#
        return try await server.logIn(device, body: body, peer: peer)
    }

    /// A solution, or with `isWrong` one that is none.
    static func solution(of work: FirstLaunchDemandBody.Work, isWrong: Bool = false) -> String {
        var number = 0
        while isSolution(String(number), of: work) == isWrong { number += 1 }
        return String(number)
    }

    private static func isSolution(_ text: String, of work: FirstLaunchDemandBody.Work) -> Bool {
        let digest = SHA256.hash(data: Array("\(work.challenge).\(text)".utf8))
        let bits = digest.flatMap { byte in (0..<8).map { byte >> (7 - $0) & 1 } }
        return bits.prefix(work.bits).allSatisfy { $0 == 0 }
    }
}
