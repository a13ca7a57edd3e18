/// Something that an admin, a program with an admin key, or a command on the server's machine can do. Each case has one
/// row of policy; the admin API, the dashboard and the command line name the case and repeat nothing of the row.
package enum AdminAction: String, CaseIterable, Hashable, Sendable {
    // Admins' own log-in
    case openSetUpLink, setUpAdmin, logIn, reauthenticate, logOut, readOwnAccess
    case listOwnPasskeys, addOwnPasskey, renameOwnPasskey, removeOwnPasskey, removeOwnPassword
    case readOwnSignOn, linkOwnSignOn, unlinkOwnSignOn
    // Admins and their programs' keys
    case listAdmins, createAdmin, changeAdmin, removeAdmin, unlockAdmin, createAdminLink
    case listAdminKeys, createAdminKey, changeAdminKey, removeAdminKey
    // The server
    case readHealth, rotateSigningKeys, readServerAudit, verifyAudit, readSealingKeys, resealSecrets
    // Applications
    case listApplications, createApplication, readOverview, readAudit
    // Users
    case listUsers, readUser, readPersonalData, listSessions, listMerges, exportUsers, importUsers
    case exportApplication
    case createUser, editUser, changeIdentifiers, disableUser, enableUser
    case confirmDeletion, deleteUser, eraseUser, restoreUser
    case introspectToken, endSession, endAllSessions, removeDeviceKey, removeAllDeviceKeys, removePasskey
    case orderPasswordReset, resetSecondFactors, issueTransferCode, mergeUsers, undoMerge
    case listUserListViews, changeUserListViews
    case listRoles, changeRoles, assignRoles, listMembers
    // Settings
    case readSettings, changeSettings, changeLogInAddresses, eraseSooner, changeRedirects, changeTheme
    case changeFieldRules, loosenFieldRules
    case changeMail, sendTestMail, readMailQueue, retryMail, dropMail, readMailOutbox
    case changeClaims
    case readEvents, changeEvents, includeUsersInEvents, replayEvents, sendTestEvent
    case changeHooks, testHook
    case changeOldServices
    case setProvider, removeProvider, checkProvider, transferTeam
    case readProtocolKeys, enableProtocol, issueAdministratorKeys, disableProtocol
    case changeProtocolRules, loosenProtocolRules, openAdministration
    case showUsersToEverybody

    /// The row of the table.
    package var policy: AdminPolicy {
        switch self {
        case .openSetUpLink: .init(.open, .server)
        case .setUpAdmin: .init(.open, .server, audit: .adminSetUp)
        case .logIn: .init(.open, .server, audit: .adminLoggedIn)
        case .reauthenticate: .init(.everyAdmin, .server, audit: .adminReauthenticated)
        case .logOut: .init(.everyAdmin, .server, audit: .adminLoggedOut)
        case .readOwnAccess: .init(.everyAdmin, .server)
        case .listOwnPasskeys: .init(.everyAdmin, .server)
        case .addOwnPasskey: .init(.everyAdmin, .server, stepUp: true, audit: .adminPasskeyAdded)
        case .renameOwnPasskey: .init(.everyAdmin, .server, audit: .adminPasskeyRenamed)
        case .removeOwnPasskey: .init(.everyAdmin, .server, stepUp: true, audit: .adminPasskeyRemoved)
        case .removeOwnPassword: .init(.everyAdmin, .server, stepUp: true, audit: .adminPasswordRemoved)
        case .readOwnSignOn: .init(.everyAdmin, .server)
        case .linkOwnSignOn: .init(.everyAdmin, .server, stepUp: true, audit: .adminSignOnLinked)
        case .unlinkOwnSignOn: .init(.everyAdmin, .server, stepUp: true, audit: .adminSignOnUnlinked)

        case .listAdmins: .init(.allowed(.readAdmins), .server)
        case .createAdmin: .init(.allowed(.manageAdmins), .server, stepUp: true, audit: .adminCreated)
        case .changeAdmin: .init(.allowed(.manageAdmins), .server, stepUp: true, audit: .adminChanged)
        case .removeAdmin: .init(.allowed(.manageAdmins), .server, stepUp: true, audit: .adminRemoved)
        case .unlockAdmin: .init(.allowed(.manageAdmins), .server, stepUp: true, audit: .adminUnlocked)
        case .createAdminLink: .init(.allowed(.manageAdmins), .server, stepUp: true, audit: .adminLinked)
        case .listAdminKeys: .init(.allowed(.readAdmins), .server)
        case .createAdminKey: .init(.allowed(.manageAdmins), .server, stepUp: true, audit: .adminKeyCreated)
        case .changeAdminKey: .init(.allowed(.manageAdmins), .server, stepUp: true, audit: .adminKeyChanged)
        case .removeAdminKey: .init(.allowed(.manageAdmins), .server, stepUp: true, audit: .adminKeyRemoved)

        case .readHealth: .init(.allowed(.readStatistics), .server)
        case .rotateSigningKeys: .init(.allowed(.changeSettings), .server, stepUp: true, audit: .signingKeysRotated)
        case .readServerAudit: .init(.allowed(.readAudit), .server)
        case .verifyAudit: .init(.commandLine, .server)
        case .readSealingKeys: .init(.commandLine, .server)
        case .resealSecrets: .init(.commandLine, .server, audit: .secretsResealed)

        case .listApplications: .init(.everyAdmin, .server)
        case .createApplication: .init(.allowed(.makeApplications), .server, audit: .applicationCreated)
        case .readOverview: .init(.allowed(.readStatistics), .application)
        case .readAudit: .init(.allowed(.readAudit), .application)

        case .listUsers: .init(.allowed(.readUsers), .application, recordsReading: true, audit: .usersRead)
        case .readUser: .init(.allowed(.readUsers), .application, recordsReading: true, audit: .usersRead)
        case .readPersonalData: .init(.allowed(.readPersonalData), .application)
        case .listSessions: .init(.allowed(.readUsers), .application, recordsReading: true, audit: .usersRead)
        case .listMerges: .init(.allowed(.readUsers), .application)
        case .exportUsers:
            .init(.allowed(.readUsers, .readPersonalData), .application, stepUp: true, audit: .usersExported)
        case .importUsers: .init(.commandLine, .application, audit: .usersImported)
        case .exportApplication: .init(.commandLine, .application, audit: .usersExported)
        case .createUser: .init(.allowed(.changeUsers), .application, audit: .userCreated)
        case .editUser: .init(.allowed(.changeUsers), .application, audit: .userChanged)
        case .changeIdentifiers: .init(.asAnyUser, .application, stepUp: true, audit: .identifiersChanged)
        case .disableUser: .init(.allowed(.changeUsers), .application, audit: .userDisabled)
        case .enableUser: .init(.allowed(.changeUsers), .application, audit: .userEnabled)
        case .confirmDeletion: .init(.allowed(.changeUsers), .application)
        case .deleteUser: .init(.allowed(.changeUsers), .application, stepUp: true, audit: .deletionRequested)
        case .eraseUser: .init(.commandLine, .application, audit: .userErased)
        case .restoreUser: .init(.allowed(.changeUsers), .application, audit: .userRestored)
        case .introspectToken: .init(.allowed(.readUsers), .application)
        case .endSession: .init(.allowed(.changeUsers), .application, audit: .sessionEnded)
        case .endAllSessions: .init(.allowed(.changeUsers), .application, audit: .sessionsEnded)
        case .removeDeviceKey: .init(.allowed(.changeUsers), .application, audit: .deviceKeyRemoved)
        case .removeAllDeviceKeys: .init(.allowed(.changeUsers), .application, audit: .otherDeviceKeysRemoved)
        case .removePasskey: .init(.allowed(.changeUsers), .application, stepUp: true, audit: .passkeyRemoved)
        case .orderPasswordReset: .init(.allowed(.changeUsers), .application, audit: .resetOrdered)
        case .resetSecondFactors: .init(.allowed(.changeUsers), .application, stepUp: true, audit: .secondFactorsReset)
        case .issueTransferCode: .init(.asAnyUser, .application, stepUp: true, audit: .transferCodeIssued)
        case .mergeUsers: .init(.asAnyUser, .application, stepUp: true, audit: .usersMerged)
        case .undoMerge: .init(.allowed(.changeUsers), .application, audit: .mergeUndone)
        case .listUserListViews: .init(.allowed(.readUsers), .application)
        case .changeUserListViews: .init(.allowed(.changeUsers), .application, audit: .userListViewsChanged)
        case .listRoles: .init(.allowed(.readUsers), .application)
        // Who can change what a role permits, or who has it, can give themselves what the app keeps for its own people.
        case .changeRoles: .init(.allowed(.changeSettings), .application, stepUp: true, audit: .rolesChanged)
        case .assignRoles: .init(.allowed(.changeUsers), .application, stepUp: true, audit: .userRolesChanged)
        case .listMembers: .init(.allowed(.readUsers), .application, recordsReading: true, audit: .usersRead)

        case .readSettings: .init(.allowed(.readSettings), .application)
        case .changeSettings: .init(.allowed(.changeSettings), .application, stepUp: true, audit: .settingsChanged)
        // Where links with codes lead, and which apps and pages have the passkeys: who is there comes in as any user.
        case .changeLogInAddresses: .init(.overEveryUser, .application, stepUp: true, audit: .settingsChanged)
        // Who makes the time shorter after which users go erases those for whom it is over.
        case .eraseSooner:
            .init(.allowed(.changeSettings, .changeUsers), .application, stepUp: true, audit: .settingsChanged)
        case .changeRedirects: .init(.overEveryUser, .application, stepUp: true, audit: .redirectsChanged)
        case .changeTheme: .init(.allowed(.changeSettings), .application, audit: .themeChanged)
        case .changeFieldRules: .init(.allowed(.changeSettings), .application, audit: .fieldRulesChanged)
        case .loosenFieldRules:
            .init(.allowed(.changeSettings), .application, stepUp: true, audit: .fieldRulesChanged)
        // Mails carry what opens accounts: their words decide where it goes.
        case .changeMail: .init(.allowed(.changeSettings), .application, stepUp: true, audit: .mailSettingsChanged)
        case .sendTestMail: .init(.allowed(.changeSettings), .application, audit: .testMailSent)
        case .readMailQueue: .init(.allowed(.readSettings), .application)
        case .retryMail: .init(.allowed(.changeSettings), .application, audit: .mailRetried)
        // Notices of what happened to an account are among them: who takes one out keeps its owner from reading it.
        case .dropMail: .init(.allowed(.changeSettings), .application, stepUp: true, audit: .mailDropped)
        case .readMailOutbox: .init(.commandLine, .server)
        case .changeClaims: .init(.allowed(.changeSettings), .application, stepUp: true, audit: .claimsChanged)
        case .readEvents: .init(.allowed(.readUsers), .application)
        case .changeEvents: .init(.allowed(.changeSettings), .application, stepUp: true, audit: .settingsChanged)
        // Who chooses where profiles are sent can read them all: it demands what an export demands.
        case .includeUsersInEvents:
            .init(
                .allowed(.changeSettings, .readUsers, .readPersonalData), .application, stepUp: true,
                audit: .settingsChanged)
        case .replayEvents: .init(.allowed(.changeSettings), .application, audit: .eventsReplayed)
        case .sendTestEvent: .init(.allowed(.changeSettings), .application, audit: .testEventSent)
        // Who can set a hook decides who signs up, and what backends believe of everybody; the hook gets profiles,
        // typed passwords and tokens, and that of adoption says as whom a device comes in.
        case .changeHooks: .init(.overEveryUser, .application, stepUp: true, audit: .settingsChanged)
        case .testHook: .init(.allowed(.changeSettings), .application, audit: .hookTested)
        // Whose tokens are believed says who is let in, as anybody who came from there.
        case .changeOldServices: .init(.overEveryUser, .application, stepUp: true, audit: .settingsChanged)
        case .setProvider: .init(.overEveryUser, .application, stepUp: true, audit: .providerSet)
        case .removeProvider: .init(.allowed(.changeSettings), .application, stepUp: true, audit: .providerRemoved)
        case .checkProvider: .init(.allowed(.changeSettings), .application)
        case .transferTeam: .init(.commandLine, .application, audit: .teamTransferred)
        case .readProtocolKeys: .init(.allowed(.changeSettings), .application)
        case .enableProtocol: .init(.allowed(.changeSettings), .application, stepUp: true, audit: .protocolEnabled)
        // The key of an old protocol that makes an administrator reads and changes every user.
        case .issueAdministratorKeys: .init(.overEveryUser, .application, stepUp: true, audit: .protocolEnabled)
        case .disableProtocol: .init(.allowed(.changeSettings), .application, stepUp: true, audit: .protocolDisabled)
        case .changeProtocolRules: .init(.allowed(.changeSettings), .application, audit: .settingsChanged)
        case .loosenProtocolRules:
            .init(.allowed(.changeSettings), .application, stepUp: true, audit: .settingsChanged)
        // From where such a key counts, and the server to which it and users' tokens are sent on.
        case .openAdministration: .init(.overEveryUser, .application, stepUp: true, audit: .settingsChanged)
        // Who reads what everybody reads reads it too, with nothing but an app's keys: it demands what an export demands.
        case .showUsersToEverybody:
            .init(
                .allowed(.changeSettings, .readUsers, .readPersonalData), .application, stepUp: true,
                audit: .settingsChanged)
        }
    }

    /// Which action a change of a user is. By another address or name somebody else could get a new password.
    package static func editing(_ edit: UserEdit) -> AdminAction {
        edit.identifiers.isEmpty ? .editUser : .changeIdentifiers
    }

    /// All rows as a table in Markdown.
    package static var policyTable: String {
        let head =
            "| action | who may | scope | step-up | reading is recorded | audit |\n| --- | --- | --- | --- | --- | --- |"
        let rows = allCases.map { action in
            let policy = action.policy
            let cells = [
                action.rawValue, policy.access.text, policy.scope.rawValue, policy.stepUp ? "yes" : "–",
                policy.recordsReading ? "yes" : "–", policy.audit?.rawValue ?? "–",
            ]
            return "| \(cells.joined(separator: " | ")) |"
        }
        return ([head] + rows).joined(separator: "\n")
    }
}

