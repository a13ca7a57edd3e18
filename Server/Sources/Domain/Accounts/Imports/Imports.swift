/// Users and applications that come from files, and go into them.
package final class Imports: Sendable {
    package let importUsers: ImportUsers
    package let recordImport: RecordImport
    package let exportApplication: ExportApplication
    package let importApplication: ImportApplication

    init(_ world: DomainWorld, audit: AuditTrail, findProvider: FindProvider) {
        let (store, clock, randomness) = (world.store, world.clock, world.randomness)
        importUsers = ImportUsers(
            store: store, clock: clock, randomness: randomness, protocols: world.services.protocols,
            passwords: world.passwords, findProvider: findProvider, sealingKey: world.sealingKey)
        recordImport = RecordImport(store: store, audit: audit)
        exportApplication = ExportApplication(
            store: store, clock: clock, sealingKey: world.sealingKey, audit: audit)
        importApplication = ImportApplication(
            store: store, randomness: randomness, sealingKey: world.sealingKey, audit: audit,
            protocols: world.services.protocols)
    }
}
