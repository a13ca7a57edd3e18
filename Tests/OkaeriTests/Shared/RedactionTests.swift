import Foundation
import OkaeriTesting
@_spi(Base64URL) import OkaeriWire
import Testing

@testable import Okaeri

@Suite("Secrets")
struct RedactionTests {
    private func allForms(of value: Any) -> String {
        var dumped = ""
        dump(value, to: &dumped)
        return "\(value) \(String(reflecting: value)) \(dumped)"
    }

    @Test("do not show in requests, however they are printed")
    func requests() async throws {
        let world = World()
        let client = world.launch()
        try await client.logInAutomatically()
        world.server.proofRequired = true
        try await client.reloadUser()
        let request = try #require(world.server.requests.last)
        let token = try #require(request.headers["Authorization"]).dropFirst("Bearer ".count)
        let proof = try #require(request.headers["DPoP"])
        let shown = allForms(of: request) + allForms(of: request.headers)
        #expect(!shown.contains(token) && !shown.contains(proof))
        #expect(shown.contains("GET https://okaeri.test/v1/user"))
        #expect(shown.contains("Okaeri-Application: demo"))
    }

    @Test("do not show in answers")
    func answers() {
        let answer = TransportResponse(
            status: 200, headers: ["Set-Cookie": "topsecret", "Retry-After": "3"], body: Data("topsecret".utf8))
        let shown = allForms(of: answer)
        #expect(!shown.contains("topsecret") && shown.contains("Retry-After: 3"))
    }

    @Test("do not show in tokens and keys")
    func values() async throws {
        let world = World()
        let client = world.launch()
        try await client.logInAutomatically()
        let token = try await client.accessToken()
        #expect(!allForms(of: token).contains(token.value))
        let request = try await client.requestLogInCode(email: "hana@example.com")
        #expect(!allForms(of: request).contains(request.ticket) && "\(request)" == "log-in code for hana@example.com")
        #expect(!allForms(of: Secret("topsecret")).contains("topsecret"))
        #expect(!allForms(of: [Secret("topsecret")]).contains("topsecret"))
        let key = SoftwareDeviceKey()
        let shown = allForms(of: key)
        #expect(shown.contains(key.publicKey.thumbprint))
        #expect(!shown.contains("PrivateKey(") && !shown.contains(Base64URL.text(of: key.rawRepresentation)))
        let stored = try await world.vault.loadRecord(for: "demo")
        let record = VaultRecord.read(stored)
        #expect(!allForms(of: record).contains(try #require(record.session).token.revealed))
    }
}
