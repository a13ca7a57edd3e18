import StorageSQLite
import TestWorld
import Testing

@testable import Domain

@Suite("An application that comes from an export")
struct ImportApplicationTests {
    private let world: TestWorld

    init() throws { world = try TestWorld(try SQLiteStore(.memory, role: .server)) }

    private func exported(_ protocols: [Session.ProtocolName]) -> ExportedApplication {
        let application = Application(
            id: Identifier(rawValue: "old"), name: "Old", adminKeyDigest: SecretDigest(of: [1]), settings: .init(),
            createdAt: world.clock.now)
        var exported = ExportedApplication(application, hasSecrets: true, digestKey: [1])
        exported.protocols = protocols.map {
            ProtocolKeySet(application: application.id, protocolName: $0, publicKey: "key")
        }
        return exported
    }

    private func stored() async throws -> Application? {
        try await world.engine.read { transaction throws(DomainError) in
            try transaction.application(Identifier(rawValue: "old"))
        }
    }

    @Test("has keys of none but the protocols that are offered here", arguments: [false, true])
    func protocols(isRehearsal: Bool) async throws {
        let take = world.modules.imports.importApplication
        let unknown = ["another", "later"].map { Session.ProtocolName(rawValue: $0) }
        let broken = exported([Session.ProtocolName.yearly] + unknown)
        let refused = await world.refusal { _ = try await take(broken, isRehearsal: isRehearsal, by: .local) }
        #expect(
            refused
                == .fieldsRefused([
                    ValidationError(field: "protocols.another", rule: .notOffered),
                    ValidationError(field: "protocols.later", rule: .notOffered),
                ]))
        #expect(try await stored() == nil)
        let taken = try await take(exported([.yearly]), isRehearsal: isRehearsal, by: .local)
        #expect(!taken.isPresent && taken.application.name == "Old")
        #expect((try await stored() == nil) == isRehearsal)
    }
}
