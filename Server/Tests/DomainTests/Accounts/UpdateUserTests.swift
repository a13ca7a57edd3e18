import Domain
import enum OkaeriWire.JSONValue
import StorageSQLite
import TestWorld
import Testing

@Suite("A change of the own user")
struct UpdateUserTests {
    let world: TestWorld

    init() throws {
        world = try TestWorld(try SQLiteStore(.memory, role: .server))
    }

    /// The examples of RFC 7396, appendix A, as values.
    static let examples: [(JSONValue, JSONValue, JSONValue)] = [
        (["a": "b"], ["a": "c"], ["a": "c"]),
        (["a": "b"], ["b": "c"], ["a": "b", "b": "c"]),
        (["a": "b"], ["a": nil], [:]),
        (["a": "b", "b": "c"], ["a": nil], ["b": "c"]),
        (["a": ["b"]], ["a": "c"], ["a": "c"]),
        (["a": "c"], ["a": ["b"]], ["a": ["b"]]),
        (["a": ["b": "c"]], ["a": ["b": "d", "c": nil]], ["a": ["b": "d"]]),
        (["a": [["b": "c"]]], ["a": [1]], ["a": [1]]),
        (["a", "b"], ["c", "d"], ["c", "d"]),
        (["a": "b"], ["c"], ["c"]),
        (["a": "foo"], nil, nil),
        (["a": "foo"], "bar", "bar"),
        (["e": nil], ["a": 1], ["e": nil, "a": 1]),
        ([1, 2], ["a": "b", "c": nil], ["a": "b"]),
        ([:], ["a": ["bb": ["ccc": nil]]], ["a": ["bb": [:]]]),
    ]

    @Test("merges as RFC 7396 says", arguments: examples)
    func merges(original: JSONValue, patch: JSONValue, result: JSONValue) {
        #expect(original.merged(with: patch) == result)
    }

