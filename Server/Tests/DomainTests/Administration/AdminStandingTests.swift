import TestWorld
import Testing

@testable import Domain

/// Which admins may come in and look after others, for every set of what an admin can have.
@Suite("The standing of an admin")
struct AdminStandingTests {
    /// What an admin has, one bit each.
    private enum Part: Int, CaseIterable {
        case password, authenticator, passkeysOnly, logIn, disabled
    }

    private static let sets = 0..<(1 << Part.allCases.count)
    private static let now = StandingClock().now

    private static func has(_ bits: Int, _ part: Part) -> Bool { bits & 1 << part.rawValue != 0 }

    private static func admin(_ bits: Int, _ role: AdminRole) -> Admin {
        var admin = Admin(
            id: Identifier(rawValue: "a"), name: "Hana", role: role, applications: nil, createdAt: now)
        if has(bits, .password) { admin.passwordHash = PasswordHash(text: "hash") }
        if has(bits, .authenticator) { admin.sealedTOTP = [1] }
        admin.usesPasskeysOnly = has(bits, .passkeysOnly)
        if has(bits, .logIn) { admin.lastLogInAt = now }
        if has(bits, .disabled) { admin.disabledAt = now }
        return admin
    }

    @Test("looks after others as an owner who is set up and not disabled", arguments: AdminRole.allCases)
    func acting(role: AdminRole) {
        for bits in Self.sets {
            let isSetUp =
                Self.has(bits, .passkeysOnly) || Self.has(bits, .password) && Self.has(bits, .authenticator)
            let admin = Self.admin(bits, role)
            #expect(admin.isSetUp == isSetUp, "\(bits)")
            #expect(admin.isDisabled == Self.has(bits, .disabled), "\(bits)")
            let acts = role == .owner && isSetUp && !Self.has(bits, .disabled)
            #expect(admin.isActingOwner == acts, "\(bits)")
        }
    }

    @Test("with a password alone comes in only where the first owner may go without an authenticator")
    func authenticator() {
        for bits in Self.sets {
            let admin = Self.admin(bits, .owner)
            let lacks = Self.has(bits, .password) && !Self.has(bits, .authenticator)
            #expect(admin.lacksAuthenticator == lacks, "\(bits)")
            #expect(AdminSecondFactor.demanded.admits(admin) == !lacks, "\(bits)")
            #expect(AdminSecondFactor.optionalForFirstOwner.admits(admin), "\(bits)")
        }
    }

    @Test("is complete with a password or with passkeys, and never without both", arguments: [false, true])
    func complete(isDemanded: Bool) {
        let rule: AdminSecondFactor = isDemanded ? .demanded : .optionalForFirstOwner
        for bits in Self.sets {
            let admin = Self.admin(bits, .support)
            let hasCredential = Self.has(bits, .password) || Self.has(bits, .passkeysOnly)
            #expect(rule.isComplete(admin) == (hasCredential && rule.admits(admin)), "\(bits)")
            // The laxer rule refuses nobody whom the stricter one takes.
            if AdminSecondFactor.demanded.isComplete(admin) {
                #expect(AdminSecondFactor.optionalForFirstOwner.isComplete(admin), "\(bits)")
            }
        }
    }

    @Test(
        "names a hundred of the admin's applications in the audit log, and counts the others",
        arguments: [0, 1, 99, 100, 101, 250])
    func applications(count: Int) {
        let ids = (0..<count).map { "\(1000 + $0)" }
        let some: Set<Identifier<Application>>? = Set(ids.map { Identifier<Application>(rawValue: $0) })
        let others = count > 100 ? " +\(count - 100)" : ""
        #expect(some.inAudit == ids.prefix(100).joined(separator: " ") + others)
        let all: Set<Identifier<Application>>? = nil
        #expect(all.inAudit == "all")
    }

    @Test("is shown as active once there is a way in that is good everywhere, unless the admin is disabled")
    func shown() {
        for bits in Self.sets {
            let admin = Self.admin(bits, .support)
            let expected: Admin.Standing =
                if Self.has(bits, .disabled) {
                    .disabled
                } else if admin.isSetUp || admin.usesSignOnOnly {
                    .active
                } else if Self.has(bits, .password) {
                    .withoutAuthenticator
                } else {
                    .invited
                }
            #expect(admin.standing == expected, "\(bits)")
        }
    }

    @Test("is by the provider of admins alone after a log-in without password and passkeys")
    func signOn() {
        for bits in Self.sets {
            let admin = Self.admin(bits, .operator)
            let hasNothingElse = !Self.has(bits, .password) && !Self.has(bits, .passkeysOnly)
            #expect(admin.usesSignOnOnly == (hasNothingElse && Self.has(bits, .logIn)), "\(bits)")
        }
    }
}
