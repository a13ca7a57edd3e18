/// A way to look at an application's users that somebody gave a name: filters and columns, for all who look after them.
package struct UserListView: Hashable, Sendable {
    /// Which users.
    package enum Kind: String, CaseIterable, Hashable, Sendable {
        case anonymous, registered, disabled, leaving, weak
    }

    /// What a row shows, beside the application's own fields.
    package enum Column: String, CaseIterable, Hashable, Sendable {
        case name, kind, identifiers, created, lastLogIn, id
    }

    /// Views of an application.
    package static let maximum = 30
    package static let maximumNameCharacters = 60
    /// Own fields that are columns.
    package static let maximumFields = 6
    private static let maximumTextCharacters = 200

    package var name: String
    package var kind: Kind?
    package var provider: Identity.Provider?
    package var protocolName: Session.ProtocolName?
    package var seenSince: Timestamp?
    package var notSeenSince: Timestamp?
    package var search: String?
    /// Empty for the usual ones.
    package var columns: [Column] = []
    package var fields: [String] = []

    /// All users, in the usual columns.
    package init(name: String) { self.name = name }

    /// The users that it shows.
    package var filter: BrowseUsers.Filter {
        var filter = BrowseUsers.Filter()
        switch kind {
        case .anonymous?: filter.isAnonymous = true
        case .registered?: filter.isAnonymous = false
        case .disabled?: filter.isDisabled = true
        case .leaving?: filter.isLeaving = true
        case .weak?: filter.hasWeakCredential = true
        case nil: break
        }
        filter.provider = provider
        filter.protocolName = protocolName
        filter.seenSince = seenSince
        filter.notSeenSince = notSeenSince
        filter.search = search
        return filter
    }

    /// What is searched can be a name or an address: who may not see such, sees no view that holds it.
    package func isShown(to reader: AdminReader) -> Bool { search == nil || reader.seesPersonalData }

    /// What is wrong with it.
    func faults() -> [ValidationError] {
        var faults = TextRule(maximumCharacters: Self.maximumNameCharacters).faults(of: name, field: "name")
        let texts = [
            ("provider", provider?.rawValue), ("protocol", protocolName?.rawValue), ("search", search),
        ]
        for (field, text) in texts {
            faults += TextRule(maximumCharacters: Self.maximumTextCharacters).faults(of: text, field: field)
        }
        if Set(columns).count != columns.count { faults.append(ValidationError(field: "columns", rule: .notUnique)) }
        return faults
            + ProfileRules.fieldName.faults(ofEach: fields, atMost: Self.maximumFields, field: "fields")
    }
}
