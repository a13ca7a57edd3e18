import TestWorld
import Testing

@testable import Domain

@Suite("A view of the list of users")
struct UserListViewRuleTests {
    private static func view(_ change: (inout UserListView) -> Void = { _ in }) -> UserListView {
        var view = UserListView(name: "view")
        change(&view)
        return view
    }

    private static func rules(_ change: (inout UserListView) -> Void) -> [ValidationError.Rule] {
        view(change).faults().map(\.rule)
    }

    @Test(
        "shows all users when nothing is chosen, and those of one kind when a kind is",
        arguments: UserListView.Kind.allCases)
    func kinds(kind: UserListView.Kind) {
        #expect(Self.view().filter == BrowseUsers.Filter())
        let filter = Self.view { $0.kind = kind }.filter
        let flags = [filter.isAnonymous, filter.isDisabled, filter.isLeaving, filter.hasWeakCredential]
        #expect(flags.compactMap(\.self) == [kind != .registered])
    }

    @Test("keeps every other condition")
    func conditions() {
        let now = StandingClock().now
        let filter = Self.view {
            $0.provider = .apple
            $0.protocolName = .native
            $0.seenSince = now
            $0.notSeenSince = now + .days(1)
            $0.search = "hana"
        }.filter
        #expect(filter.provider == .apple && filter.protocolName == .native && filter.search == "hana")
        #expect(filter.seenSince == now && filter.notSeenSince == now + .days(1))
    }

    @Test("with a search is shown to those alone who see personal data", arguments: AdminRole.allCases)
    func search(role: AdminRole) {
        let admin = Admin(
            id: Identifier(rawValue: "a"), name: "Hana", role: role, applications: nil, createdAt: StandingClock().now)
        let access = AdminAccess(
            holder: .admin(admin), name: admin.name, permissions: role.permissions, applications: nil)
        let reader = AdminReader(access, in: Identifier(rawValue: "app"))
        #expect(Self.view().isShown(to: reader))
        #expect(
            Self.view { $0.search = "hana" }.isShown(to: reader) == role.permissions.contains(.readPersonalData))
    }

    @Test("has a name, each column once, and no more than six fields of the application's own")
    func limits() {
        #expect(Self.rules { _ in }.isEmpty)
        #expect(Self.rules { $0.name = "" } == [.empty])
        #expect(Self.rules { $0.columns = UserListView.Column.allCases }.isEmpty)
        #expect(Self.rules { $0.columns = [.name, .id, .name] } == [.notUnique])
        #expect(Self.rules { $0.fields = (1...6).map { "f\($0)" } }.isEmpty)
        #expect(Self.rules { $0.fields = (1...7).map { "f\($0)" } } == [.tooManyFields(maximum: 6)])
        #expect(Self.rules { $0.search = String(repeating: "x", count: 201) } == [.tooLong(maximumCharacters: 200)])
    }
}
