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
        filter.search = text(query, "search")
        return filter
    }

    static func place(_ text: String) -> UserPlace? {
        guard !text.isEmpty else { return nil }
        let parts = text.split(separator: ".", maxSplits: 1).map(String.init)
        return UserPlace(id: .init(rawValue: parts.first ?? ""), key: parts.count > 1 ? parts[1] : "")
    }

    static func fields(_ visit: DashboardVisit) -> [PageField] {
        let query = visit.visit.query
        func choices(_ values: [String]) -> [(value: String, label: String)] {
            [("", visit.text("users.all"))] + values.map { ($0, visit.text("users.\($0)")) }
        }
        func plain(_ values: [String]) -> [(value: String, label: String)] {
            [("", visit.text("users.all"))] + values.map { ($0, $0) }
        }
        return [
            PageField(
                "search", label: visit.text("users.search"), kind: .search, value: query.text("search"),
                isRequired: false),
            PageField(
                "kind", label: visit.text("users.kind"), kind: .select, value: query.text("kind"), isRequired: false,
                choices: choices(["anonymous", "registered", "disabled", "leaving", "weak"])),
            PageField(
                "provider", label: visit.text("users.provider"), kind: .select, value: query.text("provider"),
                isRequired: false, choices: plain(["apple", "google", "facebook", "twitter", "anonymous", "device"])),
            PageField(
                "protocol", label: visit.text("users.protocol"), kind: .select, value: query.text("protocol"),
                isRequired: false, choices: plain(["native", "ncmb", "parse", "kii", "envelope"])),
            PageField(
                "seen", label: visit.text("users.seen"), kind: .date, value: query.text("seen"), isRequired: false),
            PageField(
                "unseen", label: visit.text("users.unseen"), kind: .date, value: query.text("unseen"),
                isRequired: false),
        ]
    }

    private static func text(_ query: FormValues, _ name: String) -> String? {
        query[name].flatMap { $0.isEmpty || $0.utf8.contains(0) ? nil : String($0.prefix(200)) }
    }
}
