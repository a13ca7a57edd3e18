import TestWorld
import Testing

@testable import Domain

/// Who a user is and what leads to it, over every combination of identities, identifiers and passwords.
@Suite("A user")
struct UserReachTests {
    private static let now = StandingClock().now
    private static let providers: [Identity.Provider] = [.device, .anonymous, .apple]

    /// What a user has, as bits: an identity of each provider, a name, an address, a number, a password.
    private static func user(_ bits: Int) -> User {
        var user = User(
            id: Identifier(rawValue: "u"), application: Identifier(rawValue: "app"), createdAt: now, updatedAt: now)
        for (index, provider) in providers.enumerated() where bits >> index & 1 == 1 {
            user.identities.append(Identity(provider: provider, subject: "s", linkedAt: now))
        }
        if bits >> 3 & 1 == 1 { user.username = "hana" }
        if bits >> 4 & 1 == 1 { user.email = "hana@example.com" }
        if bits >> 5 & 1 == 1 { user.phone = "+819012345678" }
        if bits >> 6 & 1 == 1 { user.passwordSetAt = now }
        return user
    }

    @Test("is anonymous as long as nothing leads to it that a person could name", arguments: 0..<128)
    func anonymous(bits: Int) {
        let user = Self.user(bits)
        let hasIdentifier = bits & 0b111000 != 0
        #expect(user.isAnonymous == (!hasIdentifier && bits & 0b100 == 0))
        #expect(user.isOutOfReach == (!hasIdentifier && bits & 0b111 == 0))
        let kinds: [LogInIdentifier.Kind] = [.username, .email, .phone]
        let typed = kinds.indices.filter { bits >> (3 + $0) & 1 == 1 }.map { kinds[$0] }
        #expect(user.typedIdentifiers.map(\.kind) == typed)
        #expect(user.hasPassword == (bits & 0b1000000 != 0))
    }

    @Test(
        "has a way in without some identities when another, a typed password or a code by mail leads to it",
        arguments: 0..<128)
    func wayIn(bits: Int) {
        for email in [nil, "hana@example.com", "x@privaterelay.appleid.com", "X@PrivateRelay.AppleID.com"] {
            for isVerified in [true, false] {
                var user = Self.user(bits)
                if let email { user.email = email }
                user.emailVerifiedAt = isVerified && user.email != nil ? Self.now : nil
                let isRelayed = email?.lowercased().hasSuffix("privaterelay.appleid.com") ?? false
                let byMail = user.emailVerifiedAt != nil && !isRelayed
                let byPassword = user.hasPassword && !user.typedIdentifiers.isEmpty
                #expect(user.hasRelayedEmail == isRelayed)
                for removed in [0, 1, 4, 5, 7] {
                    let gone = Self.user(removed).identities
                    let byIdentity = bits & 0b111 & ~removed != 0
                    #expect(user.hasWayIn(without: gone, by: nil) == (byIdentity || byPassword || byMail), "\(removed)")
                }
            }
        }
    }

    @Test("has a way in by what works now, when that is asked: providers that are on, and mail where it can be sent")
    func workingWays() {
        var user = Self.user(0)
        (user.email, user.emailVerifiedAt, user.passwordSetAt) = ("hana@example.com", Self.now, nil)
        #expect(user.hasWayIn(without: [], by: WorkingWays(providers: [], hasMail: true)))
        #expect(!user.hasWayIn(without: [], by: WorkingWays(providers: [], hasMail: false)))
        user.identities = [Identity(provider: .google, subject: "hana", linkedAt: Self.now)]
        #expect(!user.hasWayIn(without: [], by: WorkingWays(providers: [.apple], hasMail: false)))
        #expect(user.hasWayIn(without: [], by: WorkingWays(providers: [.google], hasMail: false)))
        #expect(user.hasWayIn(without: [], by: nil))
        user.identities.append(Identity(provider: .device, subject: "key", linkedAt: Self.now))
        #expect(user.hasWayIn(without: [], by: WorkingWays(providers: [], hasMail: false)))
        user.identities = []
        user.passwordSetAt = Self.now
        #expect(user.hasWayIn(without: [], by: WorkingWays(providers: [], hasMail: false)))
    }

    @Test("that gets another address or number has it unverified, and keeps what stays verified", arguments: 0..<27)
    func verified(number: Int) {
        func change(_ digit: Int, same: String, other: String) -> ValueChange<String> {
            digit == 0 ? .unchanged : .set(digit == 1 ? same : other)
        }
        var user = Self.user(0b1111000)
        (user.emailVerifiedAt, user.phoneVerifiedAt) = (Self.now, Self.now)
        let (email, phone) = (number % 3, number / 3 % 3)
        let isRemoved = number / 9
        var identifiers = NewIdentifiers(
            email: change(email, same: "hana@Example.com", other: "mika@example.com"),
            phone: change(phone, same: "+81 90 1234 5678", other: "+819000000000"), rules: .native)
        if isRemoved == 1 { identifiers.email = .removed }
        if isRemoved == 2 { identifiers.phone = .removed }
        #expect(identifiers.apply(to: &user).isEmpty)
        let wantedEmail = isRemoved == 1 ? nil : email == 2 ? "mika@example.com" : "hana@example.com"
        let wantedPhone = isRemoved == 2 ? nil : phone == 2 ? "+819000000000" : "+819012345678"
        #expect(user.email == wantedEmail && user.phone == wantedPhone && user.username == "hana")
        #expect((user.emailVerifiedAt != nil) == (wantedEmail == "hana@example.com"))
        #expect((user.phoneVerifiedAt != nil) == (wantedPhone == "+819012345678"))
    }

    @Test("learns of every identifier that is none, each with its field")
    func faults() {
        var user = Self.user(0b1111000)
        var identifiers = NewIdentifiers(
            username: .set("a@b"), email: .set("none"), phone: .set("123"), rules: .native)
        let found = identifiers.apply(to: &user)
        #expect(found.map(\.field) == ["username", "email", "phone"])
        #expect(found.map(\.rule) == [.notAUserName, .notAMailAddress, .notAPhoneNumber])
        identifiers = NewIdentifiers(rules: .native)
        #expect(identifiers.isEmpty && identifiers.changed.isEmpty)
        identifiers.pendingEmail = "none"
        #expect(identifiers.apply(to: &user).map(\.rule) == [.notAMailAddress])
        let removing = NewIdentifiers(phone: .removed, rules: .native)
        #expect(removing.changed == ["phone"] && !removing.isEmpty)
    }
}
