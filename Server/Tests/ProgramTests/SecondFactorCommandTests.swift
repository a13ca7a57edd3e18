import Domain
import Foundation
import Okaeri
import OkaeriWire
import TestWorld
import Testing

@Suite("okaeri application second-factors, okaeri user second-factors")
struct SecondFactorCommandTests {
    private let folder = TestFolder()

    @Test("show and change what an application has decided, and refuse what breaks its rules")
    func rules() async throws {
        try folder.make()
        let created = try await Program.run("application", "create", "Demo", "--json", "--data", folder.path)
        let id = try created.json(CreatedApplication.self).id
        func run(_ options: String...) async throws -> Program.Finished {
            try await Program.run(["application", "second-factors", id] + options + ["--data", folder.path])
        }
        #expect(try await run().output.contains("off"))
        let set = try await run(
            "--mode", "required", "--demanded-for", "password_changed", "--demanded-for", "address_changed",
            "--no-device-keys-count", "--no-transfer-codes-count", "--exempts-old-protocols", "--json")
        // On standard error, beside the document that programs read.
        #expect(set.errors.contains("at their next log-in by hand") && set.errors.contains("exempt: a password alone"))
        #expect(try await run("--no-exempts-old-protocols").errors.contains("can log no registered user in"))
        #expect(try await run("--exempts-old-protocols").status == 0)
        let expected: JSONValue = [
            "mode": "required", "demandedFor": ["address_changed", "password_changed"], "deviceKeysCount": false,
            "transferCodesCount": false, "exemptsOldProtocols": true,
        ]
        #expect(try JSONValue(parsing: Array(set.output.utf8)) == expected, "\(set.errors)")
        #expect(try JSONValue(parsing: Array(try await run("--json").output.utf8)) == expected)
        let emptied = try await run("--demanded-for", "", "--mode", "optional")
        #expect(emptied.output.contains("none") && emptied.output.contains("optional"), "\(emptied.errors)")
        for wrong in [["--mode", "always"], ["--demanded-for", "user_merged"], ["--demanded-for", "x"]] {
            #expect(try await run(wrong[0], wrong[1]).status == 2, "\(wrong)")
        }
    }

    @Test("show a user's second factors, and remove all of them, after which the password is enough")
    func user() async throws {
        let server = try await TestServer(data: folder.path)
        let application = try await server.makeApplication()
        let options = ["--application", application.id, "--data", folder.path]
        let turnedOn = try await Program.run(
            ["application", "second-factors", application.id, "--mode", "optional", "--data", folder.path])
        #expect(turnedOn.status == 0, "\(turnedOn.errors)")
        let okaeri = try server.app(in: application.id)
        let user = try await okaeri.signUp(username: "Hana", password: "four quiet words").id
        #expect(try await Program.run(["user", "second-factors", user] + options).output.contains("no second factor"))
        #expect(try await Program.run(["user", "reset-second-factors", user] + options).status == 1)
        let offer = try await okaeri.requestTOTP()
        let now = Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
        let code = try TestAuthenticator.code(for: offer.secret, at: now)
        _ = try await okaeri.addTOTP(offer, code: code, named: "Phone")
        let listed = try await Program.run(["user", "second-factors", user] + options + ["--json"])
        let list = try listed.json(SecondFactorListResponse.self)
        #expect(list.factors.map(\.name) == ["Phone"] && list.recoveryCodesLeft == 10, "\(listed.errors)")
        #expect(!listed.output.contains(offer.secret))
        let shown = try await Program.run(["user", "second-factors", user] + options).output
        #expect(shown.contains("Phone") && shown.contains("Recovery codes left: 10"))
        await #expect(throws: OkaeriError.self) {
            try await server.app(in: application.id).logIn(identifier: "Hana", password: "four quiet words")
        }
        let reset = try await Program.run(["user", "reset-second-factors", user] + options + ["--json"])
        #expect(try JSONValue(parsing: Array(reset.output.utf8)) == ["reset": .string(user)], "\(reset.errors)")
        let logIn = try await server.app(in: application.id).logIn(identifier: "Hana", password: "four quiet words")
        #expect(logIn.user.id == user)
        #expect(try await Program.run(["user", "second-factors", "nobody"] + options).status == 1)
        try await server.stop()
    }
}