/// What holds for an action.
package struct AdminPolicy: Hashable, Sendable {
    package enum Access: Hashable, Sendable {
        /// Anybody: what leads to a log-in.
        case open
        /// Any admin, of any role.
        case everyAdmin
        /// Who has all of these permissions.
        case permissions([AdminPermission])
        /// Only commands on the server's own machine.
        case commandLine

        fileprivate static func allowed(_ permissions: AdminPermission...) -> Access { .permissions(permissions) }

        /// For what lets somebody be a user, who then sees all that is masked: a code, an address or a name of one's own, or a
        /// guest's account that becomes one with the user's.
        fileprivate static let asAnyUser = allowed(.changeUsers, .readPersonalData)

        /// For settings by which somebody can read and change every user.
        fileprivate static let overEveryUser = allowed(.changeSettings, .readUsers, .readPersonalData, .changeUsers)

        fileprivate var text: String {
            switch self {
            case .open: "anybody"
            case .everyAdmin: "every admin"
            case .permissions(let permissions): permissions.map { "`\($0.rawValue)`" }.joined(separator: " and ")
            case .commandLine: "command line"
            }
        }
    }

    /// What an action is about. An admin of some applications does nothing that needs a permission for the server.
    package enum Scope: String, Hashable, Sendable {
        case application, server
    }

    package let access: Access
    package let scope: Scope
    /// Whether an admin must have given password and code within ten minutes: for what gives a way in, takes data out, or
    /// destroys (requirement 18). A key is its own proof.
    package let stepUp: Bool
    /// Whether looking is itself recorded in the audit log (requirement 42).
    package let recordsReading: Bool
    /// What the audit log says of it; `nil` for what changes nothing, and for changes that record what they find.
    package let audit: AuditEntry.Action?

    fileprivate init(
        _ access: Access, _ scope: Scope, stepUp: Bool = false, recordsReading: Bool = false,
        audit: AuditEntry.Action? = nil
    ) {
        self.access = access
        self.scope = scope
        self.stepUp = stepUp
        self.recordsReading = recordsReading
        self.audit = audit
    }
}
