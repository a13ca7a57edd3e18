import Domain
import HTTPSupport
import HTTPTypes
import OkaeriWire

/// Roles as objects of the class `_Role`: the application's own roles, which operators give. Groups are not among them.
final class RolesController: Sendable {
    private let directory: UserDirectory
    private let accounts: Accounts
    private let applications: Applications

    init(_ modules: Modules) {
        directory = modules.directory
        (accounts, applications) = (modules.accounts, modules.applications)
    }

    /// `GET /roles`: those that the caller has; for an administrator all, or those of a user.
    func list(_ call: ParseCall) async throws -> ParseResponse {
        let options = try QueryOptions(call)
        let filter = try RoleFilter(options.condition)
        let found = try await visible(filter.user, call).filter(filter.fits)
        let ordered =
            switch options.order {
            case "-name": Array(found.reversed())
            case "createdAt", "objectId": found.sorted { $0.id.rawValue < $1.id.rawValue }
            case "-createdAt", "-objectId": found.sorted { $0.id.rawValue > $1.id.rawValue }
            default: found
            }
        let page = ordered.dropFirst(options.skip).prefix(options.limit)
        var members: [String: JSONValue] = [
            "results": .array(page.map { .object(options.columns.cut(RoleObject($0).members)) })
        ]
        if options.counts { members["count"] = .integer(Int64(clamping: found.count)) }
        return ParseResponse(members)
    }

    /// `GET /roles/{objectId}`
    func read(_ call: ParseCall) async throws -> ParseResponse {
        let options = try QueryOptions(ofOne: call)
        guard let role = try await visible(nil, call).first(where: { $0.id.rawValue == call.objectId }) else {
            throw ParseFault.objectNotFound
        }
        return ParseResponse(options.columns.cut(RoleObject(role).members))
    }

    /// `POST /roles`: a role, with its first users.
    func create(_ call: ParseCall) async throws -> ParseResponse {
        try requireMaster(call, "create")
        let change = try RoleChange(call.body, isCreation: true)
        // Before anything is written.
        for user in change.added { _ = try await directory.readUser(user, in: call.application.id) }
        let role = try await named { () throws(DomainError) in
            try await applications.changeAccessRules.create(
                change.name ?? "", .role(permissions: []), in: call.application.id, by: call.administrator)
        }
        try await give(change, role.id, call)
        let object = RoleObject(role)
        return ParseResponse(
            ["objectId": .string(role.id.rawValue), "createdAt": .string(object.createdAt.text)], status: .created,
            headers: call.location("/classes/_Role/\(role.id)"))
    }

    /// `PUT /roles/{objectId}`: its name, and who is in it.
    func update(_ call: ParseCall) async throws -> ParseResponse {
        try requireMaster(call, "update")
        let change = try RoleChange(call.body, isCreation: false)
        let id = Identifier<Grant>(rawValue: call.objectId)
        guard let role = try await rules(call)[id], role.kind == .role else { throw ParseFault.objectNotFound }
        for user in change.added { _ = try await directory.readUser(user, in: call.application.id) }
        if let name = change.name, name != role.name {
            _ = try await named { () throws(DomainError) in
                try await applications.changeAccessRules.change(
                    id, name: name, nil, .role, in: call.application.id, by: call.administrator)
            }
        }
        try await give(change, id, call)
        return ParseResponse(["updatedAt": .string(call.requests.now.text)])
    }

    /// `DELETE /roles/{objectId}`: nobody has it any more.
    func delete(_ call: ParseCall) async throws -> ParseResponse {
        try requireMaster(call, "delete")
        do {
            try await applications.changeAccessRules.remove(
                Identifier(rawValue: call.objectId), .role, in: call.application.id, by: call.administrator)
        } catch {
            guard error == .administration(.notFound) else { throw error }
            throw ParseFault.objectNotFoundForDelete
        }
        return ParseResponse([:])
    }

    /// The roles that the caller sees: all for an administrator, for a user those that it has, by a group too.
    ///
    /// - Parameters:
    ///   - user: Whose roles are asked for; `nil` for no one's in particular.
    ///   - call: Who asks.
    /// - Returns: roles by name.
    /// - Throws: `applicationUnknown`, `storageUnavailable`.
    private func visible(_ user: Identifier<User>?, _ call: ParseCall) async throws(DomainError) -> [Grant] {
        let rules = try await rules(call)
        let all = rules.sorted(.role)
        var owner = call.caller.session?.user
        if call.caller.isMaster {
            guard let user else { return all }
            do throws(DomainError) {
                owner = try await directory.readUser(user, in: call.application.id)
            } catch {
                guard error == .userUnknown else { throw error }
                return []
            }
        }
        guard let owner, user == nil || user == owner.id else { return [] }
        let had = rules.roles(of: owner)
        return all.filter { had.contains($0.id) }
    }

    /// As they are now: what an earlier item of a batch changed counts.
    private func rules(_ call: ParseCall) async throws(DomainError) -> AccessRules {
        try await applications.findApplication(call.application.id).settings.access
    }

    private func give(_ change: RoleChange, _ role: Identifier<Grant>, _ call: ParseCall) async throws {
        for (user, isAdded) in change.users.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            do throws(DomainError) {
                _ = try await accounts.changeUserRoles(
                    isAdded ? .init(adding: [role]) : .init(removing: [role]), of: user, in: call.application,
                    by: call.administrator)
            } catch {
                if error.validationErrors != nil {
                    throw ParseFault(116, "The user has as many roles as a user may have.")
                }
                // Who is gone is in no role.
                guard error == .userUnknown, !isAdded else { throw error }
            }
        }
    }

    /// Puts what is wrong with a name into Parse's words.
    private func named(_ work: () async throws(DomainError) -> Grant) async throws -> Grant {
        do throws(DomainError) {
            return try await work()
        } catch {
            switch error.validationErrors?.first?.rule {
            case nil: throw error
            case .notUnique?:
                throw ParseFault(137, "A duplicate value for a field with unique values was provided")
            case .tooManyFields?, .tooManyBytes?:
                throw ParseFault(116, "The application has as many roles as it may have.")
            default:
                throw ParseFault(
                    139, "A role's name has 1 to 64 letters and digits of ASCII and - _ . : / * and no spaces.")
            }
        }
    }

    /// In the reference's words for what a class does not permit.
    private func requireMaster(_ call: ParseCall, _ action: String) throws(ParseFault) {
        guard call.caller.isMaster else {
            throw ParseFault(119, "Permission denied for action \(action) on class _Role.")
        }
    }
}
