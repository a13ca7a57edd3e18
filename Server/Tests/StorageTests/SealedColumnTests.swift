import Domain
import Foundation
import Storage
import StorageSQLite
import Testing

@Suite("The table of sealed columns")
struct SealedColumnTests {
    @Test("names every sealed column of the schema, and no other")
    func completeness() async throws {
        let folder = TemporaryFolder()
        await (try SQLiteStore(.folder(folder.path), role: .server)).close()
        let shapes = try SQLiteTables(folder: folder.path).shapes()
        let columns = shapes.flatMap { shape in shape.columns.map { "\(shape.name).\($0.name)" } }
        let documents = ["protocol_keys.keys", "applications.settings"]
        let sealed = columns.filter { $0.contains(".sealed") } + documents
        #expect(Set(sealed) == Set(SealedColumn.allCases.map(\.rawValue)))
        #expect(Set(documents).isSubset(of: columns))
        #expect(SealedColumn.allCases.filter { !$0.isPlain }.map(\.rawValue).sorted() == documents.sorted())
    }

    /// Where the domain has sealed values, and by what each is sealed again under another key.
    private static let properties: [String: String] = [
        "PlayKeys.sealedKey": "settings play-key", "Hook.sealedSecret": "settings hook-secret",
        "Hook.sealedFormer": "settings former-hook-secret", "OldService.sealedSecret": "settings old-service-secret",
        "StoredProvider.sealedSecret": "providers.sealed_secret",
        "ProviderAccount.sealedGrant": "provider_accounts.sealed_grant",
        "ProviderRevocation.sealedGrant": "provider_revocations.sealed_grant",
        "EventEndpoint.sealedSecret": "event_endpoints.sealed_secret",
        "EventEndpoint.sealedFormer": "event_endpoints.sealed_former",
        "TOTPFactor.sealedKey": "totp_factors.sealed_key", "ProtocolKeySet.sealed": "protocol_keys.keys",
        "Admin.sealedTOTP": "admins.sealed_totp", "AdminLink.sealedTOTP": "admin_links.sealed_totp",
        "QueuedMail.sealed": "mail_queue.sealed", "OutboxMail.sealed": "mail_outbox.sealed",
        "SealedSigningKey.sealed": "signing_keys.sealed",
        // What resealing reads, of any column.
        "SealedValue.sealed": "",
    ]

    /// The declarations of stored properties whose names begin with `sealed` and that are bytes.
    private static func declarations() throws -> Set<String> {
        let sources = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Sources/Domain").standardizedFileURL
        let files = try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
        var found: Set<String> = []
        for case let file as URL in files where file.pathExtension == "swift" {
            var type = ""
            for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
                if let name = line.firstMatch(of: /^(?:package )?(?:struct|extension|enum) (\w+)/) {
                    type = String(name.1)
                }
                let property = line.firstMatch(of: /^ {4}(?:package )?(?:let|var) (sealed\w*): [^{=]*UInt8/)
                if let property { found.insert("\(type).\(property.1)") }
            }
        }
        return found
    }

    @Test("has a row for each sealed value of the domain, so that resealing and exports forget none")
    func properties() throws {
        #expect(try Self.declarations() == Set(Self.properties.keys))
        let known = SealedColumn.allCases.map(\.rawValue) + SettingsSecret.allCases.map { "settings \($0.rawValue)" }
        for (property, column) in Self.properties where !column.isEmpty {
            #expect(known.contains(column), "\(property)")
        }
        let settings = Self.properties.values.filter { $0.hasPrefix("settings ") }
        #expect(Set(settings) == Set(SettingsSecret.allCases.map { "settings \($0.rawValue)" }))
    }
}
