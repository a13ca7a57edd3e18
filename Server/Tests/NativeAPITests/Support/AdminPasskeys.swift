import Domain
import Foundation
import HTTPTypes
import OkaeriWire
import TestWorld
import Testing

/// Passkeys of admins, made and shown by an authenticator in software as a browser at the server's own address would.
extension AdminWorld {
    /// A server that knows its address, to which passkeys belong.
    static func atOwnAddress(roles: [AdminRole]) async throws -> AdminWorld {
        try await AdminWorld(try await TestServer(settings: ["public-url": TestServer.url]), roles: roles)
    }

    private static func own(_ ceremony: inout SoftwareAuthenticator.Ceremony) {
        ceremony.origin = TestServer.url
        ceremony.domain = "id.example.test"
    }

    /// What a browser sends to add a passkey, and the user handle in it.
    func registration(
        _ authenticator: SoftwareAuthenticator, by who: String = "owner", name: String? = nil,
        _ spoil: (inout SoftwareAuthenticator.Ceremony) -> Void = { _ in }
    ) async throws -> (credential: PasskeyRegistration, handle: String) {
        let answer = try await send(who, .post, "me/passkeys/request", body: "{}")
        try #require(answer.status == 200, "\(answer.text)")
        let options = try answer.read(PasskeyCreationResponse.self).publicKey
        #expect(options.rp.id == "id.example.test" && options.authenticatorSelection.userVerification == "required")
        var ceremony = SoftwareAuthenticator.Ceremony("webauthn.create", challenge: options.challenge)
        Self.own(&ceremony)
        spoil(&ceremony)
        let made = try authenticator.create(ceremony)
        return (
            PasskeyRegistration(
                id: authenticator.id,
                response: .init(
                    clientDataJSON: Domain.Base64URL.text(of: made.clientData),
                    attestationObject: Domain.Base64URL.text(of: made.attestationObject), transports: ["internal"])),
            options.user.id
        )
    }

    /// Adds a passkey.
    ///
    /// - Returns: the user handle.
    @discardableResult
    func add(
        _ authenticator: SoftwareAuthenticator, to who: String = "owner", name: String? = nil
    ) async throws -> String {
        let made = try await registration(authenticator, by: who)
        let added = try await send(
            who, .post, "me/passkeys", body: try Self.text(NewPasskeyBody(name: name, credential: made.credential)))
        try #require(added.status == 201, "\(added.text)")
        return made.handle
    }

    /// What a browser sends to show a passkey.
    func assertion(
        _ authenticator: SoftwareAuthenticator, _ handle: String,
        _ spoil: (inout SoftwareAuthenticator.Ceremony) -> Void = { _ in }
    ) async throws -> PasskeyAuthentication {
        let answer = try await send(nil, .post, "log-in/passkey/request", body: "{}")
        let options = try answer.read(PasskeyRequestResponse.self).publicKey
        #expect(options.rpId == "id.example.test" && options.userVerification == "required")
        var ceremony = SoftwareAuthenticator.Ceremony("webauthn.get", challenge: options.challenge)
        Self.own(&ceremony)
        spoil(&ceremony)
        let made = try authenticator.get(ceremony)
        return PasskeyAuthentication(
            id: authenticator.id,
            response: .init(
                clientDataJSON: Domain.Base64URL.text(of: made.clientData),
                authenticatorData: Domain.Base64URL.text(of: made.authenticatorData),
                signature: Domain.Base64URL.text(of: made.signature), userHandle: handle))
    }

    func logIn(_ credential: PasskeyAuthentication) async throws -> Answer {
        try await send(nil, .post, "log-in/passkey", body: try Self.body(of: credential))
    }

    /// Logs in with a passkey.
    ///
    /// - Returns: the session's token.
    func token(_ authenticator: SoftwareAuthenticator, _ handle: String) async throws -> String {
        let answer = try await logIn(try await assertion(authenticator, handle))
        try #require(answer.status == 200, "\(answer.text)")
        return try #require(try answer.json["token"]?.text)
    }

    /// The body of a log-in or a proof.
    static func body(of credential: PasskeyAuthentication) throws -> String {
        try text(PasskeyMergeBody(credential: credential))
    }

    static func text(_ body: some Encodable) throws -> String {
        String(decoding: try JSONEncoder().encode(body), as: UTF8.self)
    }
}
