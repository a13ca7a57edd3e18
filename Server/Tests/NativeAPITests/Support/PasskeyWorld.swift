import Domain
import Foundation
import HTTPTypes
import OkaeriWire
import TestWorld
import Testing

/// A server whose application has passkeys, and people with authenticators.
struct PasskeyWorld: Sendable {
    typealias Ceremony = SoftwareAuthenticator.Ceremony

    static var settings: ApplicationSettings {
        var settings = ApplicationSettings()
        settings.passkeys.isEnabled = true
        settings.passkeys.domain = SoftwareAuthenticator.domain
        return settings
    }

    let server: TestServer

    init(_ settings: ApplicationSettings = Self.settings) async throws {
        server = try await TestServer(application: settings)
    }

    /// Where they are on already.
    init(of server: TestServer) {
        self.server = server
    }

    /// Turns passkeys on where there is a server already.
    init(on server: TestServer) async throws {
        self.server = server
        _ = try await server.modules.applications.changeApplication(
            server.application.id, isCurrent: { _ in true }, by: .local
        ) { $0.settings.passkeys = Self.settings.passkeys }
    }

    /// Adds a passkey to a person.
    ///
    /// - Returns: the user handle.
    func add(_ authenticator: SoftwareAuthenticator, to person: Person) async throws -> String {
        let options = try await person.send(.post, APIPath.requestPasskey).read(PasskeyCreationResponse.self)
        let body = try await registration(authenticator, by: person)
        let added = try await person.send(.post, APIPath.passkeys, body: body)
        try #require(added.status == 201, "\(added.text)")
        return options.publicKey.user.id
    }

    /// What a client sends to add the passkey that it made.
    func registration(
        _ authenticator: SoftwareAuthenticator, by person: Person, name: String? = nil,
        _ spoil: (inout Ceremony) -> Void = { _ in }
    ) async throws -> String {
        let answer = try await person.send(.post, APIPath.requestPasskey)
        let options = try answer.read(PasskeyCreationResponse.self).publicKey
        var ceremony = Ceremony("webauthn.create", challenge: options.challenge)
        spoil(&ceremony)
        let made = try authenticator.create(ceremony)
        return try text(
            NewPasskeyBody(
                name: name,
                credential: PasskeyRegistration(
                    id: authenticator.id,
                    response: .init(
                        clientDataJSON: Domain.Base64URL.text(of: made.clientData),
                        attestationObject: Domain.Base64URL.text(of: made.attestationObject),
                        transports: ["internal", "hybrid"]))))
    }

    /// A person with a passkey, and its user handle.
    func person(_ authenticator: SoftwareAuthenticator) async throws -> (Person, handle: String) {
        let person = try await server.person()
        return (person, try await add(authenticator, to: person))
    }

    /// What a client sends to show a passkey.
    func authentication(
        _ authenticator: SoftwareAuthenticator, _ handle: String, _ spoil: (inout Ceremony) -> Void = { _ in }
    ) async throws -> PasskeyAuthentication {
        let answer = try await server.send(.post, APIPath.requestPasskeyLogIn)
        let options = try answer.read(PasskeyRequestResponse.self).publicKey
        var ceremony = Ceremony("webauthn.get", challenge: options.challenge)
        spoil(&ceremony)
        let made = try authenticator.get(ceremony)
        return PasskeyAuthentication(
            id: authenticator.id,
            response: .init(
                clientDataJSON: Domain.Base64URL.text(of: made.clientData),
                authenticatorData: Domain.Base64URL.text(of: made.authenticatorData),
                signature: Domain.Base64URL.text(of: made.signature), userHandle: handle))
    }

    func logIn(_ credential: PasskeyAuthentication, _ headers: [(String, String)] = []) async throws -> Answer {
        try await server.send(
            .post, APIPath.logInWithPasskey, headers, body: try text(PasskeyLogInBody(credential: credential)))
    }

    func text(_ body: some Encodable) throws -> String {
        String(decoding: try JSONEncoder().encode(body), as: UTF8.self)
    }
}

/// Expects a refusal by the name of a rule.
func expectRefused(
    _ answer: Answer, _ rule: String, sourceLocation: SourceLocation = #_sourceLocation
) throws {
    expect(answer, 401, .passkeyInvalid, sourceLocation: sourceLocation)
    #expect(try answer.read(Problem.self).errors?.map(\.code) == [rule], sourceLocation: sourceLocation)
}
