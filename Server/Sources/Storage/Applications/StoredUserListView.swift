import Domain

/// A view of the list of users as stored. What only a newer program knows is left out.
struct StoredUserListView: Codable {
    private var name: String
    private var kind: String?
    private var provider: String?
    private var protocolName: String?
    private var seenSince: Int64?
    private var notSeenSince: Int64?
    private var search: String?
    private var columns: [String]?
    private var fields: [String]?

    init(_ view: UserListView) {
        name = view.name
        kind = view.kind?.rawValue
        provider = view.provider?.rawValue
        protocolName = view.protocolName?.rawValue
        seenSince = view.seenSince?.milliseconds
        notSeenSince = view.notSeenSince?.milliseconds
        search = view.search
        columns = view.columns.isEmpty ? nil : view.columns.map(\.rawValue)
        fields = view.fields.isEmpty ? nil : view.fields
    }

    var view: UserListView {
        var view = UserListView(name: name)
        view.kind = kind.flatMap(UserListView.Kind.init(rawValue:))
        view.provider = provider.map { .init(rawValue: $0) }
        view.protocolName = protocolName.map { .init(rawValue: $0) }
        view.seenSince = seenSince.map { Timestamp(milliseconds: $0) }
        view.notSeenSince = notSeenSince.map { Timestamp(milliseconds: $0) }
        view.search = search
        view.columns = (columns ?? []).compactMap(UserListView.Column.init(rawValue:))
        view.fields = fields ?? []
        return view
    }
}
