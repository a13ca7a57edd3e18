/// The changes of an account that concern its safety. `policy` is the table of what holds for each of them: every protocol,
/// page and command makes its changes by it, and the tests walk it.
package enum AccountChange: String, CaseIterable, Hashable, Sendable {
    /// A user was made without being logged in.
    case created
    /// A user was made with a session: who signs up is logged in.
    case signedUp = "signed_up"
    /// Name, locale or fields. The audit log has those by operators; the event is there for all of them.
    case profileChanged = "profile_changed"
    case aclChanged = "access_list_changed"
    /// Roles or groups were given or taken away.
    case rolesChanged = "roles_changed"
    /// A user name, or a first mail address or phone number.
    case identifiersChanged = "identifiers_changed"
    /// A mail address or phone number in the place of another one, or none any more.
    case addressChanged = "address_changed"
    /// The present mail address was shown to be the user's.
    case emailVerified = "email_verified"
    /// Another mail address was, and has taken the place of the one before.
    case emailReplaced = "email_replaced"
    /// The former mail address was given back, by the link that it got when nothing but a session asked for another one.
    case emailRecovered = "email_recovered"
    case phoneVerified = "phone_verified"
    case phoneReplaced = "phone_replaced"
    /// An address or number that the user had not proved was taken away, because somebody else has proved it.
    case identifierYielded = "identifier_yielded"
    /// An anonymous user has a password and something to type beside it.
    case upgraded
    case passwordChanged = "password_changed"
    case passwordReset = "password_reset"
    /// A password that was the user name was taken away, because a device key leads to the user.
    case weakPasswordRetired = "weak_password_retired"
    /// The service that the user came from vouched for a password, which is stored here from then on.
    case passwordMigrated = "password_migrated"
    case disabled
    case enabled
    case identityLinked = "identity_linked"
    case identityUnlinked = "identity_unlinked"
    /// The person ended the grant with the provider.
    case consentRevoked = "consent_revoked"
    /// The person has no account with the provider any more.
    case providerAccountDeleted = "provider_account_deleted"
    /// One device key, by its owner or an operator.
    case passkeyAdded = "passkey_added"
    case passkeyRenamed = "passkey_renamed"
    case passkeyRemoved = "passkey_removed"
    /// An authenticator app, which makes the codes of the second factor.
    case secondFactorAdded = "second_factor_added"
    case secondFactorRemoved = "second_factor_removed"
    /// All second factors of somebody who has lost them, by an operator.
    case secondFactorsReset = "second_factors_reset"
    case recoveryCodesReplaced = "recovery_codes_replaced"
    case recoveryCodeUsed = "recovery_code_used"
    case deviceKeyRemoved = "device_key_removed"
    /// All device keys but the caller's own.
    case otherDeviceKeysRemoved = "other_device_keys_removed"
    /// “Log out everywhere”, by the user.
    case otherSessionsEnded = "other_sessions_ended"
    /// “Log out everywhere”, by an operator.
    case allSessionsEnded = "all_sessions_ended"
    case transferCodeIssued = "transfer_code_issued"
    case transferCodeWithdrawn = "transfer_code_withdrawn"
    case transferCodeRedeemed = "transfer_code_redeemed"
    /// A device of before has said that the owner brought in the one that joined a guest.
    case transferConfirmed = "transfer_confirmed"
    case transferUndone = "transfer_undone"
    /// A ticket was given to somebody who has proved to be two users.
    case mergeOffered = "merge_offered"
    /// The ticket was used, and both users stay as they are.
    case mergeKept = "merge_kept"
    /// The ticket was used: the other user goes on, the first is left.
    case mergeSwitched = "merge_switched"
    /// The ticket was used: the other user has everything of the first.
    case merged
    case mergedByOperator = "merged_by_operator"
    case mergeUndone = "merge_undone"
    /// The user is out of reach and is erased when the grace is over.
    case deletionRequested = "deletion_requested"
    case restored
    /// After the grace, after a long absence, or by an operator.
    case erased
    /// Without a grace, as the mobile backends do.
    case erasedAtOnce = "erased_at_once"
}

extension AccountChange {
    /// The detail of a merge that names the user that went.
    static let leftUserDetail = "left-user"

    /// What takes away a way in that may be a thief's: device keys that joined by it end too. Not what a provider says: a thief
    /// who has the account there could put the owner's devices out by it.
    static let endingJoinedKeys: [AccountChange] = [.identityUnlinked, .passkeyRemoved]

    /// What lets somebody in by something new. Done by a session alone, whatever shows the owner's presence from then on may be a
    /// thief's.
    static let openingWays: Set<AccountChange> = [
        .addressChanged, .emailReplaced, .passwordChanged, .identityLinked, .phoneVerified, .phoneReplaced,
    ]

    /// What happened to a user, with what the audit log says of each: names and kinds, and never a value.
    ///
    /// - Parameters:
    ///   - before: The user as it was.
    ///   - after: The user as it is.
    /// - Returns: the changes, but for those of a password, which is not seen here.
    static func between(_ before: User, _ after: User) -> [AccountChange: [String: String]] {
        var changes: [AccountChange: [String: String]] = [:]
        if before.acl != after.acl { changes[.aclChanged] = [:] }
        if before.isDisabled != after.isDisabled { changes[after.isDisabled ? .disabled : .enabled] = [:] }
        let isReplaced =
            before.email != nil && after.email != before.email || before.phone != nil && after.phone != before.phone
        let isVerificationTaken =
            before.emailVerifiedAt != nil && after.emailVerifiedAt == nil
            || before.phoneVerifiedAt != nil && after.phoneVerifiedAt == nil
        if isReplaced {
            changes[.addressChanged] = after.identifierDetails
        } else if before.typedIdentifiers != after.typedIdentifiers || isVerificationTaken {
            changes[.identifiersChanged] = after.identifierDetails
        }
        if before.emailVerifiedAt == nil, after.emailVerifiedAt != nil {
            changes[.emailVerified] = ["address": before.email == after.email ? "same" : "new"]
        }
        if before.phoneVerifiedAt == nil, after.phoneVerifiedAt != nil {
            changes[.phoneVerified] = ["number": before.phone == after.phone ? "same" : "new"]
        }
        let (gone, new) = (before.providers(notOf: after), after.providers(notOf: before))
        if !gone.isEmpty { changes[.identityUnlinked] = ["provider": gone.joined(separator: " ")] }
        if !new.isEmpty { changes[.identityLinked] = ["provider": new.joined(separator: " ")] }
        return changes
    }
}

extension User {
    /// The providers of identities that another state of the user has not, by name. A replaced identity counts in both.
    fileprivate func providers(notOf other: User) -> [String] {
        let theirs = Set(other.identities.map(\.name))
        return Set(identities.filter { $0.provider != .device && !theirs.contains($0.name) }.map(\.provider.rawValue))
            .sorted()
    }
}
