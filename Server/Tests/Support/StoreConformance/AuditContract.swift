import Domain
import Storage
import TestWorld

extension Contract {
    static let auditContracts = [
        Contract("chains the audit log of each application in order, and finds it as it was written") { engine in
            let (world, application) = try await worldWithLog(engine)
            let verdicts = try await world.modules.administration.audit.verify()
            try expectEqual(verdicts.flatMap(\.faults), [])
            try expectEqual(verdicts.map(\.entryCount), [6])
            try expectEqual(verdicts.first?.head?.number, 6)
            let entries = try await world.modules.administration.audit.list(in: application.id)
            try expectEqual(
                entries.map(\.action), Array(repeating: .sessionEnded, count: 5) + [.applicationCreated])
            try expectEqual(entries.last?.actor, .operator)
        },
        Contract("tells when the newest entry of all logs was written, also of the server's own") { engine in
            let (world, first) = try await worldWithLog(engine)
            try await expectNewestEntry(of: first.id, world, engine)
            world.clock.advance(by: .seconds(60))
            let second = try await world.makeApplication()
            try await expectNewestEntry(of: second.id, world, engine)
            world.clock.advance(by: .seconds(60))
            try await engine.write { [now = world.clock.now] transaction throws(DomainError) in
                try transaction.insert(
                    AuditEntry(
                        id: Identifier(rawValue: "z"), application: AuditEntry.server, at: now, by: .local,
                        did: .init(.applicationCreated, on: nil, result: .done, details: [:]),
                        seal: SecretDigest(of: [1])))
            }
            try await expectNewestEntry(of: AuditEntry.server, world, engine)
        },
        tamper("a changed audit entry", "UPDATE audit_entries SET actor = 'user:other' WHERE number = 3") { faults in
            guard case .changed(3, _) = faults.first, faults.count == 1 else { return false }
            return true
        },
        tamper(
            "changed details of an audit entry", "UPDATE audit_entries SET details = '{\"a\":\"b\"}' WHERE number = 4"
        ) { faults in
            guard case .changed(4, _) = faults.first, faults.count == 1 else { return false }
            return true
        },
        tamper("a removed audit entry", "DELETE FROM audit_entries WHERE number = 3") { faults in
            faults == [.missing(from: 3, through: 3)]
        },
        tamper("removed audit entries at the end", "DELETE FROM audit_entries WHERE number > 4") { faults in
            faults == [.missing(from: 5, through: 6)]
        },
        tamper("a removed audit log", "DELETE FROM audit_entries", "DELETE FROM audit_heads") { faults in
            faults == [.headChanged]
        },
        tamper(
            "a removed audit entry whose followers were numbered anew", "DELETE FROM audit_entries WHERE number = 3",
            "UPDATE audit_entries SET number = number - 1 WHERE number = 4",
            "UPDATE audit_entries SET number = number - 1 WHERE number = 5",
            "UPDATE audit_entries SET number = number - 1 WHERE number = 6",
            "UPDATE audit_heads SET number = number - 1"
        ) { faults in
            guard case .misplaced(3, _) = faults.first else { return false }
            return faults.contains(.headChanged)
        },
        tamper(
            "an audit entry that was put in",
            """
            INSERT INTO audit_entries (application_id, id, happened_at, actor, action, result, seal)
            SELECT application_id, 'zzzzzzzzzzzzzzzz', happened_at, 'operator', action, result, seal
            FROM audit_entries WHERE number = 3
            """
        ) { faults in
            guard case .changed(7, let id) = faults.first, faults.count == 1 else { return false }
            return id.rawValue == "zzzzzzzzzzzzzzzz"
        },
        Contract("finds an audit log that is older than it was") { engine in
            let (world, application) = try await worldWithLog(engine)
            let head = try await world.modules.administration.audit.verify(application.id).first?.head
            guard let head else { throw ContractFault(description: "the chain has no end") }
            let known = VerifyAudit.Known(number: head.number, digest: head.digest)
            try expectEqual(
                try await world.modules.administration.audit.verify(application.id, known: known).flatMap(\.faults), [])
            let later = VerifyAudit.Known(number: 7, digest: head.digest)
            try expectEqual(
                try await world.modules.administration.audit.verify(application.id, known: later).flatMap(\.faults),
                [.knownMissing(number: 7)])
        },
        Contract("gives each audit entry one position when several chain at once") { engine in
            let (world, _) = try await worldWithLog(engine, chained: false)
            _ = try await together(8) { _ in try await world.modules.administration.audit.chain() }
            let verdicts = try await world.modules.administration.audit.verify()
            try expectEqual(verdicts.flatMap(\.faults), [])
            try expectEqual(verdicts.map(\.entryCount), [6])
        },
        Contract("writes no audit entry for an action that did not happen") { engine in
            let (world, application) = try await worldWithLog(engine)
            let who = try await world.authenticate(
                try await world.logIn(TestDevice(), to: application).token, in: application)
            do {
                try await world.modules.sessions.endSession(Identifier(rawValue: "nothing"), by: who, from: .local)
                throw ContractFault(description: "a session that is not there was ended")
            } catch let error as DomainError where error == .sessionUnknown {}
            try expectEqual(try await world.modules.administration.audit.list(in: application.id).count, 6)
        },
    ]
}

/// A world in which an application was made and five sessions were ended.
private func worldWithLog(_ engine: any Engine, chained: Bool = true) async throws -> (TestWorld, Application) {
    let world = try TestWorld(engine)
    let application = try await world.makeApplication()
    for _ in 0..<5 {
        world.clock.advance(by: .seconds(1))
        let logIn = try await world.logIn(TestDevice(), to: application)
        try await world.modules.sessions.endSession(logIn.session.id, of: nil, in: application.id, by: .local)
    }
    if chained { try await world.modules.administration.audit.chain() }
    return (world, application)
}

/// The newest entry of all logs is this one's, and of now.
private func expectNewestEntry(
    of application: Identifier<Application>, _ world: TestWorld, _ engine: any Engine
) async throws {
    let newest = try await world.modules.administration.audit.list(in: application, limit: 1).first?.at
    try expect(newest == world.clock.now, "\(application) has no entry of now")
    let newestOfAll = try await engine.read { transaction throws(DomainError) in try transaction.newestAuditTime() }
    try expectEqual(newestOfAll, newest)
}

/// Somebody who has the database but not the sealing key changes the log: verifying it finds that.
private func tamper(
    _ what: String, _ statements: Query..., finds: @escaping @Sendable ([VerifyAudit.Fault]) -> Bool
) -> Contract {
    Contract("finds \(what)") { engine in
        let (world, _) = try await worldWithLog(engine)
        try await engine.write { transaction throws(DomainError) in
            guard let transaction = transaction as? SQLTransaction else { throw .storageUnavailable }
            for statement in statements { try transaction.connection.run(statement) }
        }
        try await world.modules.administration.audit.chain()
        let faults = try await world.modules.administration.audit.verify().flatMap(\.faults)
        try expect(finds(faults), "found: \(faults)")
    }
}
