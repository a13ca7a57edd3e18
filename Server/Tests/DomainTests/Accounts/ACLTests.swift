import Domain
import TestWorld
import Testing

@Suite("An access control list")
struct ACLTests {
    private static let hana = Identifier<User>(rawValue: "hana")
    private static let mika = Identifier<User>(rawValue: "mika")
    private static let all: [ACL.Rights] = [[], .read, .write, [.read, .write]]

    @Test("gives what everybody may and what the asker may, and roles nothing", arguments: all, all)
    func rights(everybody: ACL.Rights, own: ACL.Rights) {
        for role in Self.all {
            let list = ACL([.everybody: everybody, .user(Self.hana): own, .role("hana"): role, .role("*"): role])
            #expect(list.rights(of: Self.hana) == everybody.union(own))
            #expect(list.rights(of: Self.mika) == everybody)
            #expect(list.rights(of: nil) == everybody)
        }
    }

    @Test(
        "gives the user itself everything, and others what the list or the application has",
        arguments: [nil, [], .read, .write, [.read, .write]] as [ACL.Rights?], all)
    func user(everybody: ACL.Rights?, standard: ACL.Rights) {
        let now = StandingClock().now
        var user = User(id: Self.hana, application: Identifier(rawValue: "app"), createdAt: now, updatedAt: now)
        user.acl = everybody.map { ACL([.everybody: $0]) }
        #expect(user.rights(of: Self.hana, standard: standard) == [.read, .write])
        #expect(user.rights(of: Self.mika, standard: standard) == everybody ?? standard)
        #expect(user.rights(of: nil, standard: standard) == everybody ?? standard)
        #expect(user.isWritableByEverybody == (everybody?.contains(.write) ?? false))
    }

    @Test(
        "is written as the backends write it",
        arguments: [
            ("*", .everybody), ("role:admin", .role("admin")), ("role:", .role("")), ("hana", .user(hana)),
            ("Role:admin", .user(Identifier(rawValue: "Role:admin"))), ("", .user(Identifier(rawValue: ""))),
            ("**", .user(Identifier(rawValue: "**"))),
        ] as [(String, ACL.Subject)])
    func subjects(text: String, subject: ACL.Subject) {
        #expect(ACL.Subject(text: text) == subject)
        #expect(subject.text == text)
    }

    @Test("has up to 100 entries of up to 128 characters, and tells one fault at a time")
    func limits() {
        func list(_ count: Int) -> ACL {
            ACL(Dictionary(uniqueKeysWithValues: (0..<count).map { (ACL.Subject.role("\($0)"), ACL.Rights.read) }))
        }
        #expect(list(0).faults(field: "acl").isEmpty && list(100).faults(field: "acl").isEmpty)
        #expect(list(101).faults(field: "acl") == [ValidationError(field: "acl", rule: .tooManyFields(maximum: 100))])
        for (subject, rule) in [
            (ACL.Subject.role(String(repeating: "x", count: 123)), nil), (.user(Identifier(rawValue: "")), .empty),
            (.role(String(repeating: "x", count: 124)), .tooLong(maximumCharacters: 128)),
            (.role("\n"), .controlCharacter),
        ] as [(ACL.Subject, ValidationError.Rule?)] {
            #expect(ACL([subject: .read]).faults(field: "acl").map(\.rule) == (rule.map { [$0] } ?? []))
        }
        let bad = Dictionary(uniqueKeysWithValues: (0..<9).map { (ACL.Subject.role("\n\($0)"), ACL.Rights.read) })
        #expect(ACL(bad).faults(field: "acl").count == 1)
    }
}
