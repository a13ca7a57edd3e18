import TestWorld
import Testing
import enum OkaeriWire.JSONValue

@testable import Domain

/// What is recorded of two states of a user: every value that can differ, in every direction.
@Suite("The difference of two states of a user")
struct AccountChangeTests {
    typealias Changes = [AccountChange: [String: String]]

    private static let now = StandingClock().now

    private static func user(_ change: (inout User) -> Void) -> User {
        var user = User(
            id: Identifier(rawValue: "owner"), application: Identifier(rawValue: "app"), createdAt: now, updatedAt: now)
        user.username = "hana"
        change(&user)
        return user
    }

    private static func email(_ address: String?, isVerified: Bool = false) -> User {
        user {
            $0.email = address
            if isVerified { $0.emailVerifiedAt = now }
        }
    }

    private static func phone(_ number: String?, isVerified: Bool = false) -> User {
        user {
            $0.phone = number
            if isVerified { $0.phoneVerifiedAt = now }
        }
    }

    private static func identities(_ all: (Identity.Provider, String)...) -> User {
        user { $0.identities = all.map { Identity(provider: $0.0, subject: $0.1, linkedAt: now) } }
    }

    private static func names(_ kinds: String) -> [String: String] { ["identifiers": kinds] }

    private static let (mail, other, number, second) = (
        "hana@example.com", "mika@example.com", "+819012345678", "+819087654321"
    )

    private static let addresses: [(String, User, User, Changes)] = [
        ("a first address", email(nil), email(mail), [.identifiersChanged: names("username email")]),
        ("another address", email(mail), email(other), [.addressChanged: names("username email")]),
        ("other capitals", email(mail), email("Hana@example.com"), [.addressChanged: names("username email")]),
        ("no address any more", email(mail), email(nil), [.addressChanged: names("username")]),
        (
            "an address that counts as verified", email(mail), email(mail, isVerified: true),
            [.emailVerified: ["address": "same"]]
        ),
        (
            "an address that counts no more", email(mail, isVerified: true), email(mail),
            [.identifiersChanged: names("username email")]
        ),
        (
            "a first address that is verified", email(nil), email(mail, isVerified: true),
            [.identifiersChanged: names("username email"), .emailVerified: ["address": "new"]]
        ),
        (
            "another address that is verified", email(mail), email(other, isVerified: true),
            [.addressChanged: names("username email"), .emailVerified: ["address": "new"]]
        ),
        (
            "another verified address", email(mail, isVerified: true), email(other, isVerified: true),
            [.addressChanged: names("username email")]
        ),
        (
            "another address, not verified", email(mail, isVerified: true), email(other),
            [.addressChanged: names("username email")]
        ),
        ("a first number", phone(nil), phone(number), [.identifiersChanged: names("username phone")]),
        ("another number", phone(number), phone(second), [.addressChanged: names("username phone")]),
        ("no number any more", phone(number), phone(nil), [.addressChanged: names("username")]),
        (
            "a number that counts as verified", phone(number), phone(number, isVerified: true),
            [.phoneVerified: ["number": "same"]]
        ),
        (
            "a number that counts no more", phone(number, isVerified: true), phone(number),
            [.identifiersChanged: names("username phone")]
        ),
        (
            "a first number that is verified", phone(nil), phone(number, isVerified: true),
            [.identifiersChanged: names("username phone"), .phoneVerified: ["number": "new"]]
        ),
        (
            "another number that is verified", phone(number), phone(second, isVerified: true),
            [.addressChanged: names("username phone"), .phoneVerified: ["number": "new"]]
        ),
        ("a number for an address", email(mail), phone(number), [.addressChanged: names("username phone")]),
        (
            "a number beside an address", email(mail),
            user { ($0.email, $0.phone) = (mail, number) }, [.identifiersChanged: names("username email phone")]
        ),
        (
            "another user name", email(mail), user { ($0.username, $0.email) = ("mika", mail) },
            [
                .identifiersChanged: names("username email")
            ]
        ),
        (
            "a user name in capitals", user { _ in }, user { $0.username = "HANA" },
            [
                .identifiersChanged: names("username")
            ]
        ),
        (
            "no user name any more", email(mail), user { ($0.username, $0.email) = (nil, mail) },
            [
                .identifiersChanged: names("email")
            ]
        ),
        (
            "another name and another address", email(mail), user { ($0.username, $0.email) = ("mika", other) },
            [.addressChanged: names("username email")]
        ),
    ]

