import StorageSQLite
import TestWorld
import Testing

@testable import Domain

/// Every action with every kind of actor, compared with the rules as a person would say them.
@Suite("Every action of an admin")
struct AdminActionMatrixTests {
    private static let own = Identifier<Application>(rawValue: "own")
    private static let other = Identifier<Application>(rawValue: "other")

    private let world: TestWorld

    init() throws {
        world = try TestWorld(try SQLiteStore(.memory, role: .server))
    }

    private func admin(_ role: AdminRole, in applications: Set<Identifier<Application>>?) -> Admin {
        Admin(
            id: Identifier(rawValue: role.rawValue), name: role.rawValue, role: role, applications: applications,
            createdAt: world.clock.now)
    }

    private func refusal(
        _ action: AdminAction, by actor: AdminActor, in application: Identifier<Application>?
    ) async -> DomainError? {
        do throws(DomainError) {
            try await world.modules.administration.perform(
                action, by: actor, in: application, on: nil, refusal: { $0 }, { _ throws(DomainError) in }
            )
            return nil
        } catch {
            return error
        }
    }

    /// What a person would say of an admin of some applications, or of all.
    private static func wanted(
        _ action: AdminAction, _ role: AdminRole, of applications: Set<Identifier<Application>>?,
        in application: Identifier<Application>?, isRecent: Bool
    ) -> DomainError? {
        switch action.policy.access {
        case .commandLine: return .administration(.notFound)
        case .open, .everyAdmin: break
        case .permissions(let needed):
            guard let first = needed.first else { break }
            if let applications {
                // What concerns the whole server is for who sees all; what one does not see is not there.
                guard let application else { return .administration(.notAllowedOnServer(first)) }
                guard applications.contains(application) else { return .administration(.notFound) }
            }
            if let missing = needed.first(where: { !role.permissions.contains($0) }) {
                return .administration(.notAllowed(missing))
            }
        }
        return action.policy.stepUp && !isRecent ? .reauthenticationRequired : nil
    }

