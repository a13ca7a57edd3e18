import Domain
import Foundation
import HTTPTypes
import OkaeriWire
import TestWorld
import Testing

/// A server whose application has second factors, and people with authenticator apps.
struct SecondFactorWorld: Sendable {
    static let password = AccountTests.password

    let server: TestServer

    init(settings: [String: String] = [:], _ change: (inout SecondFactorRules) -> Void = { _ in }) async throws {
        var application = ApplicationSettings()
        application.secondFactors.mode = .optional
        change(&application.secondFactors)
        server = try await TestServer(settings: settings, application: application)
    }

    /// Where they are on already.
    init(of server: TestServer) {
        self.server = server
    }

    /// Turns second factors on where there is a server already.
    init(on server: TestServer) async throws {
        self.server = server
        try await change { $0.mode = .optional }
    }

    /// Decides otherwise.
    func change(_ change: @escaping @Sendable (inout SecondFactorRules) -> Void) async throws {
        _ = try await server.modules.applications.changeApplication(
            server.application.id, isCurrent: { _ in true }, by: .local
        ) { change(&$0.settings.secondFactors) }
    }

    /// Somebody with a name and a password, logged in on a device.
    func person(_ name: String = "hana") async throws -> Person {
        let guest = try await server.person()
        let upgraded = try await guest.send(
            .post, APIPath.upgrade, body: #"{"username": "\#(name)", "password": "\#(Self.password)"}"#)
        try #require(upgraded.status == 200, "\(upgraded.text)")
        return guest
    }

    /// What the authenticator app shows now.
    func code(_ key: String) throws -> String { try TestAuthenticator.code(for: key, at: server.clock.now) }

    /// What the authenticator app shows after another step: each code counts once.
    func nextCode(_ key: String) throws -> String {
        server.clock.advance(by: .seconds(30))
        return try code(key)
    }

    func offer(to person: Person) async throws -> TOTPOfferResponse {
        try await person.send(.post, APIPath.requestTOTP).read(TOTPOfferResponse.self)
    }

    func confirmation(_ offer: TOTPOfferResponse) throws -> String {
        #"{"ticket": "\#(offer.ticket)", "code": "\#(try code(offer.secret))"}"#
    }

    /// Adds an authenticator app to a person.
    func enrol(_ person: Person) async throws -> (key: String, factor: String, recoveryCodes: [String]) {
        let offer = try await offer(to: person)
        let answer = try await person.send(.post, APIPath.totp, body: try confirmation(offer))
        try #require(answer.status == 201, "\(answer.text)")
        let added = try answer.read(NewSecondFactorResponse.self)
        return (offer.secret, added.factor.id, added.recoveryCodes ?? [])
    }

    /// The ticket of a log-in by password from a browser or a new device.
    func ticket(_ name: String = "hana", device: ProofMaker? = nil) async throws -> SecondFactorChallengeBody {
        let answer = try await logIn(name, device: device)
        expect(answer, 403, .secondFactorRequired)
        return try #require(try answer.read(Problem.self).secondFactor)
    }

    func logIn(_ name: String = "hana", device: ProofMaker? = nil) async throws -> Answer {
        try await server.logIn(name, Self.password, headers: try proof(device, APIPath.logInWithPassword))
    }

    /// Finishes a log-in; `rest` is JSON members after the ticket.
    func finish(_ ticket: String, _ rest: String, device: ProofMaker? = nil) async throws -> Answer {
        try await server.send(
            .post, APIPath.logInWithSecondFactor, try proof(device, APIPath.logInWithSecondFactor),
            body: #"{"ticket": "\#(ticket)", \#(rest)}"#)
    }

    private func proof(_ device: ProofMaker?, _ path: String) throws -> [(String, String)] {
        guard let device else { return [] }
        return [("DPoP", try device.proof("POST", server.url(path), at: server.clock.now))]
    }
}