    @Test(
        "is, of addresses and names, which of them there are now and never what they are", arguments: addresses.indices)
    func address(index: Int) {
        let (name, before, after, changes) = Self.addresses[index]
        #expect(AccountChange.between(before, after) == changes, "\(name)")
    }

    private static let ways: [(String, User, User, Changes)] = [
        ("the first", identities(), identities((.google, "g")), [.identityLinked: ["provider": "google"]]),
        ("the last", identities((.google, "g")), identities(), [.identityUnlinked: ["provider": "google"]]),
        (
            "another person of the same provider", identities((.google, "g")), identities((.google, "h")),
            [.identityLinked: ["provider": "google"], .identityUnlinked: ["provider": "google"]]
        ),
        (
            "the same name at another provider", identities((.google, "g")), identities((.apple, "g")),
            [.identityLinked: ["provider": "apple"], .identityUnlinked: ["provider": "google"]]
        ),
        (
            "one beside another", identities((.google, "g")), identities((.google, "g"), (.apple, "a")),
            [.identityLinked: ["provider": "apple"]]
        ),
        (
            "one of two", identities((.google, "g"), (.apple, "a")), identities((.apple, "a")),
            [.identityUnlinked: ["provider": "google"]]
        ),
        (
            "two at once, by their names", identities(), identities((.google, "g"), (.apple, "a")),
            [.identityLinked: ["provider": "apple google"]]
        ),
        (
            "two of one provider are one", identities((.google, "g"), (.google, "h")), identities(),
            [.identityUnlinked: ["provider": "google"]]
        ),
        (
            "an id that a client made", identities(), identities((.anonymous, "id")),
            [.identityLinked: ["provider": "anonymous"]]
        ),
        (
            "another id that a client made", identities((.anonymous, "id")), identities((.anonymous, "di")),
            [.identityLinked: ["provider": "anonymous"], .identityUnlinked: ["provider": "anonymous"]]
        ),
        ("a device key has rows of its own", identities(), identities((.device, "key")), [:]),
        ("a device key that goes, too", identities((.device, "key")), identities(), [:]),
        ("another order", identities((.google, "g"), (.apple, "a")), identities((.apple, "a"), (.google, "g")), [:]),
    ]

    @Test("is, of what leads to the user, the providers of what came and of what went", arguments: ways.indices)
    func way(index: Int) {
        let (name, before, after, changes) = Self.ways[index]
        #expect(AccountChange.between(before, after) == changes, "\(name)")
    }

    private static let disabled = user { $0.disabledAt = now }
    private static let disabledLater = user { $0.disabledAt = now + .days(1) }
    private static let listed = user { $0.acl = ACL([.everybody: [.read]]) }

    private static let standings: [(String, User, User, Changes)] = [
        ("kept out", user { _ in }, disabled, [.disabled: [:]]),
        ("let in", disabled, user { _ in }, [.enabled: [:]]),
        ("kept out all the time", disabled, disabledLater, [:]),
        ("a first list", user { _ in }, listed, [.aclChanged: [:]]),
        ("no list any more", listed, user { _ in }, [.aclChanged: [:]]),
        ("a list without entries", user { _ in }, user { $0.acl = ACL() }, [.aclChanged: [:]]),
        ("the same list", listed, listed, [:]),
        ("a profile is nobody's safety", user { _ in }, user { ($0.displayName, $0.fields) = ("Hana", ["a": 1]) }, [:]),
        ("a password is not seen here", user { _ in }, user { $0.passwordSetAt = now }, [:]),
        (
            "all at once", listed, user { ($0.disabledAt, $0.username) = (now, "mika") },
            [.aclChanged: [:], .disabled: [:], .identifiersChanged: names("username")]
        ),
    ]

