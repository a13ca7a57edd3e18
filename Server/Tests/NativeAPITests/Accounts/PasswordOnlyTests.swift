import Domain
import HTTPTypes
import OkaeriWire
import Testing

/// Where the password is the only factor, new applications ask for fifteen characters (requirement 1, decision 0103).
@Suite("A password that is the only factor")
struct PasswordOnlyTests {
    private static let fourteen = "fourteen chars"
    private static let fifteen = "fifteen letters"

    private func faults(_ answer: Answer) throws -> [String] {
        try #require(try answer.read(Problem.self).errors, "\(answer.text)").map { "\($0.field):\($0.code)" }
    }

    @Test("has at least fifteen characters at sign-up and upgrade in a new application", arguments: [true, false])
    func newcomers(isUpgrade: Bool) async throws {
        let server = try await TestServer(application: .ofNewApplications)
        let person = try await server.person()
        func send(_ password: String) async throws -> Answer {
            let body = #"{"username": "hana", "password": "\#(password)"}"#
            return isUpgrade
                ? try await person.send(.post, APIPath.upgrade, body: body)
                : try await server.send(.post, APIPath.signUp, body: body)
        }
        #expect(try faults(try await send(Self.fourteen)) == ["password:too_short"])
        let right = try await send(Self.fifteen)
        #expect(right.status == (isUpgrade ? 200 : 201), "\(right.text)")
    }

    @Test("has the length that the published profile says")
    func profile() async throws {
        let new = try await TestServer(application: .ofNewApplications)
        let rules = try await new.send(.get, "/v1/application").read(ApplicationProfile.self).rules
        #expect(rules.password.minimumCharacters == 15)
        let old = try await TestServer()
        let before = try await old.send(.get, "/v1/application").read(ApplicationProfile.self).rules
        #expect(before.password.minimumCharacters == 8)
    }

    @Test(
        "is what a password is without a second factor, and where old protocols let it through alone",
        arguments: [
            (SecondFactorRules.Mode.optional, true, false, true), (.required, true, false, true),
            (.optional, false, false, false), (.off, true, false, false), (.optional, true, true, false),
        ])
    func change(mode: SecondFactorRules.Mode, isEnrolled: Bool, isExempt: Bool, isEnough: Bool) async throws {
        let world = try await SecondFactorWorld()
        let person = try await world.person()
        if isEnrolled { _ = try await world.enrol(person) }
        _ = try await world.server.modules.applications.changeApplication(
            world.server.application.id, isCurrent: { _ in true }, by: .local
        ) { application in
            application.settings.passwordOnlyMinimumCharacters = 15
            application.settings.secondFactors.mode = mode
            application.settings.secondFactors.exemptsOldProtocols = isExempt
        }
        let answer = try await person.send(
            .put, APIPath.password,
            body: #"{"currentPassword": "\#(SecondFactorWorld.password)", "newPassword": "xkcdtime"}"#)
        if isEnough {
            #expect(answer.status / 100 == 2, "\(answer.text)")
        } else {
            #expect(try faults(answer) == ["newPassword:too_short"])
        }
    }
}