    @Test("sets and removes name, language and fields, and leaves the rest")
    func changes() async throws {
        let (user, application) = try await user()
        let set = try await world.edit(
            user.id, in: application,
            UserEdit(
                displayName: .set("花"), locale: .set("ja-JP"), fields: .set(["score": 1, "team": ["name": "A"]])))
        #expect(set.displayName == "花" && set.locale == "ja-JP")
        world.clock.advance(by: .seconds(1))
        let patched = try await world.edit(
            user.id, in: application,
            UserEdit(locale: .removed, fields: .set(["score": nil, "team": ["size": 3]])))
        #expect(patched.displayName == "花" && patched.locale == nil)
        #expect(patched.fields == ["team": ["name": "A", "size": 3]])
        #expect(patched.updatedAt == world.clock.now)
        #expect(
            try await world.edit(
                user.id, in: application, UserEdit(fields: .removed)
            ).fields == [:])
    }

    @Test("that changes nothing leaves the time of change")
    func noChange() async throws {
        let (user, application) = try await user()
        world.clock.advance(by: .seconds(1))
        let after = try await world.edit(
            user.id, in: application, UserEdit(displayName: .removed, fields: .set(["no such": nil])))
        #expect(after == user)
    }

    private static let parts = [
        UserEdit(displayName: .set("Hana")), UserEdit(locale: .set("ja-JP")), UserEdit(fields: .set(["score": 1])),
    ]

    @Test(
        "is stored whichever part of the profile it is, also in the millisecond of the change before",
        arguments: parts.indices, [0, 1])
    func stored(index: Int, milliseconds: Int) async throws {
        let (user, application) = try await user()
        world.clock.advance(by: .milliseconds(milliseconds))
        let edited = try await world.edit(user.id, in: application, Self.parts[index])
        #expect(edited != user && edited.updatedAt == world.clock.now)
        #expect(try await world.modules.directory.readUser(user.id, in: application.id) == edited)
    }

    @Test("has its time also where no part of the profile changes")
    func time() async throws {
        let application = try await world.makeApplication()
        let user = try await world.signUp("hana", to: application).user
        var list = UserEdit()
        list.acl = .set(ACL([.everybody: [.read]]))
        let named = UserEdit(identifiers: NewIdentifiers(phone: .set("+819012345678"), rules: .native))
        for edit in [named, list] {
            world.clock.advance(by: .seconds(1))
            let edited = try await world.edit(user.id, in: application, edit)
            #expect(edited.updatedAt == world.clock.now)
            #expect(try await world.modules.directory.readUser(user.id, in: application.id) == edited)
        }
    }

    static let refused: [([String: JSONValue], ValidationError)] = [
        (
            Dictionary(uniqueKeysWithValues: (0...100).map { ("field \($0)", 1) }),
            ValidationError(field: "fields", rule: .tooManyFields(maximum: 100))
        ),
        (
            ["big": .string(String(repeating: "b", count: 32 * 1024))],
            ValidationError(field: "fields", rule: .tooManyBytes(maximum: 32 * 1024))
        ),
        (
            [String(repeating: "k", count: 129): 1],
            ValidationError(
                field: "fields." + String(repeating: "k", count: 32), rule: .tooLong(maximumCharacters: 128))
        ),
        (["": 1], ValidationError(field: "fields.", rule: .empty)),
        (["line\nbreak": 1], ValidationError(field: "fields.linebreak", rule: .controlCharacter)),
        (["zero": ["inside": ["a\0b"]]], ValidationError(field: "fields.zero", rule: .controlCharacter)),
        (
            ["deep": (0..<16).reduce(1) { inner, _ in [inner] }],
            ValidationError(field: "fields.deep", rule: .tooDeep(maximumLevels: 16))
        ),
    ]

    @Test("is refused past a limit, by name, and nothing is changed", arguments: refused)
    func limits(fields: [String: JSONValue], fault: ValidationError) async throws {
        let (user, application) = try await user()
        await #expect(throws: DomainError.fieldsRefused([fault])) {
            try await world.edit(
                user.id, in: application, UserEdit(displayName: .set("new"), fields: .set(fields)))
        }
        #expect(try await world.modules.directory.readUser(user.id, in: application.id) == user)
    }

    @Test("names five hundred fields at the most, whatever becomes of them", arguments: [499, 500, 501])
    func named(count: Int) async throws {
        let (user, application) = try await user()
        let removals = Dictionary(uniqueKeysWithValues: (0..<count).map { ("field \($0)", JSONValue.null) })
        let refusal = await world.refusal {
            let after = try await world.edit(user.id, in: application, UserEdit(fields: .set(removals)))
            #expect(after == user)
        }
        let excess = ValidationError(field: "fields", rule: .tooManyFields(maximum: 500))
        #expect(refusal == (count > 500 ? .fieldsRefused([excess]) : nil))
    }

    @Test("counts what is there already against the limits")
    func sumOfFields() async throws {
        let (user, application) = try await user()
        let half = Dictionary(uniqueKeysWithValues: (0..<60).map { ("field \($0)", JSONValue.integer(1)) })
        try await world.edit(
            user.id, in: application, UserEdit(fields: .set(half)))
        let other = Dictionary(uniqueKeysWithValues: (60..<120).map { ("field \($0)", JSONValue.integer(1)) })
        await #expect(throws: DomainError.self) {
            try await world.edit(
                user.id, in: application, UserEdit(fields: .set(other)))
        }
    }

    @Test(
        "takes language tags and nothing else",
        arguments: [
            ("ja", true), ("zh-Hant-TW", true), ("de-CH-1996", true), ("", false), ("ja_JP", false), ("-ja", false),
            ("日本語", false), (String(repeating: "a", count: 36), false), ("abcdefghi", false),
        ])
    func languageTags(tag: String, isTaken: Bool) {
        #expect(ProfileRules.faults(ofLocale: tag).isEmpty == isTaken)
    }

    @Test("of nobody is refused")
    func nobody() async throws {
        let application = try await world.makeApplication()
        await #expect(throws: DomainError.userUnknown) {
            try await world.edit(
                Identifier(rawValue: "nobody"), in: application, UserEdit(displayName: .set("x")))
        }
    }

    private func user() async throws -> (User, Application) {
        let application = try await world.makeApplication()
        return (try await world.logIn(TestDevice(), to: application).user, application)
    }
}
