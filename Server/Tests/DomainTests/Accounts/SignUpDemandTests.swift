import TestWorld
import Testing
import enum OkaeriWire.JSONValue

@testable import Domain

@Suite("What an application demands of people who register")
struct SignUpDemandTests {
    @Test(
        "holds its own protocol always, and others when it says so", arguments: [true, false],
        [(true, 1), (true, 5), (false, 1), (false, 5)])
    func held(holdsOld: Bool, asked: (isRequired: Bool, minimum: Int)) {
        let (isRequired, minimum) = asked
        var demands = SignUpRules()
        (demands.holdsOldProtocols, demands.isEmailRequired) = (holdsOld, isRequired)
        demands.usernameMinimumCharacters = minimum
        let native = AccountRules.native.held(to: demands)
        #expect(native.userNameMinimumCharacters == minimum && native.demandsEmail == isRequired)
        let old = AccountRules.samples.held(to: demands)
        #expect(old.userNameMinimumCharacters == (holdsOld ? minimum : AccountRules.samples.userNameMinimumCharacters))
        #expect(old.demandsEmail == (holdsOld && isRequired && AccountRules.samples.takesEmail))
        // An address is demanded by no protocol that has none.
        let without = AccountRules(
            userNames: .anyText(maximumCharacters: 9), passwords: .anyText(minimumCharacters: 1), takesEmail: false)
        #expect(!without.held(to: demands).demandsEmail)
    }

    @Test("is a name of 1 to 64 characters", arguments: [-1, 0, 1, 2, 63, 64, 65])
    func lengths(number: Int) {
        var demands = SignUpRules()
        demands.usernameMinimumCharacters = number
        let rule: ValidationError.Rule? =
            number < 1 ? .tooShort(minimumCharacters: 1) : number > 64 ? .tooLong(maximumCharacters: 64) : nil
        #expect(
            demands.faults
                == (rule.map { [ValidationError(field: "signUp.usernameMinimumCharacters", rule: $0)] } ?? []))
    }

    private static func user(email: String? = nil, name: String? = nil) -> User {
        let now = StandingClock().now
        var user = User(
            id: Identifier(rawValue: "u"), application: Identifier(rawValue: "app"), createdAt: now, updatedAt: now)
        (user.email, user.username) = (email, name)
        return user
    }

    /// What is asked for, who asks, and whether an address is missing then.
    private static let missing: [(name: String, before: User, asked: NewIdentifiers, isMissing: Bool)] = [
        ("nothing", user(), NewIdentifiers(rules: .native), false),
        ("a name of a guest", user(), NewIdentifiers(username: .set("hana"), rules: .native), true),
        ("a number of a guest", user(), NewIdentifiers(phone: .set("+81312345678"), rules: .native), true),
        (
            "a name with an address", user(),
            NewIdentifiers(username: .set("hana"), email: .set("h@example.com"), rules: .native), false
        ),
        // What is no address has its own fault.
        (
            "a name with no address", user(), NewIdentifiers(username: .set("hana"), email: .set("x"), rules: .native),
            false
        ),
        // What a registered user lacks already is not demanded later, and what one has is not taken away.
        ("another name", user(name: "h"), NewIdentifiers(username: .set("hana"), rules: .native), false),
        (
            "no address any more", user(email: "h@example.com", name: "h"),
            NewIdentifiers(email: .removed, rules: .native), true
        ),
        (
            "another name beside an address", user(email: "h@example.com", name: "h"),
            NewIdentifiers(username: .set("hana"), rules: .native), false
        ),
    ]

    @Test("is an address of who becomes registered, and of nobody who is", arguments: missing.indices, [true, false])
    func addresses(index: Int, isDemanded: Bool) {
        let row = Self.missing[index]
        var asked = row.asked
        asked.rules.demandsEmail = isDemanded
        var user = row.before
        _ = asked.apply(to: &user)
        let faults = asked.missing(in: user, from: row.before)
        #expect(
            faults == (isDemanded && row.isMissing ? [ValidationError(field: "email", rule: .required)] : []),
            "\(row.name)")
        // One that waits for its mail counts.
        asked.pendingEmail = "h@example.com"
        #expect(asked.missing(in: user, from: row.before).isEmpty)
    }
}

@Suite("What is personal")
struct RedactedTextTests {
    private static let rows: [(String?, text: String?, email: String?, phone: String?, address: String?)] = [
        (nil, nil, nil, nil, nil), ("", "•••", "•••", "•••", ".•••"), ("h", "h•••", "h•••", "•••h", "h.•••"),
        ("hana@example.com", "h•••", "h•••@e•••.com", "•••om", "hana@example.com.•••"),
        ("hana@mail.example.co.jp", "h•••", "h•••@m•••.jp", "•••jp", "hana@mail.example.•••"),
        ("+81312345678", "+•••", "+•••", "•••78", "+81312345678.•••"),
        ("192.0.2.7", "1•••", "1•••", "•••.7", "192.0.•••"), ("2001:db8::7", "2•••", "2•••", "•••:7", "2001:db8:•••"),
        ("花子", "花•••", "花•••", "•••花子", "花子.•••"), ("👨‍👩‍👧x", "👨•••", "👨•••", "•••👨‍👩‍👧x", "👨‍👩‍👧x.•••"),
    ]

    @Test("leaves enough to tell two users apart, and no more", arguments: rows.indices)
    func texts(index: Int) {
        let row = Self.rows[index]
        #expect(Redaction.text(row.0) == row.text)
        #expect(Redaction.email(row.0) == row.email)
        #expect(Redaction.phone(row.0) == row.phone)
        #expect(Redaction.address(row.0) == row.address)
    }

    @Test("of a user is in the names, identities and values of fields, and in nothing else")
    func users() {
        let now = StandingClock().now
        var user = User(
            id: Identifier(rawValue: "u"), application: Identifier(rawValue: "app"), displayName: "Hana Kato",
            locale: "ja", fields: ["level": 3, "secret": "yes", "list": [1, 2]],
            identities: [Identity(provider: .google, subject: "117", linkedAt: now)], createdAt: now, updatedAt: now)
        (user.username, user.email, user.phone) = ("hana", "hana@example.com", "+81312345678")
        let masked = Redaction.user(user)
        #expect(masked.fields == ["level": "•••", "secret": "•••", "list": "•••"])
        #expect(masked.identities.map(\.subject) == ["1•••"] && masked.identities.map(\.provider) == [.google])
        #expect(masked.username == "h•••" && masked.displayName == "H•••" && masked.phone == "•••78")
        #expect(masked.id == user.id && masked.locale == "ja" && masked.createdAt == user.createdAt)
        let shown = "\(masked)"
        for secret in ["hana@", "Kato", "8131234", "yes", "117"] { #expect(!shown.contains(secret), "\(secret)") }
    }
}