    @Test(
        "is for the role, for the applications, and after a step-up, as its row says", arguments: AdminAction.allCases,
        AdminRole.allCases)
    func roles(action: AdminAction, role: AdminRole) async {
        let now = world.clock.now
        for applications in [nil, [Self.own]] as [Set<Identifier<Application>>?] {
            for application in [nil, Self.own, Self.other] {
                for (age, isRecent) in [(0, true), (599_999, true), (600_000, false), (3_600_000, false)] {
                    let access = AdminAccess(
                        admin(role, in: applications), authenticatedAt: now - .milliseconds(age))
                    let wanted = Self.wanted(action, role, of: applications, in: application, isRecent: isRecent)
                    let named = "\(String(describing: applications)) \(String(describing: application)) \(age)"
                    #expect(
                        await refusal(action, by: .admin(access, .local), in: application) == wanted, "\(named)")
                    let perform = world.modules.administration.perform
                    #expect(perform.allows(action, by: .admin(access, .local), in: application) == (wanted == nil))
                    // Whether it is offered does not depend on the step-up, which is asked for when it is done.
                    let isOffered = wanted == nil || wanted == .reauthenticationRequired
                    #expect(access.may(action, in: application) == isOffered, "\(named)")
                }
            }
        }
    }

    @Test("is nobody's who has not logged in, but for what leads to a log-in", arguments: AdminAction.allCases)
    func anonymous(action: AdminAction) async {
        let isOpen = [.openSetUpLink, .setUpAdmin, .logIn].contains(action)
        for application in [nil, Self.own] {
            #expect(
                await refusal(action, by: .anonymous(.local), in: application)
                    == (isOpen ? nil : .administration(.adminRequired)))
        }
        #expect((action.policy.access == .open) == isOpen)
    }

    @Test("can be done by a command, which needs no step-up", arguments: AdminAction.allCases)
    func commands(action: AdminAction) async throws {
        let application = try await world.makeApplication()
        #expect(await refusal(action, by: .commandLine, in: application.id) == nil)
    }

    @Test("needs no step-up of a program, whose key is its proof", arguments: AdminAction.allCases)
    func keys(action: AdminAction) async throws {
        let application = try await world.makeApplication()
        let access = AdminAccess(
            holder: .key(Identifier(rawValue: "k")), name: "CI", permissions: Set(AdminPermission.allCases),
            applications: nil)
        let error = await refusal(action, by: .admin(access, .local), in: application.id)
        #expect(error == (action.policy.access == .commandLine ? .administration(.notFound) : nil))
    }

    @Test("of readings is recorded once it is done, with who looked at whom", arguments: AdminAction.allCases)
    func readings(action: AdminAction) async throws {
        let application = try await world.makeApplication()
        let user = Identifier<User>(rawValue: "hana")
        let access = AdminAccess(admin(.owner, in: nil), authenticatedAt: world.clock.now)
        guard access.may(action, in: application.id) else { return }
        let perform = world.modules.administration.perform
        func entries() async throws -> [AuditEntry] {
            try await world.modules.administration.audit.list(
                in: application.id, matching: AuditFilter(action: .usersRead))
        }
        for target in [user, nil] {
            try await perform(
                action, by: .admin(access, .local), in: application.id, on: target, refusal: { $0 },
                { who throws(DomainError) in
                    #expect(who.actor == .admin(Identifier(rawValue: "owner")))
                })
        }
        let recorded = try await entries()
        #expect(recorded.count == (action.policy.recordsReading ? 2 : 0))
        if action.policy.recordsReading {
            #expect(Set(recorded.map(\.target)) == [.user(user), .application(application.id)])
            #expect(recorded.allSatisfy { $0.actor == .admin(Identifier(rawValue: "owner")) })
        }
        // What fails is not recorded as seen.
        do throws(DomainError) {
            try await perform(
                action, by: .admin(access, .local), in: application.id, on: user, refusal: { $0 },
                { _ throws(DomainError) -> Void in throw .userUnknown })
            Issue.record("it did not fail")
        } catch {
            #expect(error == .userUnknown)
        }
        #expect(try await entries().count == recorded.count)
    }

    /// Written out: what gives a way in, takes data out, or destroys.
    private static let steppedUp: Set<AdminAction> = [
        .addOwnPasskey, .removeOwnPasskey, .removeOwnPassword, .linkOwnSignOn, .unlinkOwnSignOn, .createAdmin,
        .changeAdmin, .removeAdmin, .unlockAdmin, .createAdminLink, .createAdminKey, .changeAdminKey, .removeAdminKey,
        .rotateSigningKeys, .exportUsers, .changeIdentifiers, .deleteUser, .removePasskey, .resetSecondFactors,
        .issueTransferCode, .mergeUsers, .changeRoles, .assignRoles, .changeClaims, .changeEvents,
        .includeUsersInEvents, .changeHooks, .changeOldServices, .setProvider, .removeProvider, .enableProtocol,
        .disableProtocol, .loosenProtocolRules, .loosenFieldRules, .issueAdministratorKeys, .openAdministration,
        .changeMail, .dropMail, .changeLogInAddresses, .eraseSooner, .showUsersToEverybody,
    ]

    @Test("that gives a way in, takes data out or destroys needs a step-up", arguments: AdminAction.allCases)
    func stepUps(action: AdminAction) {
        guard !Self.settings.contains(action) else { return }
        #expect(action.policy.stepUp == Self.steppedUp.contains(action))
    }

    /// Of these the table itself is compared with the documents.
    private static let settings: Set<AdminAction> = [
        .readSettings, .changeSettings, .changeRedirects, .changeTheme, .changeFieldRules,
    ]

    @Test(
        "changes nothing for support and for auditors, and reads no users for auditors", arguments: AdminAction.allCases
    )
    func quietRoles(action: AdminAction) {
        guard case .permissions(let needed) = action.policy.access else { return }
        let changes: Set<AdminPermission> = [.changeUsers, .changeSettings, .makeApplications, .manageAdmins]
        for role in [AdminRole.support, .auditor] {
            let access = AdminAccess(admin(role, in: nil), authenticatedAt: world.clock.now)
            guard access.may(action, in: Self.own) else { continue }
            #expect(Set(needed).isDisjoint(with: changes), "\(role)")
            if role == .auditor {
                #expect(!needed.contains(.readUsers) && !needed.contains(.readPersonalData))
                #expect(!action.policy.recordsReading)
            }
        }
        // What is recorded as a reading is one of users, and everything that changes names what stands in the log.
        if action.policy.recordsReading { #expect(needed.contains(.readUsers) && action.policy.audit == .usersRead) }
    }
}
