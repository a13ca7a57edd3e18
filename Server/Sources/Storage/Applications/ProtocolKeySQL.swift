package import Domain
import Foundation

extension SQLTransaction {
    package func protocolKeys(
        _ protocolName: Session.ProtocolName, publicKey: String
    ) throws(DomainError) -> ProtocolKeySet? {
        try connection.first(
            ProtocolKeyRow.self, "FROM protocol_keys WHERE protocol = $1 AND public_key = $2",
            [.text(protocolName.rawValue), .text(publicKey)])
    }

    package func protocolKeys(of application: Identifier<Application>) throws(DomainError) -> [ProtocolKeySet] {
        try connection.all(
            ProtocolKeyRow.self, "FROM protocol_keys WHERE application_id = $1 ORDER BY protocol", [.id(application)])
    }

    package func save(_ keys: ProtocolKeySet) throws(DomainError) {
        let stored = try connection.row(
            "SELECT keys FROM protocol_keys WHERE application_id = $1 AND protocol = $2",
            [.id(keys.application), .text(keys.protocolName.rawValue)]
        ) { row throws(DomainError) in row.only.text }
        try connection.insert(
            keys, as: ProtocolKeyRow.self, StoredKeys(keys), in: .keys, replacing: stored,
            """
            ON CONFLICT (application_id, protocol) DO UPDATE SET
                public_key = excluded.public_key, keys = excluded.keys
            """)
        note(.application(keys.application))
    }

    package func removeProtocolKeys(
        _ protocolName: Session.ProtocolName, of application: Identifier<Application>
    ) throws(DomainError) -> Bool {
        let removed = try connection.change(
            "DELETE FROM protocol_keys WHERE application_id = $1 AND protocol = $2",
            [.id(application), .text(protocolName.rawValue)])
        note(.application(application))
        return removed == 1
    }
}

package enum ProtocolKeyRow: StoredRow {
    package static let table: StaticString = "protocol_keys"

    package enum Column: Int, RowColumn {
        case applicationId, `protocol`, publicKey, keys
    }

    package static func content(_ row: ColumnReader<Column>) throws(DomainError) -> ProtocolKeySet {
        var keys = ProtocolKeySet(
            application: row.id(.applicationId), protocolName: .init(rawValue: row.text(.protocol)),
            publicKey: row.text(.publicKey))
        try JSONText.decode(StoredKeys.self, from: row.text(.keys)).write(to: &keys)
        return keys
    }

    package static func stored(_ keys: ProtocolKeySet, _ column: Column) throws(DomainError) -> Value {
        switch column {
        case .applicationId: .id(keys.application)
        case .protocol: .text(keys.protocolName.rawValue)
        case .publicKey: .text(keys.publicKey)
        case .keys: .text(try StoredKeys(keys).storedText())
        }
    }
}

/// Keys as stored. What a newer program wrote beside them is left alone.
private struct StoredKeys: Codable, SettingsDocument {
    var sealed: [String: Data]
    var digests: [String: Data]

    init(_ keys: ProtocolKeySet) {
        sealed = Dictionary(keys.sealed.map { ($0.rawValue, Data($1)) }, uniquingKeysWith: { $1 })
        digests = Dictionary(keys.digests.map { ($0.rawValue, Data($1.bytes)) }, uniquingKeysWith: { $1 })
    }

    /// - Throws: `storageUnavailable` when stored bytes are no digest, which only damage explains.
    func write(to keys: inout ProtocolKeySet) throws(DomainError) {
        for (name, bytes) in sealed {
            keys.sealed[ProtocolKey(rawValue: name)] = Array(bytes)
        }
        for (name, bytes) in digests {
            guard let digest = SecretDigest(stored: Array(bytes)) else { throw .storageUnavailable }
            keys.digests[ProtocolKey(rawValue: name)] = digest
        }
    }
}
