import TestWorld
import Testing

@testable import Domain

/// Who asks for a change of an account, by every kind of asker.
@Suite("Who asks for a change")
struct AccountActorTableTests {
    private static let now = StandingClock().now
    private static let owner = Identifier<User>(rawValue: "owner")
    private static let other = Identifier<User>(rawValue: "other")

    private static func user(isDisabled: Bool = false) -> User {
        var user = User(id: owner, application: Identifier(rawValue: "a"), createdAt: now, updatedAt: now)
        user.disabledAt = isDisabled ? now : nil
        return user
    }

    /// Asker, whether hooks are asked, whether it operates, its role towards the owner, and towards the disabled owner.
    private static let rows: [(AccountActor, asksHooks: Bool, operates: Bool, AccountRole, AccountRole)] = [
        (.owner(owner), true, false, .owner, .stranger),
        (.owner(other), true, false, .stranger, .stranger),
        (.user(nil, standard: []), true, false, .stranger, .stranger),
        (.holder(of: owner), true, false, .holder, .holder),
        (.holder(of: other), true, false, .stranger, .stranger),
        (.newcomer, true, false, .stranger, .stranger),
        (.operator, false, true, .operator, .operator),
        (.protocolKey(.single), false, true, .operator, .operator),
        (.provider(.apple), false, false, .provider, .provider),
        (.server, false, false, .server, .server),
    ]

    @Test("is asked about unless it decides by itself, and operates or does not", arguments: rows.indices)
    func table(index: Int) {
        let (actor, asksHooks, operates, role, roleOfDisabled) = Self.rows[index]
        #expect(actor.asksHooks == asksHooks)
        #expect(actor.isOperator == operates)
        #expect(actor.role(towards: Self.user()) == role)
        #expect(actor.role(towards: Self.user(isDisabled: true)) == roleOfDisabled)
        #expect(actor.isOperator == (role == .operator))
    }

    private static func isRefused(_ changes: Set<AccountChange>, _ actor: AccountActor, _ user: User) -> Bool {
        do throws(DomainError) {
            try actor.require(changes, of: user)
            return false
        } catch {
            return error == .accessRefused
        }
    }

    @Test("may make several changes exactly when it may make each", arguments: rows.indices, [false, true])
    func several(index: Int, isDisabled: Bool) {
        let (actor, user) = (Self.rows[index].0, Self.user(isDisabled: isDisabled))
        for one in AccountChange.allCases {
            #expect(Self.isRefused([one], actor, user) == !actor.may(one, user), "\(one)")
            for other in AccountChange.allCases {
                let mayBoth = actor.may(one, user) && actor.may(other, user)
                #expect(Self.isRefused([one, other], actor, user) == !mayBoth, "\(one) \(other)")
            }
        }
        #expect(!Self.isRefused([], actor, user))
    }

    @Test("may as a disabled owner make the changes that a stranger may make", arguments: AccountChange.allCases)
    func disabled(change: AccountChange) {
        let user = Self.user(isDisabled: true)
        #expect(AccountActor.owner(Self.owner).may(change, user) == AccountActor.owner(Self.other).may(change, user))
    }
}
