import Crypto
import Domain
import Foundation
import OkaeriWire

/// Settings with every kind of secret that an installation seals, and a token that one of them verifies.
enum SeededSecrets {
    private static let issuer = "https://abc.supabase.co/auth/v1"
    private static let secret = "super-secret-jwt-token-with-at-least-32-characters"

    /// Puts a hook, old services and a key of Google Play into the settings.
    static func add(
        to settings: inout ApplicationSettings, of id: Identifier<Application>, sealedBy key: SealingKey,
        at now: Timestamp
    ) throws(DomainError) {
        func seal(_ text: String, _ purpose: String) throws(DomainError) -> [UInt8] {
            try key.seal(Array(text.utf8), purpose: purpose)
        }
        var hook = Hook(
            .upgrade, url: "https://app.example.com/hooks", whenDown: .allow, createdAt: now,
            sealedSecret: try seal("of the hook", "hook \(id) upgrade"))
        hook.sealedFormer = try seal("of the hook before", "hook \(id) upgrade")
        hook.formerUntil = now
        settings.set(hook)
        settings.set(
            OldService(.supabase, issuer: issuer, sealedSecret: try seal(secret, "old service \(id) supabase")))
        settings.set(OldService(.firebase, audiences: ["my-game"]))
        let play = try seal("of Google Play", "play integrity \(id) com.example.app")
        settings.attestation.set(PlayKeys(verificationKey: [1, 2, 3], sealedKey: play), of: "com.example.app")
    }

    /// Lets an application take the tokens of Supabase.
    static func trustSupabase(in application: String, folder: String) async throws {
        let file = "\(folder)/supabase-secret"
        try secret.write(toFile: file, atomically: true, encoding: .utf8)
        let set = try await Program.run(
            "old-service", "set", "supabase", "--issuer", issuer, "--secret-file", file, "--application", application,
            "--data", folder)
        guard set.status == 0 else { throw TestFault(set.errors) }
    }

    /// A token of Supabase, signed by the secret.
    static func supabaseToken(of subject: String) -> String {
        let now = Int64(Date().timeIntervalSince1970)
        let header = #"{"alg":"HS256","typ":"JWT"}"#
        let claims =
            #"{"iss":"\#(issuer)","aud":"authenticated","sub":"\#(subject)","iat":\#(now - 60),"exp":\#(now + 3540)}"#
        let signed = [header, claims].map { Base64URL.text(of: Array($0.utf8)) }.joined(separator: ".")
        let code = HMAC<SHA256>.authenticationCode(
            for: Data(signed.utf8), using: SymmetricKey(data: Data(secret.utf8)))
        return "\(signed).\(Base64URL.text(of: Array(code)))"
    }
}
