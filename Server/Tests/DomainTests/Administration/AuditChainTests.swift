import Domain
import OkaeriWire
import StorageSQLite
import TestWorld
import Testing

@Suite("The chains of the audit log")
struct AuditChainTests {
    let world: TestWorld

    init() throws {
        world = try TestWorld(try SQLiteStore(.memory, role: .server))
    }

    /// Every change of a theme is one entry, beside that of the application's making.
    private func application(themes: Int) async throws -> Application {
        let application = try await world.makeApplication()
        for number in 0..<themes {
            try await world.modules.applications.changeTheme(
                of: application.id, to: ["number": .integer(Int64(number))], by: .local)
        }
        return application
    }

    @Test("hold every entry once, however many there are", arguments: [0, 1, 498, 499, 500, 999, 1000])
    func whole(themes: Int) async throws {
        let application = try await application(themes: themes)
        #expect(try await world.modules.administration.audit.chain() == themes + 1)
        #expect(try await world.modules.administration.audit.chain() == 0)
        let verdicts = try await world.modules.administration.audit.verify(application.id)
        #expect(verdicts.count == 1)
        let verdict = try #require(verdicts.first)
        #expect(verdict.faults.isEmpty && verdict.entryCount == themes + 1)
        #expect(verdict.head?.number == Int64(themes + 1))
    }

    @Test("are one for each application")
    func apart() async throws {
        let (first, second) = (try await application(themes: 2), try await application(themes: 5))
        try await world.modules.administration.audit.chain()
        let verdicts = try await world.modules.administration.audit.verify()
        #expect(verdicts.filter { $0.application == first.id }.map(\.entryCount) == [3])
        #expect(verdicts.filter { $0.application == second.id }.map(\.entryCount) == [6])
        #expect(verdicts.flatMap(\.faults).isEmpty)
    }

    @Test("whose ends were all changed are not taken for those of another sealing key: what was changed is found")
    func changedEnds() async throws {
        for themes in [0, 3] { _ = try await application(themes: themes) }
        let audit = world.modules.administration.audit
        #expect(try await !audit.verify.isUnderAnotherKey())
        try await audit.chain()
        #expect(try await !audit.verify.isUnderAnotherKey())
        let heads = try await audit.verify().compactMap(\.head)
        try await world.engine.write { transaction throws(DomainError) in
            for head in heads {
                try transaction.replace(
                    AuditHead(
                        application: head.application, number: head.number - 1, digest: head.digest, seal: head.seal))
            }
        }
        #expect(try await !audit.verify.isUnderAnotherKey())
        let faults = try await audit.verify().flatMap(\.faults)
        #expect(heads.count >= 2 && faults == Array(repeating: .headChanged, count: heads.count))
    }

    @Test("without an end, or with another entry than the known one, do not fit")
    func known() async throws {
        let application = try await application(themes: 3)
        let unchained = try await world.modules.administration.audit.verify(application.id)
        #expect(unchained.flatMap(\.faults) == [.headChanged] && unchained.map(\.entryCount) == [0])
        try await world.modules.administration.audit.chain()
        let head = try #require(try await world.modules.administration.audit.verify(application.id).first?.head)
        for (number, isKnown) in [(Int64(4), true), (3, false), (5, false)] {
            let known = VerifyAudit.Known(number: number, digest: head.digest)
            let faults = try await world.modules.administration.audit.verify(application.id, known: known)
                .flatMap(\.faults)
            #expect(faults == (isKnown ? [] : [.knownMissing(number: number)]))
        }
    }
}
