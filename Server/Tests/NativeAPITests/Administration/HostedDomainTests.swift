import FakeProviders
import OkaeriWire
import TestWorld
import Testing

@testable import Domain
@testable import OutboundServices

/// The rule of a mail domain where Google is the provider of admins: anybody can have an account there with an address of that
/// domain, and keeps it when the mailbox is another's.
@Suite("The rule of a mail domain at Google")
struct HostedDomainTests {
    private static let google = "https://accounts.google.com"
    private static let client = "okaeri-admins"
    private static let back = "https://id.example.com/dashboard/log-in/sign-on/callback"
    private static let verifier = String(repeating: "v", count: 43)

    /// Asks a fake for what is at Google's address.
    private struct Renamed: WebCaller {
        let address: String

        func callAsFunction(_ call: WebCall) async throws(WebFault) -> WebResponse {
            var renamed = call
            renamed.url = call.url.replacing(HostedDomainTests.google, with: address)
            return try await FakeHost.caller(renamed)
        }

        func mayAsk(_ url: String) -> Bool { true }
    }

    private func person(_ more: [String: JSONValue]) async throws -> ExternalIdentity {
        let clock = StandingClock()
        let fake = try FakeOpenID(clock: clock, key: FakeHost.keys.get()[0])
        fake.listen(at: Self.google)
        fake.register(client: Self.client, secret: "the secret")
        let call = Renamed(address: await FakeHost.address(of: fake))
        let providers = IdentityProviders(
            at: ProviderAddresses(), call: call, adminCall: call, tenantCall: call, clock: clock,
            randomness: TestRandomness())
        let provider = try #require(providers.admins)
        let claims = fake.claims(subject: "hana", audience: Self.client, nonce: "nonce", more: more)
        let code = fake.code(claims, client: Self.client, redirectURI: Self.back, verifier: Self.verifier)
        return try await provider.redeem(
            ProviderCredential.AuthorizationCode(
                code: Secret(code), verifier: Secret(Self.verifier), redirectURI: Self.back, audience: Self.client),
            nonce: Secret("nonce"), of: nil,
            for: ConfiguredProvider(
                application: AuditEntry.server,
                settings: ProviderSettings(
                    provider: Identity.Provider(rawValue: "oidc:admins"), audiences: [Self.client],
                    issuer: Self.google, redirectURIs: [Self.back]),
                secret: Secret("the secret")))
    }

    @Test(
        "makes admins of accounts of the organisation alone",
        arguments: [
            ("hana@example.com", "example.com", true), ("hana@example.com", "group.example", true),
            ("hana@example.com", nil, false), ("hana@example.com", "", false), ("hana@other.example", nil, false),
        ] as [(String, String?, Bool)])
    func organisation(email: String, hosted: String?, isMade: Bool) async throws {
        var more: [String: JSONValue] = ["email": .string(email), "email_verified": true]
        if let hosted { more["hd"] = .string(hosted) }
        let person = try await person(more)
        #expect(person.email == ProviderEmail(address: email, isVerified: true, isRelay: false))
        #expect(settings(at: Self.google).takes(person) == isMade)
        // Elsewhere nothing says so.
        #expect(settings(at: "https://login.example.com").takes(person) == (email == "hana@example.com"))
    }

    private func settings(at issuer: String) -> AdminSignOnSettings {
        AdminSignOnSettings(
            issuer: issuer, clientId: Self.client, secret: nil,
            joining: AdminSignOnSettings.Joining(domain: "example.com", role: .support), endsPasswords: false)
    }
}
