import Domain
import HTTPSupport
import HTTPTypes
import Hummingbird
import OkaeriWire

extension AdminAPI {
    private static let all = "applications/{application}/views"
    private static let one = "applications/{application}/views/{view}"

    /// Named ways to look at users.
    static let views: [AdminRoute] = [
        AdminRoute(.get, all, .listUserListViews) { call in
            let reader = try call.reader()
            let views = try call.targetApplication().settings.userListViews.shown(to: reader)
            return try call.answer(
                UserListViewsBody(views: views.map(UserListViewBody.init(_:))), eTag: views.version)
        },
        AdminRoute(.put, one, .changeUserListViews) { call in
            let view = try (try await call.body(NewUserListViewBody.self)).view(named: try call.viewName())
            let views = try await call.rules.users.changeListViews(
                view.name, to: view, of: try call.targetApplication().id, isCurrent: try call.areViewsCurrent(),
                by: try call.auditActor())
            return try call.answer(UserListViewBody(view), eTag: views.shown(to: try call.reader()).version)
        },
        AdminRoute(.delete, one, .changeUserListViews) { call in
            try await call.rules.users.changeListViews(
                try call.viewName(), to: nil, of: try call.targetApplication().id,
                isCurrent: try call.areViewsCurrent(), by: try call.auditActor())
            return AdminCall.done
        },
    ]
}

extension AdminCall {
    /// The view that the path names.
    fileprivate func viewName() throws(DomainError) -> String {
        guard let name = context.parameters.get("view").flatMap(PercentEncoding.text(ofSegment:)),
            name.utf8.count <= 1024
        else {
            throw .administration(.notFound)
        }
        return name
    }

    /// Whether the views that the caller sees are still those of the version that it names, if any; for a transaction.
    fileprivate func areViewsCurrent() throws(DomainError) -> @Sendable ([UserListView]) -> Bool {
        guard let version = try versionIfSent() else { return { _ in true } }
        let reader = try reader()
        return { $0.shown(to: reader).version == version }
    }
}

struct UserListViewsBody: Encodable {
    let views: [UserListViewBody]
}

struct UserListViewBody: Encodable {
    let name: String
    let kind: String?
    let provider: String?
    let `protocol`: String?
    /// Days, as the list of users takes them.
    let seenSince: String?
    let notSeenSince: String?
    let search: String?
    let columns: [String]
    let fields: [String]

    init(_ view: UserListView) {
        name = view.name
        kind = view.kind?.rawValue
        provider = view.provider?.rawValue
        `protocol` = view.protocolName?.rawValue
        seenSince = view.seenSince.map { String($0.wire.description.prefix(10)) }
        notSeenSince = view.notSeenSince.map { String($0.wire.description.prefix(10)) }
        search = view.search
        columns = view.columns.map(\.rawValue)
        fields = view.fields
    }
}

struct NewUserListViewBody: Decodable, Sendable {
    private let kind: String?
    private let provider: String?
    private let `protocol`: String?
    private let seenSince: String?
    private let notSeenSince: String?
    private let search: String?
    private let columns: [String]?
    private let fields: [String]?

    private enum CodingKeys: String, CodingKey, CaseIterable {
        case kind, provider, `protocol`, seenSince, notSeenSince, search, columns, fields
    }

    init(from decoder: any Decoder) throws {
        let members = try decoder.closedContainer(keyedBy: CodingKeys.self)
        kind = try members.decodeIfPresent(String.self, forKey: .kind)
        provider = try members.decodeIfPresent(String.self, forKey: .provider)
        `protocol` = try members.decodeIfPresent(String.self, forKey: .protocol)
        seenSince = try members.decodeIfPresent(String.self, forKey: .seenSince)
        notSeenSince = try members.decodeIfPresent(String.self, forKey: .notSeenSince)
        search = try members.decodeIfPresent(String.self, forKey: .search)
        columns = try members.decodeIfPresent([String].self, forKey: .columns)
        fields = try members.decodeIfPresent([String].self, forKey: .fields)
    }

    /// - Throws: `RequestError.membersInvalid` for a word or a day that there is not.
    func view(named name: String) throws(RequestError) -> UserListView {
        func day(_ text: String?, _ member: String) throws(RequestError) -> Timestamp? {
            guard let text else { return nil }
            guard let time = WireTime("\(text)T00:00:00.000Z") else {
                throw AdminQuery.malformed(member, AdminQuery.dayForm)
            }
            return Timestamp(milliseconds: time.millisecondsSince1970)
        }
        func word<Word: CaseIterable & RawRepresentable>(
            _ text: String, _ member: String
        ) throws(RequestError) -> Word where Word.RawValue == String {
            guard let word = Word(rawValue: text) else { throw AdminQuery.malformed(member, .oneOf(Word.self)) }
            return word
        }
        var chosen: [UserListView.Column] = []
        for text in columns ?? [] { chosen.append(try word(text, "columns")) }
        var view = UserListView(name: name)
        view.provider = provider.map { .init(rawValue: $0) }
        view.protocolName = `protocol`.map { .init(rawValue: $0) }
        view.seenSince = try day(seenSince, "seenSince")
        view.notSeenSince = try day(notSeenSince, "notSeenSince")
        view.search = search
        view.columns = chosen
        view.fields = fields ?? []
        if let kind { view.kind = try word(kind, "kind") }
        return view
    }
}
