import Backups
import Domain
import Foundation
import HTTPSupport
import OkaeriWire

/// The first and the last line of an export.
enum OkaeriApplicationRecord {
    /// The version of the form. A program refuses later ones, whose meaning it does not know.
    static let format: Int64 = 1
    private static let mark = "okaeriExport"

    /// The first line: the application.
    ///
    /// - Throws: `CommandFault`, should it not be written as JSON.
    static func firstLine(_ exported: ExportedApplication, at now: Timestamp) throws(CommandFault) -> [UInt8] {
        let application = exported.application
        // Both say the same of what is no JSON, which the rules exclude.
        guard let text = try? ExportedSettings.text(of: application.settings),
            let settings = try? JSONValue(parsing: Array(text.utf8))
        else { throw .failed("The settings of the application cannot be written as JSON.") }
        var members: [String: JSONValue] = [
            "id": .string(application.id.rawValue), "name": .string(application.name),
            "createdAt": .string(application.createdAt.wire.description), "settings": settings,
            "providers": .array(exported.providers.map(value)),
        ]
        if exported.hasSecrets {
            members["adminKeyDigest"] = .string(Base64URL.text(of: application.adminKeyDigest.bytes))
            members["protocols"] = .array(exported.protocols.map(value))
        }
        let line: [String: JSONValue] = [
            "format": .integer(format), "program": .string(ProgramVersion.current),
            "exportedAt": .string(now.wire.description), "secrets": .bool(exported.hasSecrets),
            "digestKey": .string(Base64URL.text(of: exported.digestKey)), "application": .object(members),
        ]
        // The mark stands in front, so that a reader knows the line before it reads it.
        return Array("{\"\(mark)\":\"application\",".utf8) + (try Self.line(line)).dropFirst()
    }

    /// The last line: that nothing is missing.
    static func lastLine(users: Int) -> [UInt8] { Array("{\"\(mark)\":\"end\",\"users\":\(users)}\n".utf8) }

    /// A line.
    ///
    /// - Throws: `CommandFault`, should it not be written as JSON.
    static func line(_ members: [String: JSONValue]) throws(CommandFault) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let bytes = try? encoder.encode(members) else { throw .failed("A record cannot be written as JSON.") }
        return Array(bytes) + [UInt8(ascii: "\n")]
    }

    /// Whether a line is the first or the last.
    static func isMarked(_ line: [UInt8]) -> Bool { line.starts(with: "{\"\(mark)\":".utf8) }

    private static func value(_ provider: StoredProvider) -> JSONValue {
        let settings = provider.settings
        var members: [String: JSONValue] = [
            "provider": .string(settings.provider.rawValue),
            "audiences": .array(settings.audiences.map(JSONValue.string)),
            "redirectURIs": .array(settings.redirectURIs.map(JSONValue.string)),
            "updatedAt": .string(provider.updatedAt.wire.description),
        ]
        members["teamId"] = settings.teamId.map(JSONValue.string)
        members["keyId"] = settings.keyId.map(JSONValue.string)
        members["issuer"] = settings.issuer.map(JSONValue.string)
        members["secret"] = provider.sealedSecret.map { .string(Base64URL.text(of: $0)) }
        return .object(members)
    }

    private static func value(_ set: ProtocolKeySet) -> JSONValue {
        func texts(_ keys: some Sequence<(ProtocolKey, [UInt8])>) -> JSONValue {
            .object(Dictionary(keys.map { ($0.rawValue, .string(Base64URL.text(of: $1))) }) { $1 })
        }
        return [
            "protocol": .string(set.protocolName.rawValue), "publicKey": .string(set.publicKey),
            "keys": texts(set.sealed.map { ($0, $1) }), "digests": texts(set.digests.map { ($0, $1.bytes) }),
        ]
    }
}

extension OkaeriApplicationRecord {
    /// Reads the first line.
    ///
    /// - Throws: `ImportFault` for a line that is none, or of a later form.
    static func application(_ bytes: [UInt8]) throws(ImportFault) -> ExportedApplication {
        guard isMarked(bytes), let value = try? JSONValue(parsing: bytes) else {
            throw ImportFault(
                id: nil, sentence: "the first line is not that of an export; “okaeri import users” takes others")
        }
        let line = try RecordMembers(value)
        guard try line.text(mark) == "application" else {
            throw ImportFault(id: nil, sentence: "the first line names no application")
        }
        guard try line.count("format") == format else {
            throw ImportFault(
                id: nil, sentence: "the export has another form than this program knows; take a newer Okaeri for it")
        }
        guard let own = try line.object("application") else {
            throw ImportFault(id: nil, sentence: "application is missing")
        }
        guard let settings = own["settings"], let text = try? JSONEncoder().encode(settings),
            let read = try? ExportedSettings.settings(in: String(decoding: text, as: UTF8.self))
        else { throw ImportFault(id: nil, sentence: "application.settings cannot be read") }
        let digest = try own.optionalBytes("adminKeyDigest").flatMap(SecretDigest.init(stored:))
        let id = Identifier<Application>(rawValue: try own.text("id"))
        let application = Application(
            id: id, name: try own.text("name"), adminKeyDigest: digest ?? SecretDigest(of: []), settings: read,
            createdAt: try own.time("createdAt"))
        var exported = ExportedApplication(
            application, hasSecrets: try line.flag("secrets") && digest != nil, digestKey: try line.bytes("digestKey"))
        for object in try own.objects("providers") {
            let settings = ProviderSettings(
                provider: .init(rawValue: try object.text("provider")), audiences: try object.texts("audiences"),
                teamId: try object.optionalText("teamId"), keyId: try object.optionalText("keyId"),
                issuer: try object.optionalText("issuer"), redirectURIs: try object.texts("redirectURIs"))
            exported.providers.append(
                StoredProvider(
                    application: id, settings: settings, sealedSecret: try object.optionalBytes("secret"),
                    updatedAt: try object.time("updatedAt")))
        }
        for object in try own.objects("protocols") {
            var set = ProtocolKeySet(
                application: id, protocolName: .init(rawValue: try object.text("protocol")),
                publicKey: try object.text("publicKey"))
            if let keys = try object.object("keys") {
                for name in keys.names { set.sealed[ProtocolKey(rawValue: name)] = try keys.bytes(name) }
            }
            if let digests = try object.object("digests") {
                for name in digests.names {
                    set.digests[ProtocolKey(rawValue: name)] = SecretDigest(stored: try digests.bytes(name))
                }
            }
            exported.protocols.append(set)
        }
        return exported
    }
}

/// The users of an export: what stands between its first and its last line.
final class OkaeriUserRecords: RecordSource {
    private let records: any RecordSource
    private var count: Int64 = 0

    /// - Parameter records: Where the first line was read.
    init(_ records: any RecordSource) {
        self.records = records
    }

    var readBytes: Int { records.readBytes }

    func next() throws(RecordFile.Fault) -> RecordFile.Record? {
        guard let record = try records.next() else {
            throw RecordFile.Fault(description: "The export ends too early: its last line is missing")
        }
        guard record.fault == nil, OkaeriApplicationRecord.isMarked(record.bytes) else {
            count += 1
            return record
        }
        guard case .object(let members)? = try? JSONValue(parsing: record.bytes), members["users"] == .integer(count)
        else { throw RecordFile.Fault(description: "line \(record.line): the export had another number of users") }
        return nil
    }
}
