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

    @Test("comes with a link of before that a newer rule refuses, and with none that has no code")
    func refusedLink() async throws {
        let take = world.modules.imports.importApplication
        var old = exported([])
        let code = ApplicationSettings.transferCodePlaceholder
        old.application.settings.transferLink = "https://me@example.com/?code=\(code)"
        let settings = try await take(old, isRehearsal: false, by: .local).application.settings
        #expect(settings.refusedLinks.map(\.field) == ["transferLink"] && settings.usableTransferLink == nil)
        var broken = exported([])
        broken.application.settings.transferLink = "https://example.com/"
        let other = broken
        let refusal = await world.refusal { _ = try await take(other, isRehearsal: true, by: .local) }
        #expect(refusal?.validationErrors?.map(\.field) == ["transferLink"])
    }
}
