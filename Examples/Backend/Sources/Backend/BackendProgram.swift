import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import OkaeriVerifier
import OkaeriWire

@main
struct BackendProgram {
    static func main() async throws {
        // Where the Okaeri server is, what its apps name as the audience, and the secret of its webhooks.
        let settings = ProcessInfo.processInfo.environment
        let issuer = settings["OKAERI_URL"] ?? "http://127.0.0.1:8080"
        let audience = settings["OKAERI_AUDIENCE"] ?? "http://127.0.0.1:8081"
        guard let keysURL = URL(string: "\(issuer)/.well-known/jwks.json") else { exit(64) }

        let verifier = RequestVerifier(
            tokens: TokenVerifier(issuer: issuer, audiences: [audience], keys: KeySet(url: keysURL)),
            proofs: ProofVerifier(replays: MemoryReplayCache()))
        let router = Router(context: BackendContext.self)

        router.group("v1")
            .add(middleware: OkaeriMiddleware(verifier: verifier, publicURL: audience))
            .get("me") { _, context -> String in
                guard let claims = context.claims else { throw HTTPError(.unauthorized) }
                let roles = claims.roles.isEmpty ? "without a role" : claims.roles.sorted().joined(separator: ", ")
                return "You are \(claims.user), \(roles).\n"
            }

        if let secret = settings["OKAERI_WEBHOOK_SECRET"] {
            // While one secret takes the place of another: both, with a space between.
            let webhooks = try WebhookVerifier(secrets: secret.split(separator: " ").map(String.init))
            router.post("hooks") { request, _ -> HTTPResponse.Status in
                let body = try await request.body.collect(upTo: 1024 * 1024)
                do {
                    let event = try webhooks.verify(Data(body.readableBytesView)) { name in
                        HTTPField.Name(name).flatMap { request.headers[$0] }
                    }
                    print("\(event.type) \(event.data.user ?? "")")
                    return .noContent
                } catch let error as VerificationError {
                    print("refused: \(error)")
                    return .unauthorized
                }
            }
        }

        let port = settings["PORT"].flatMap { Int($0) } ?? 8081
        let configuration = ApplicationConfiguration(address: .hostname("127.0.0.1", port: port))
        try await Application(router: router, configuration: configuration).runService()
    }
}
