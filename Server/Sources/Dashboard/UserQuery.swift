import Domain
import PageSupport

/// How filters of users stand in addresses, the same for the page and its export.
enum UserQuery {
    static func filter(_ query: FormValues) -> BrowseUsers.Filter {
        var filter = BrowseUsers.Filter()
        switch query.text("kind") {
        case "anonymous": filter.isAnonymous = true
        case "registered": filter.isAnonymous = false
        case "disabled": filter.isDisabled = true
        case "leaving": filter.isLeaving = true
        case "weak": filter.hasWeakCredential = true
        default: break
        }
        filter.provider = text(query, "provider").map { .init(rawValue: $0) }
        filter.protocolName = text(query, "protocol").map { .init(rawValue: $0) }
        filter.seenSince = text(query, "seen").flatMap { Timestamp(day: $0) }
        filter.notSeenSince = text(query, "unseen").flatMap { Timestamp(day: $0) }
        // Spaces around come along when a name is pasted.
        filter.search = text(query, "search").map(IdentifierFolding.trimmed).flatMap { $0.isEmpty ? nil : $0 }
        return filter
    }

    /// The view that an address shows, under a name.
    static func view(named name: String, _ query: FormValues) -> UserListView {
        var view = UserListView(name: name)
        view.kind = UserListView.Kind(rawValue: query.text("kind"))
        if query["chosen"] != nil {
            view.columns = UserListView.Column.allCases.filter { query["column.\($0.rawValue)"] != nil }
        }
        view.fields = fields(query)
        let filter = filter(query)
        view.provider = filter.provider
        view.protocolName = filter.protocolName
        view.seenSince = filter.seenSince
        view.notSeenSince = filter.notSeenSince
        view.search = filter.search
        return view
    }

    /// The address of a view, behind the question mark.
    static func pairs(of view: UserListView) -> [(String, String)] {
        var pairs: [(String, String)] = []
        func add(_ name: String, _ value: String?) { if let value { pairs.append((name, value)) } }
        add("search", view.search)
        add("kind", view.kind?.rawValue)
        add("provider", view.provider?.rawValue)
        add("protocol", view.protocolName?.rawValue)
        add("seen", view.seenSince.map { String($0.text.prefix(10)) })
        add("unseen", view.notSeenSince.map { String($0.text.prefix(10)) })
        if !view.columns.isEmpty {
            add("chosen", "yes")
            for column in view.columns { add("column.\(column.rawValue)", "yes") }
        }
        add("fields", view.fields.isEmpty ? nil : view.fields.joined(separator: ","))
        return pairs
    }

    /// The application's own fields that shall be columns.
    static func fields(_ query: FormValues) -> [String] {
        let names = query.text("fields").pieces(at: ",").map { $0.trimmingPrefix(while: \.isWhitespace) }
        return names.filter { !$0.isEmpty && $0.utf8.count <= 100 }.prefix(UserListView.maximumFields).map(String.init)
    }

    static func fields(_ request: DashboardRequest) -> [PageField] {
        let query = request.page.query
        let protocols = [.native] + request.modules.applications.protocols.foreign
        func choices(_ values: [String]) -> [(value: String, label: String)] {
            [("", request.text("users.all"))] + values.map { ($0, request.text("users.\($0)")) }
        }
        let providers = ProviderBrand.all + [.anonymous, .device]
        func named(_ values: [(value: String, label: String)]) -> [(value: String, label: String)] {
            [("", request.text("users.all"))] + values
        }
        return [
            PageField(
                "search", label: request.text("users.search"), kind: .search, value: query.text("search"),
                isRequired: false),
            PageField(
                "kind", label: request.text("users.kind"), kind: .select, value: query.text("kind"), isRequired: false
            ).offering(choices(["anonymous", "registered", "disabled", "leaving", "weak"])),
            PageField(
                "provider", label: request.text("users.provider"), kind: .select, value: query.text("provider"),
                isRequired: false
            ).offering(named(providers.map { ($0.rawValue, request.word($0)) })),
            PageField(
                "protocol", label: request.text("users.protocol"), kind: .select, value: query.text("protocol"),
                isRequired: false
            ).offering(named(protocols.map { ($0.name.rawValue, request.word($0.name)) })),
            PageField(
                "seen", label: request.text("users.seen"), kind: .date, value: query.text("seen"), isRequired: false),
            PageField(
                "unseen", label: request.text("users.unseen"), kind: .date, value: query.text("unseen"),
                isRequired: false),
        ]
    }

    /// Without what no name can hold: what is left finds nobody, while no filter at all would find everybody.
    private static func text(_ query: FormValues, _ name: String) -> String? {
        guard let text = query[name], !text.isEmpty else { return nil }
        return String(String.UnicodeScalarView(text.unicodeScalars.prefix(200).map { $0 == "\0" ? "\u{FFFD}" : $0 }))
    }
}
