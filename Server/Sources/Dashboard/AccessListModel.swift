import Domain
import PageSupport

/// The access list that an app of an old protocol gave a user, in words: who may read, and who may write.
struct AccessListModel {
    let request: DashboardRequest
    let found: InspectUser.Findings

    var model: PageTemplates.Model {
        guard let entries = found.user.acl?.entries else { return [:] }
        let rights: [(String, ACL.Rights)] = [("readers", .read), ("writers", .write)]
        let lists = rights.map { name, right -> PageTemplates.Model in
            let subjects = entries.filter { $0.value.contains(right) }.map(\.key)
            return ["label": request.text("user.\(name)"), "subjects": Self.sorted(subjects).map { words(of: $0) }]
        }
        return ["hasAccessList": true, "accessList": lists]
    }

    /// Everybody first, then users, then roles.
    private static func sorted(_ subjects: [ACL.Subject]) -> [ACL.Subject] {
        func rank(_ subject: ACL.Subject) -> Int {
            switch subject {
            case .everybody: 0
            case .user: 1
            case .role: 2
            }
        }
        return subjects.sorted { (rank($0), $0.text) < (rank($1), $1.text) }
    }

    /// A user is a link where there is one: lists name whom they like.
    private func words(of subject: ACL.Subject) -> PageTemplates.Model {
        switch subject {
        case .everybody: return ["listedWords": request.text("user.everybody")]
        case .role(let name): return ["listedWords": request.text("user.listedRole", ["name": name])]
        case .user(let id):
            guard found.listedUsers.contains(id) else { return ["listedId": id.rawValue] }
            return ["listedId": id.rawValue, "listedLink": request.path(of: id)]
        }
    }
}
