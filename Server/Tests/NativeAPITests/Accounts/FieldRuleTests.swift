import Domain
import Foundation
import HTTPTypes
import OkaeriWire
import Testing

@Suite("Rules for fields, natively")
struct FieldRuleTests {
    private func server(_ rules: [FieldRule], isClosed: Bool = false) async throws -> TestServer {
        try await TestServer(application: .init(fieldRules: FieldRules(rules, isClosed: isClosed)))
    }

    private func faults(_ answer: Answer) throws -> [String] {
        try answer.read(Problem.self).errors?.map { "\($0.field) \($0.code)" } ?? []
    }

    @Test("let every first launch in, with defaults and without what is required")
    func firstLaunch() async throws {
        let server = try await server([
            FieldRule(name: "team", kind: .string, isRequired: true),
            FieldRule(name: "coins", kind: .integer, writer: .server, standard: 5),
            FieldRule(name: "flag", reader: .server, writer: .server, standard: true),
        ])
        let person = try await server.person()
        #expect(person.logIn.isNew && person.logIn.user.fields == ["coins": 5])
        #expect(try await person.send(.get, APIPath.user).read(UserBody.self).fields == ["coins": 5])
        let token = try await person.send(.post, APIPath.token)
        let claims = try #require(token.text.split(separator: ".").dropFirst().first)
        #expect(token.status == 200 && !claims.isEmpty && !token.text.contains("coins"))
    }

    @Test("refuse first values at a first launch by name, and never at a later one")
    func laterLaunches() async throws {
        let server = try await server([])
        let body = #"{"user": {"fields": {"coins": 1}}}"#
        let device = ProofMaker()
        let person = try await server.person(device, body: body)
        try await server.modules.applications.changeFieldRules(of: server.application.id, mayLoosen: true, by: .local) {
            $0["coins"] = FieldRule(name: "coins", kind: .string, writer: .server)
        }
        // An app in the stores sends what it always sent: a known user is let in.
        let again = try await server.logIn(device, body: body)
        #expect(again.status == 200)
        #expect(try again.read(LogInResponse.self).user.fields == ["coins": 1])
        let new = try await server.logIn(ProofMaker(), body: body)
        expect(new, 400, .invalidMember)
        #expect(try faults(new) == ["user.fields.coins read_only"])
        #expect(person.logIn.user.fields == ["coins": 1])
    }

