package import Domain
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
        var imported: ImportedUser
        do throws(NCMBFault) {
            for (name, value) in try MemberFields.custom(in: members) where value != .null {
                user.fields[name] = try NCMBDates.normalized(value, name)
            }
            if let acl = members["acl"], acl != .null { user.acl = try MemberFields.acl(acl) }
            imported = ImportedUser(user: user)
            imported.faults = times.faults
            try take(members["authData"], into: &imported)
        } catch {
            throw Fault(id: id, description: error.message)
        }
        takeName(members, into: &imported, knowsDeviceIds: knowsDeviceIds)
        return imported
    }

    private static func take(_ authData: JSONValue?, into imported: inout ImportedUser) throws(NCMBFault) {
        guard case .object(let providers)? = authData else { return }
        for (name, value) in providers where value != .null {
            let provider = Identity.Provider(rawValue: name)
            guard AuthDataObject.providers.contains(provider), case .object(let members) = value else {
                throw .notValid("authData")
            }
            let id = try NCMBBody(members: members).text("id", missing: .empty("authData.\(name).id"))
            if provider == .anonymous {
                guard let anonymous = AnonymousId(id) else { throw .malformed("authData.anonymous.id") }
                imported.anonymousId = anonymous
            } else {
                imported.providerNames[provider] = id
            }
        }
    }

    /// The generated name of somebody who is anonymous is no choice of theirs, and would make them somebody with a name.
    private static func takeName(
        _ members: [String: JSONValue], into imported: inout ImportedUser, knowsDeviceIds: Bool
    ) {
        guard let name = text("userName", members) else { return }
        let isGenerated =
            name.utf8.count == 10 && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
        if isGenerated, imported.anonymousId != nil, imported.providerNames.isEmpty, imported.user.email == nil {
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