    @Test("is, of standing and access, a row of the table for each", arguments: standings.indices)
    func standing(index: Int) {
        let (name, before, after, changes) = Self.standings[index]
        #expect(AccountChange.between(before, after) == changes, "\(name)")
    }
}

/// Whom the audit log and the table take somebody for.
@Suite("Who asks for a change of an account")
struct AccountActorTests {
    private static let now = StandingClock().now
    private static let (owner, other) = (Identifier<User>(rawValue: "owner"), Identifier<User>(rawValue: "other"))

    private static func user(_ acl: ACL?, isDisabled: Bool = false) -> User {
        var user = User(id: owner, application: Identifier(rawValue: "app"), createdAt: now, updatedAt: now)
        user.acl = acl
        user.disabledAt = isDisabled ? now : nil
        return user
    }

    private static let writable = ACL([.everybody: [.write]])
    private static let readable = ACL([.everybody: [.read]])
    private static let others = ACL([.user(other): [.write]])
    private static let own = ACL([.user(owner): [.read]])

    private static let roles: [(AccountActor, ACL?, Bool, AccountRole)] = [
        (.owner(owner), nil, false, .owner), (.owner(owner), own, false, .owner), (.owner(owner), nil, true, .stranger),
        (.owner(owner), writable, true, .stranger), (.owner(other), nil, false, .stranger),
        (.owner(other), writable, false, .writer), (.owner(other), readable, false, .stranger),
        (.owner(other), others, false, .writer), (.owner(other), others, true, .writer),
        (.user(nil, standard: []), nil, false, .stranger), (.user(nil, standard: [.write]), nil, false, .writer),
        (.user(nil, standard: [.read]), nil, false, .stranger),
        (.user(nil, standard: [.write]), readable, false, .stranger),
        (.user(nil, standard: []), writable, false, .writer),
        (.user(nil, standard: [.write]), others, false, .stranger),
        (.holder(of: owner), nil, false, .holder), (.holder(of: owner), nil, true, .holder),
        (.holder(of: other), writable, false, .stranger), (.newcomer, writable, false, .stranger),
        (.operator, nil, true, .operator), (.protocolKey(.native), nil, true, .operator),
        (.provider(.apple), nil, true, .provider), (.server, nil, true, .server),
    ]

    @Test("has one role, by the user, its access list and whether it is kept out", arguments: roles.indices)
    func role(index: Int) {
        let (actor, acl, isDisabled, role) = Self.roles[index]
        #expect(
            actor.role(towards: Self.user(acl, isDisabled: isDisabled)) == role, "\(actor) \(String(describing: acl))")
    }

    private static let names: [(AccountActor, AuditEntry.Actor, FieldActor)] = [
        (.owner(owner), .user(owner), .owner), (.owner(other), .user(other), .others),
        (.user(nil, standard: [.write]), .unknown, .others), (.holder(of: owner), .user(owner), .owner),
        (.holder(of: other), .user(other), .others), (.newcomer, .unknown, .others), (.operator, .operator, .server),
        (.protocolKey(.native), .protocolKey(.native), .server),
        (.provider(.apple), .provider(.apple), .server), (.server, .server, .server),
    ]

    @Test(
        "has one name in the audit log, and writes fields as owner, as somebody else or as the server",
        arguments: names.indices)
    func name(index: Int) {
        let (actor, inAudit, writing) = Self.names[index]
        #expect(actor.inAudit == inAudit && actor.writing(to: Self.user(nil)) == writing, "\(actor)")
    }
}
