import Domain
import TestWorld

/// Users of another service, who are brought in until an answer comes.
///
/// Unchecked: a simulation runs on one thread.
final class ImportFile: @unchecked Sendable {
    static let count = 15

    let number: Int
    /// Whether a part of it may be there already.
    var wasTried = false
    var isDone = false
    var isBusy = false

    init(_ number: Int) { self.number = number }

    func users(of application: Application, at now: Timestamp) -> [ImportedUser] {
        (0..<Self.count).map { index in
            var user = User(
                id: Identifier(rawValue: "import\(number)x\(index)"), application: application.id, createdAt: now,
                updatedAt: now)
            user.username = name(index)
            return ImportedUser(user: user)
        }
    }

    func name(_ index: Int) -> String { "moved-\(number)-\(index)" }
}

/// What operators do, in the dashboard or by commands beside the server.
extension Simulation {
    /// Ends one session, or all, or the user.
    func actAsOperator(on person: Person, in application: Application) async {
        guard person.standing == .active || person.standing == .disabled, person.leavingSince == nil else { return }
        remark("an operator looks at \(person.id.rawValue)")
        switch generator.number(below: 8) {
        case 0: await erase(person, in: application)
        case 1...3: await endAll(of: person, in: application)
        default: await endOne(of: person, in: application)
        }
    }

    private func endOne(of person: Person, in application: Application) async {
        guard !person.sessions.isEmpty else { return }
        let session = generator.pick(person.sessions)
        let (id, user) = (session.id, person.id)
        let outcome = await operate("end a session") {
            try await $0.modules.sessions.endSession(id, of: user, in: application.id, by: .local)
        }
        switch outcome {
        case .done: bury(person.end(isSure: true) { $0 === session })
        case .unknown: _ = person.end(isSure: false) { $0 === session }
        case .refused(let error):
            if error.code != .sessionUnknown { violate("a session is not ended: \(error)") }
        }
    }

    private func endAll(of person: Person, in application: Application) async {
        let user = person.id
        let outcome = await operate("end all sessions") {
            _ = try await $0.modules.administration.users.endAllSessions(of: user, in: application, by: .local)
        }
        switch outcome {
        case .done: evictOthers(of: person, but: nil, nil, isSure: true)
        case .unknown: evictOthers(of: person, but: nil, nil, isSure: false)
        case .refused(let error): violate("sessions are not ended: \(error)")
        }
    }

    private func erase(_ person: Person, in application: Application) async {
        let user = person.id
        let outcome = await operate("erase by an operator") {
            try await $0.modules.deletion.eraseUser(user, in: application.id, by: .local)
        }
        switch outcome {
        case .done:
            evictOthers(of: person, but: nil, nil, isSure: true)
            person.standing = .erased
        case .unknown:
            evictOthers(of: person, but: nil, nil, isSure: false)
            person.standing = .unsure
        case .refused(let error): violate("a user is not erased: \(error)")
        }
    }

    func drawImport(in application: Application) -> Operation? {
        if imports.last?.isDone ?? true { imports.append(ImportFile(imports.count)) }
        guard let file = imports.last, !file.isBusy else { return nil }
        file.isBusy = true
        return locked([], []) { simulation in
            await simulation.bring(file, to: application)
            file.isBusy = false
        }
    }

    /// Imports, and begins again when no answer came.
    private func bring(_ file: ImportFile, to application: Application) async {
        let users = file.users(of: application, at: now)
        for _ in 0..<3 {
            let outcome = await operate("import") {
                try await $0.modules.imports.importUsers(
                    users, into: application.id, of: .single, isRehearsal: false)
            }
            switch outcome {
            case .done(let outcomes):
                file.isDone = true
                let isRight =
                    outcomes.count == users.count
                    && outcomes.allSatisfy { outcome in
                        outcome == .imported || outcome == .present && file.wasTried
                    }
                if !isRight { violate("an import is answered otherwise: \(outcomes)") }
                return
            case .refused(let error): return violate("an import is refused: \(error)")
            case .unknown:
                file.wasTried = true
                if disk.isOff { return }
            }
        }
    }
}
