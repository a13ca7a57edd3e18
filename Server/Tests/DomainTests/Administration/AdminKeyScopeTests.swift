import TestWorld
import Testing

@testable import Domain

@Suite("Keys of admins")
struct AdminKeyScopeTests {
    private static func access(_ permissions: Set<AdminPermission>) -> AdminAccess {
        AdminAccess(
            holder: .key(Identifier(rawValue: "k")), name: "CI", permissions: permissions, applications: nil)
    }

    @Test("are offered no more than their maker may do, and never admins", arguments: AdminRole.allCases)
    func roles(role: AdminRole) {
        let scopes = Set(AdminKey.scopes(offeredTo: Self.access(role.permissions)))
        #expect(scopes == role.permissions.subtracting([.manageAdmins]))
    }

    @Test("with one permission do exactly what needs no other", arguments: AdminPermission.allCases)
    func permissions(permission: AdminPermission) {
        let access = Self.access([permission])
        for action in AdminAction.allCases {
            let isAllowed =
                switch action.policy.access {
                case .open, .everyAdmin: true
                case .commandLine: false
                case .permissions(let needed): Set(needed).isSubset(of: [permission])
                }
            #expect(access.may(action, in: nil) == isAllowed, "\(action)")
        }
    }

    @Test(
        "for one application do nothing in another one, and nothing for the whole server",
        arguments: AdminAction.allCases)
    func applications(action: AdminAction) {
        let own = Identifier<Application>(rawValue: "own")
        let access = AdminAccess(
            holder: .key(Identifier(rawValue: "k")), name: "CI", permissions: Set(AdminPermission.allCases),
            applications: [own])
        #expect(access.sees(own) && !access.sees(Identifier(rawValue: "other")))
        guard case .permissions(let needed) = action.policy.access, !needed.isEmpty else { return }
        #expect(access.may(action, in: own))
        #expect(!access.may(action, in: Identifier(rawValue: "other")))
        #expect(!access.may(action, in: nil))
    }
}
