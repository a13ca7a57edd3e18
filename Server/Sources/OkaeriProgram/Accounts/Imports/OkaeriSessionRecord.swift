import Domain
import HTTPSupport
import OkaeriWire

/// A session of a foreign protocol in a user's line of an export.
enum OkaeriSessionRecord {
    static func value(_ exported: ExportedSession) -> JSONValue {
        let session = exported.session
        func value(_ time: Timestamp) -> JSONValue { .string(time.wire.description) }
        var members: [String: JSONValue] = [
            "id": .string(session.id.rawValue), "protocol": .string(session.protocolName.rawValue),
            "token": .string(Base64URL.text(of: exported.token.bytes)), "method": .string(session.method.rawValue),
            "methods": .integer(session.methods.rawValue), "createdAt": value(session.createdAt),
            "lastUsedAt": value(session.lastUsedAt), "expiresAt": value(session.expiresAt),
        ]
        members["authenticatedAt"] = session.authenticatedAt.map(value)
        members["secondFactorAt"] = session.secondFactorAt.map(value)
        members["updatedAt"] = session.updatedAt.map(value)
        members["origin"] = session.origin.map(JSONValue.string)
        members["parent"] = session.parent.map { JSONValue.string($0.rawValue) }
        members["deviceKey"] = session.deviceKey.map(JSONValue.string)
        members["address"] = session.address.map(JSONValue.string)
        if !session.fields.isEmpty { members["fields"] = .object(session.fields) }
        var device: [String: JSONValue] = [:]
        device["name"] = session.device.name.map(JSONValue.string)
        device["model"] = session.device.model.map(JSONValue.string)
        device["system"] = session.device.system.map(JSONValue.string)
        device["appVersion"] = session.device.appVersion.map(JSONValue.string)
        device["installation"] = session.device.installation.map(JSONValue.string)
        if !device.isEmpty { members["device"] = .object(device) }
        return .object(members)
    }

    /// - Throws: `ImportFault` for an object of another form.
    static func session(
        _ object: RecordMembers, of user: Identifier<User>, _ application: Identifier<Application>
    ) throws(ImportFault) -> ExportedSession {
        guard let token = SecretDigest(stored: try object.bytes("token")) else {
            throw ImportFault(id: user.rawValue, sentence: "okaeri.sessions holds a token that is no digest")
        }
        var device = DeviceDescription()
        if let sent = try object.object("device") {
            device = DeviceDescription(
                name: try sent.optionalText("name"), model: try sent.optionalText("model"),
                system: try sent.optionalText("system"), appVersion: try sent.optionalText("appVersion"),
                installation: try sent.optionalText("installation"))
        }
        var session = Session(
            id: Identifier(rawValue: try object.text("id")), application: application, user: user,
            client: .init(
                deviceKey: try object.optionalText("deviceKey"), device: device,
                address: try object.optionalText("address")),
            protocolName: .init(rawValue: try object.text("protocol")),
            method: .init(rawValue: try object.text("method")),
            times: .init(
                createdAt: try object.time("createdAt"), lastUsedAt: try object.time("lastUsedAt"),
                expiresAt: try object.time("expiresAt"), authenticatedAt: try object.optionalTime("authenticatedAt")))
        session.methods = AuthenticationMethods(rawValue: try object.count("methods"))
        session.secondFactorAt = try object.optionalTime("secondFactorAt")
        session.origin = try object.optionalText("origin")
        session.parent = try object.optionalText("parent").map { Identifier(rawValue: $0) }
        session.updatedAt = try object.optionalTime("updatedAt")
        if let fields = try object.object("fields") {
            session.fields = fields.names.reduce(into: [:]) { $0[$1] = fields.exact($1) }
        }
        return ExportedSession(session: session, token: token)
    }
}