    @Test("ask for what is required at the upgrade, and fill in what has a default")
    func upgrade() async throws {
        let server = try await server([])
        let person = try await server.person()
        try await server.modules.applications.changeFieldRules(of: server.application.id, mayLoosen: true, by: .local) {
            $0["team"] = FieldRule(name: "team", kind: .string, isRequired: true)
            $0["rank"] = FieldRule(name: "rank", kind: .integer, writer: .server, isRequired: true, standard: 1)
        }
        let missing = try await person.upgrade()
        expect(missing, 400, .invalidMember)
        #expect(try faults(missing) == ["fields.team required"])
        expect(try await person.upgrade(#""fields": {"team": "red", "rank": 9}"#), 400, .invalidMember)
        let done = try await person.upgrade(#""fields": {"team": "red"}"#)
        #expect(try done.read(UserBody.self).fields == ["team": "red", "rank": 1])
        let gone = try await person.send(.patch, APIPath.user, body: #"{"fields": null}"#)
        #expect(try faults(gone) == ["fields.team required"])
    }

    @Test("leave alone what breaks a newer rule until it changes")
    func oldData() async throws {
        let server = try await server([])
        let person = try await server.person(body: #"{"user": {"fields": {"age": "old", "note": "n"}}}"#)
        try await server.modules.applications.changeFieldRules(of: server.application.id, mayLoosen: true, by: .local) {
            $0["age"] = FieldRule(name: "age", kind: .integer, isRequired: true)
        }
        #expect(try await person.send(.get, APIPath.user).read(UserBody.self).fields["age"] == "old")
        let other = try await person.send(.patch, APIPath.user, body: #"{"fields": {"note": "x", "age": "old"}}"#)
        #expect(try other.read(UserBody.self).fields == ["age": "old", "note": "x"])
        let wrong = try await person.send(.patch, APIPath.user, body: #"{"fields": {"age": "older"}}"#)
        #expect(try faults(wrong) == ["fields.age wrong_type"])
    }

    @Test("empty the user's own fields for null and leave the server's")
    func emptied() async throws {
        let server = try await server([
            FieldRule(name: "coins", writer: .server, standard: 5),
            FieldRule(name: "flag", reader: .server, writer: .server, standard: true),
        ])
        let person = try await server.person(body: #"{"user": {"fields": {"a": 1}}}"#)
        let emptied = try await person.send(.patch, APIPath.user, body: #"{"fields": null}"#)
        #expect(try emptied.read(UserBody.self).fields == ["coins": 5])
        let stored = try await server.modules.directory.readUser(
            Identifier(rawValue: person.logIn.user.id), in: server.application.id)
        #expect(stored.fields == ["coins": 5, "flag": true])
    }

    @Test("give the person everything in the export, and apps and pages nothing that is the server's")
    func export() async throws {
        let server = try await server([
            FieldRule(name: "flag", reader: .server, writer: .server, standard: "watched")
        ])
        let made = try await server.signUp("hana")
        let logIn = try made.read(LogInResponse.self)
        #expect(!made.text.contains("watched"))
        let export = try await server.send(.get, "/v1/user/export", logIn.bearer)
        #expect(export.status == 200 && export.text.contains("watched"))
        let sessions = try await server.send(.get, APIPath.user, logIn.bearer)
        #expect(!sessions.text.contains("watched"))
    }

    @Test("are published for sign-up forms: what people type, by its label, and not what is the server's")
    func published() async throws {
        let server = try await server([
            FieldRule(name: "birthday", kind: .date, isRequired: true, labels: ["ja": "誕生日", "en": "Birthday"]),
            FieldRule(name: "news", kind: .boolean, isRequired: true),
            FieldRule(name: "nick", kind: .string, labels: ["en": "Nickname"]),
            FieldRule(name: "score", kind: .integer), FieldRule(name: "coins", writer: .server, labels: ["en": "x"]),
            FieldRule(name: "bag", kind: .object, isRequired: true),
            FieldRule(name: "level", kind: .integer, isRequired: true, standard: 1),
        ])
        let profile = try await server.send(.get, "/v1/application").read(ApplicationProfile.self)
        #expect(profile.fields.map { $0.name } == ["birthday", "news", "nick"])
        #expect(profile.fields.map { $0.kind } == [.date, .checkbox, .text])
        #expect(profile.fields.map { $0.isRequired } == [true, false, false])
        #expect(profile.fields.first?.label.text(in: ["ja-JP"]) == "誕生日")
    }

    @Test("hold for every change that begins after the answer, whatever is under way", arguments: [1, 2, 3])
    func race(round: Int) async throws {
        let server = try await server([])
        let person = try await server.person(body: #"{"user": {"fields": {"coins": 0}}}"#)
        let application = server.application.id
        await withTaskGroup(of: Void.self) { group in
            for number in 1...20 {
                group.addTask {
                    // Some are before the rule and pass, the others are refused; never is one half done.
                    let answer = try? await person.send(
                        .patch, APIPath.user, body: #"{"fields": {"coins": \#(number), "twin": \#(number)}}"#)
                    #expect([200, 400].contains(answer?.status))
                }
            }
            group.addTask {
                // A fault shows in the expectations below.
                _ = try? await server.modules.applications.changeFieldRules(
                    of: application, mayLoosen: true, by: .local
                ) {
                    $0["coins"] = FieldRule(name: "coins", writer: .server)
                }
            }
        }
        let before = try await person.send(.get, APIPath.user).read(UserBody.self).fields
        #expect(before["twin"] == nil && before["coins"] == 0 || before["twin"] == before["coins"])
        let late = try await person.send(.patch, APIPath.user, body: #"{"fields": {"coins": 99, "twin": 99}}"#)
        expect(late, 400, .invalidMember)
        #expect(try await person.send(.get, APIPath.user).read(UserBody.self).fields == before)
    }
}
