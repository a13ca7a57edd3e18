/// What a rule of administration returns instead of a result.
package struct AdministrationFault: Hashable, Sendable {
    /// The fault as rules throw it.
    package let error: DomainError

    private init(_ kind: DomainError.Kind, _ code: DomainError.Code, _ detail: DomainError.Detail = .none) {
        error = DomainError(kind, code, detail)
    }

    /// No admin session or key, or one that is unknown, expired, or whose admin is disabled; callers cannot tell which.
    package static var adminRequired: Self { Self(.unauthenticated, .adminRequired) }
    /// The role, or the scope of the key, does not allow it.
    package static func notAllowed(_ permission: AdminPermission) -> Self {
        Self(.forbidden, .adminNotAllowed, .permission(permission))
    }
    /// It is about the whole server, and the admin or key is for some applications alone.
    package static func notAllowedOnServer(_ permission: AdminPermission) -> Self {
        Self(.forbidden, .adminNotAllowed, .serverPermission(permission))
    }
    /// There is no such thing, or it is of an application that the admin may not see; callers cannot tell which.
    package static var notFound: Self { Self(.notFound, .adminResourceUnknown) }
    /// Another admin changed it since it was read. Nothing was changed.
    package static var changedMeanwhile: Self { Self(.conflict, .changedMeanwhile) }
    /// The link is unknown, expired or used; callers cannot tell which.
    package static var linkRefused: Self { Self(.refused, .adminLinkRefused) }
    /// Another admin has the name.
    package static var nameTaken: Self { Self(.conflict, .adminNameTaken) }
    /// Without this one nobody could look after admins any more.
    package static var lastOwner: Self { Self(.conflict, .lastOwner) }
    /// The mail's code has expired, or it is of no use any more for another reason.
    package static var mailExpired: Self { Self(.conflict, .mailExpired) }
    /// The header that names the version that is to be changed is missing.
    package static var versionRequired: Self { Self(.invalid, .versionRequired) }
}

extension DomainError.Code {
    package static var adminRequired: Self { Self(rawValue: "adminRequired") }
    package static var adminNotAllowed: Self { Self(rawValue: "adminNotAllowed") }
    package static var adminResourceUnknown: Self { Self(rawValue: "adminResourceUnknown") }
    package static var changedMeanwhile: Self { Self(rawValue: "changedMeanwhile") }
    package static var adminLinkRefused: Self { Self(rawValue: "adminLinkRefused") }
    package static var adminNameTaken: Self { Self(rawValue: "adminNameTaken") }
    package static var lastOwner: Self { Self(rawValue: "lastOwner") }
    package static var mailExpired: Self { Self(rawValue: "mailExpired") }
    package static var versionRequired: Self { Self(rawValue: "versionRequired") }

    /// The codes of `AdministrationFault`.
    package static var ofAdministration: [Self] {
        [
            .adminRequired, .adminNotAllowed, .adminResourceUnknown, .changedMeanwhile, .adminLinkRefused,
            .adminNameTaken, .lastOwner, .mailExpired, .versionRequired,
        ]
    }

    /// A protocol's words by code, with one for all codes of administration: no route of an app's protocol comes to these.
    package static func words<Word>(_ words: [Self: Word], ofAdministration word: Word) -> [Self: Word] {
        var words = words
        for code in ofAdministration { words[code] = word }
        return words
    }
}
