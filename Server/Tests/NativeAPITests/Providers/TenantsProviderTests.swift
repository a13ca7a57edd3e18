import TestWorld
import Testing

@testable import Domain

/// Says nothing before it is let.
private final class HeldProvider: IdentityProvider {
    private let (begun, begin) = AsyncStream<Void>.makeStream()
    let gate = Gate()

    func faults(in settings: ProviderSettings, secret: Secret?) -> [ValidationError] { [] }

    func identify(
        _ credential: ProviderCredential, for configured: ConfiguredProvider
    ) async throws(DomainError) -> ExternalIdentity? {
        begin.yield()
        await gate.pass()
        return nil
    }

    func redeem(
        _ code: ProviderCredential.AuthorizationCode, nonce: Secret?, of person: ExternalIdentity?,
        for configured: ConfiguredProvider
    ) async throws(DomainError) -> ExternalIdentity { throw .providerRefused }

    func revoke(_ grant: Secret, audience: String, for configured: ConfiguredProvider) async throws(DomainError) {}

    func check(_ configured: ConfiguredProvider) async -> ProviderFinding { .accepted }

    func waitForCalls(_ count: Int) async {
        for await _ in begun.prefix(count) {}
    }
}

/// Issue 18: six calls to one tenant's issuer that said nothing held up the log-ins of all other tenants.
@Suite("An issuer of one application's that says nothing", .timeLimit(.minutes(5)))
struct TenantsProviderTests {
    private static let name = Identity.Provider(rawValue: "oidc:company")

    private func configured(_ application: String, _ name: Identity.Provider = Self.name) -> ConfiguredProvider {
        ConfiguredProvider(
            application: Identifier(rawValue: application),
            settings: ProviderSettings(provider: name, audiences: ["app"], issuer: "https://id.example.com"),
            secret: nil)
    }

    @Test("has its part of the calls, and holds up neither another provider of the application nor another application")
    func half() async throws {
        let held = HeldProvider()
        let providers = IdentityProviders(named: [:], openID: held, admins: nil, apple: nil)
        let provider = try #require(providers[Self.name])
        let (slow, other) = (configured("slow"), configured("other"))
        let beside = configured("slow", Identity.Provider(rawValue: "oidc:club"))
        func ask(_ configured: ConfiguredProvider, times: Int) async -> [Task<Void, any Error>] {
            let tasks = (0..<times).map { _ in
                Task { () async throws -> Void in
                    _ = try await provider.identify(ProviderCredential(), for: configured)
                }
            }
            await held.waitForCalls(times)
            return tasks
        }
        let part = ProviderLanes.part(of: IdentityProviders.lanesOfTenants)
        var tasks = await ask(slow, times: part)
        await #expect(throws: DomainError.providerUnavailable) {
            try await provider.identify(ProviderCredential(), for: slow)
        }
        #expect(await provider.check(slow) == .unreachable)
        // All of the application's together have half.
        tasks += await ask(beside, times: IdentityProviders.lanesOfTenants / 2 - part)
        await #expect(throws: DomainError.providerUnavailable) {
            try await provider.identify(ProviderCredential(), for: beside)
        }
        tasks += await ask(other, times: 1)
        held.gate.open()
        for task in tasks { try await task.value }
        #expect(await provider.check(slow) == .accepted)
    }
}
