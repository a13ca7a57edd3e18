package import Domain
import HTTPSupport
package import OkaeriWire

/// A member of NCMB's export.
package enum NCMBExport {
    /// Why a record is no member, in words for the operator.
    package struct Fault: Error, Hashable, CustomStringConvertible {
        /// The record's id, when it has one.
        package var id: String?
        package let description: String
    }

    /// - Parameters:
    ///   - record: One object of the export.
    ///   - application: Where the member comes to.
    ///   - knowsDeviceIds: Whether a user name in the form of a UUID is the password too, as in the sample of automatic
    ///     log-in.
    /// - Returns: the member.
    /// - Throws: `Fault`.
    package static func member(
        _ record: JSONValue, of application: Identifier<Application>, knowsDeviceIds: Bool
    ) throws(Fault) -> ImportedUser {
        guard case .object(let members) = record else { throw Fault(description: "is no object") }
        guard let id = text("objectId", members) else { throw Fault(description: "objectId is missing") }
        var times = ImportedTimes()
        let created = times.time(sent("createDate", members), "createDate")
        guard created != nil || !times.faults.isEmpty else {
            throw Fault(id: id, description: "createDate is missing")
        }
        let createdAt = created ?? .earliest
        var user = User(
            id: Identifier(rawValue: id), application: application, createdAt: createdAt,
            updatedAt: times.time(sent("updateDate", members), "updateDate") ?? createdAt)
        user.email = text("mailAddress", members)
        if user.email != nil, members["mailAddressConfirm"] == .bool(true) { user.emailVerifiedAt = user.updatedAt }
        var faults = times.faults
        takeFields(members, into: &user, &faults)
        if let acl = members["acl"], acl != .null {
            do throws(NCMBFault) {
                user.acl = try MemberFields.acl(acl)
            } catch {
                faults.append(ValidationError(field: "accessList", rule: .otherType))
            }
        }
        var imported = ImportedUser(user: user)
        imported.faults = faults
        take(members["authData"], into: &imported)
        takeName(members, into: &imported, knowsDeviceIds: knowsDeviceIds)
        return imported
    }

    /// All fields that can be read. What is wrong with the others is noted, so that a member can be taken in without them.
    private static func takeFields(
        _ members: [String: JSONValue], into user: inout User, _ faults: inout [ValidationError]
    ) {
        for (name, value) in members.sorted(by: { $0.key < $1.key })
        where value != .null && !MemberFields.known.contains(name) {
            guard MemberFields.isName(name) else {
                faults.append(ValidationError(field: ProfileRules.path(of: name), rule: .notAFieldName))
                continue
            }
            do throws(NCMBFault) {
                user.fields[name] = try NCMBDates.normalized(value, name)
            } catch {
                faults.append(ValidationError(field: ProfileRules.path(of: name), rule: .notOfKind(.date)))
            }
        }
    }

    private static func take(_ authData: JSONValue?, into imported: inout ImportedUser) {
        guard let authData, authData != .null, authData != "" else { return }
        guard case .object(let providers) = authData else {
            imported.faults.append(ValidationError(field: "identities.authData", rule: .otherType))
            return
        }
        for (name, value) in providers.sorted(by: { $0.key < $1.key }) where value != .null {
            let provider = Identity.Provider(rawValue: name)
            let path = "identities.\(MemberFault.printable(name))"
            guard AuthDataObject.providers.contains(provider) else {
                imported.faults.append(ValidationError(field: path, rule: .notListed))
                continue
            }
            guard case .object(let members) = value, let id = text("id", members) else {
                imported.faults.append(ValidationError(field: path, rule: .required))
                continue
            }
            guard provider == .anonymous else {
                imported.providerNames[provider] = id
                continue
            }
            imported.anonymousId = AnonymousId(id)
            if imported.anonymousId == nil { imported.faults.append(ValidationError(field: path, rule: .otherType)) }
        }
    }

    /// The generated name of a member who is anonymous is no choice of theirs, and would give them a name to log in by. It is
    /// kept as a field, from which the protocol shows it.
    private static func takeName(
        _ members: [String: JSONValue], into imported: inout ImportedUser, knowsDeviceIds: Bool
    ) {
        guard let name = text("userName", members) else { return }
        if MemberObject.isGenerated(name), imported.anonymousId != nil, imported.providerNames.isEmpty,
            imported.user.email == nil
        {
            imported.user.fields[MemberObject.generatedNameField] = .string(name)
            return
        }
        imported.user.username = name
        if let hash = text("password", members), hash.hasPrefix("$") { imported.hash = PasswordHash(text: hash) }
        if knowsDeviceIds, AnonymousId(name) != nil { imported.password = Secret(name) }
    }

    private static func text(_ name: String, _ members: [String: JSONValue]) -> String? {
        guard case .string(let text)? = members[name], !text.isEmpty else { return nil }
        return text
    }

    private static func sent(_ name: String, _ members: [String: JSONValue]) -> ImportedTimes.Sent {
        guard let value = members[name], value != .null else { return .none }
        return NCMBDates.time(value).map { .time($0) } ?? .other
    }
}
