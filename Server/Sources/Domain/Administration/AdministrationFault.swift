/// What a rule of administration can answer instead of a result.
package enum AdministrationFault: Hashable, Sendable {
    /// No admin session or key, or one that is unknown, over, or whose admin is disabled; which, is not told.
    case adminRequired
    /// The role, or the scope of the key, does not allow it.
    case notAllowed(AdminPermission)
    /// There is no such thing, or it is of an application that the admin may not see; which, is not told.
    case notFound
    /// Somebody changed it since it was read. Nothing was changed.
    case changedMeanwhile
    /// The link is unknown, over or used; which, is not told.
    case linkRefused
    /// Another admin has the name.
    case nameTaken
    /// Without this one nobody could look after admins any more.
    case lastOwner
    /// The header that names the version that is to be changed is missing.
    case versionRequired
}
