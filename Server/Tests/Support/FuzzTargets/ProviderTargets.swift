import Domain
import Foundation

@testable import OutboundServices

/// Answers every call to a provider with the input, but for the key set.
private struct HostileProvider: WebCaller {
    let input: [UInt8]

    func callAsFunction(_ call: WebCall) async throws(WebFault) -> WebResponse {
        if call.url.hasSuffix("/keys") || call.url.hasSuffix("jwks/") {
            return WebResponse(status: 200, body: Self.keySet)
        }
        // The first byte chooses between an answer and a refusal, which are read by different code.
        return WebResponse(status: input.first.map { $0 & 1 == 0 } ?? true ? 200 : 400, body: input)
    }

    func mayAsk(_ url: String) -> Bool { true }

    private static let keySet = Array(#"{"keys":[{"kid":"k",\#(FuzzKey.shared.members)}]}"#.utf8)
}

extension FuzzTarget {
    /// What identity providers send, tokens, key sets and answers, and what hooks respond.
    static let providers = [
        FuzzTarget("key-set") { input in _ = KeySet(parsing: input)?["k"] },
        FuzzTarget("openid-description") { input in
            let address = "https://id.example.com/.well-known/openid-configuration"
            _ = OpenIDDescription(parsing: input, readFrom: address) { $0.hasPrefix("https://") }
        },
        FuzzTarget("certificate") { input in _ = X509Certificate(parsing: input) },
        FuzzTarget("provider-members") { input in
            guard let members = JSONMembers(parsing: input) else { return }
            for name in members.values.keys {
                _ = (members.text(name), members.time(name), members.flag(name), members.texts(name))
            }
        },
        FuzzTarget("provider-token") { input in
            waiting {
                do throws(DomainError) {
                    _ = try await honest(Secret(FuzzKey.unsignedToken(header: header, claims: input)), policy)
                    expect(false, "a token without a signature is refused")
                } catch {
                    guard error == .providerTokenRefused(.signature) else { return }
                    _ = try? await honest(Secret(FuzzKey.shared.token(header: header, claims: input)), policy)
                }
            }
        },
        FuzzTarget("provider-jwt") { input in
            waiting { _ = try? await verifier(HostileProvider(input: []))(Secret(String(input: input)), policy) }
        },
        FuzzTarget("breached-range") { input in
            let range = BreachedPasswordRange(url: "https://range.example.com", call: HostileProvider(input: input))
            guard let password = Password("four quiet words") else { return }
            waiting { _ = try? await range.contain(password) }
        },
        FuzzTarget("retry-after", maximumBytes: 100) { input in
            let wait = RetryAfter.wait(String(input: input), at: FuzzClock().now)
            expect(wait.map { $0 >= .zero } ?? true, "nobody waits for less than nothing")
        },
        FuzzTarget("telemetry-answer", maximumBytes: 2048) { input in
            expect(TelemetryExporter.refused(input) >= 0, "nobody refuses less than nothing")
        },
        FuzzTarget("hook-response") { input in _ = HookWebhook.outcome(status: 200, input) },
        FuzzTarget("owner-response") { input in _ = HookWebhook.owner(status: 200, input) },
        // A line with the name of a provider, and `code` behind it where one is redeemed, then what the provider answers: all
        // of them for each input would be as many times slower.
        FuzzTarget("provider-answer") { input in
            let (line, answer) = input.firstLine
            let words = String(input: line).split(separator: " ")
            let name = asked.first { $0.rawValue[...] == words.first } ?? asked[line.digest % asked.count]
            let call = HostileProvider(input: answer)
            let providers = IdentityProviders(
                at: ProviderAddresses(), call: call, adminCall: call, tenantCall: call, clock: FuzzClock(),
                randomness: FixedRandomness())
            guard let provider = providers[name], let configured = allConfigured[name] else { return }
            waiting {
                if words.last == "code" {
                    _ = try? await provider.redeem(code, nonce: nil, of: nil, for: configured)
                } else {
                    _ = try? await provider.identify(credential, for: configured)
                }
            }
        },
    ]

    private static let policy = TokenVerifier.Policy(
        keySet: "https://id.example.com/keys", algorithms: [.es256], issuers: ["https://id.example.com"],
        audiences: ["app"], nonce: .none)

    private static let header = #"{"alg":"ES256","kid":"k"}"#
    /// It reads the key set once.
    private static let honest = verifier(HostileProvider(input: []))

    private static func verifier(_ call: HostileProvider) -> TokenVerifier {
        TokenVerifier(
            keySets: RemoteDocuments(call: call, clock: FuzzClock()) { bytes, _ in KeySet(parsing: bytes) },
            clock: FuzzClock())
    }

    private static let asked: [Identity.Provider] = [.google, .facebook, .twitter, .line, .kakao, .naver, .yahooJapan]
    private static let allConfigured = Dictionary(
        uniqueKeysWithValues: asked.map { provider in
            let settings = ProviderSettings(
                provider: provider, audiences: ["app"], redirectURIs: ["https://app.example.com/back"])
            return (
                provider,
                ConfiguredProvider(
                    application: Identifier(rawValue: "demo"), settings: settings, secret: Secret("secret"))
            )
        })
    private static let credential = ProviderCredential(
        accessToken: Secret("token"), accessTokenSecret: Secret("secret"))
    private static let code = ProviderCredential.AuthorizationCode(
        code: Secret("code"), verifier: Secret("verifier"), redirectURI: "https://app.example.com/back",
        state: Secret("state"))
}

private struct FixedRandomness: Randomness {
    func bytes(_ count: Int) -> [UInt8] { [UInt8](repeating: 7, count: count) }
}
