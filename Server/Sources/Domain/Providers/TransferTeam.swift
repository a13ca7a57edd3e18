/// Carries the people of an application from one Apple developer team to another (complaint 22; Apple's "Transferring
/// your apps and users to another team"). Two steps, each of which can be repeated until nothing is left:
///
/// 1. `prepare`, with the old team's settings, before the app is transferred: Apple names each person for the new team.
/// 2. `finish`, with the new team's settings, within 60 days after: each person gets the name that the new team knows.
///
/// A user who logs in between the steps is carried over then.
package struct TransferTeam: Sendable {
    private static let batchSize = 100

    let store: any Store
    let clock: any WallClock
    let findProvider: FindProvider
    let apple: (any AppleServerAPI)?
    let audit: AuditTrail

    package enum Step: Hashable, Sendable {
        case prepare(newTeam: String)
        case finish

        fileprivate var name: String {
            switch self {
            case .prepare: "prepare"
            case .finish: "finish"
            }
        }
    }

    /// What was done, or with a dry run would be.
    package struct Report: Hashable, Sendable {
        /// Identities of the team that is left.
        package var people = 0
        /// Named or carried over now.
        package var done = 0
        /// Named already, before this run.
        package var alreadyDone = 0
        /// Not named by the first step, or unknown to Apple.
        package var unknown = 0
        /// The new name leads to another user already; nothing was changed.
        package var taken = 0
    }

    /// - Parameters:
    ///   - step: Which one.
    ///   - application: Whose people.
    ///   - who: Who does it, for the audit log.
    ///   - isDryRun: Counts, and neither asks Apple nor changes anything.
    ///   - progress: Called after each batch.
    /// - Returns: what was done.
    /// - Throws: `providerNotEnabled`, `providerUnavailable`, `providerMisconfigured` and what storage refuses. What was
    ///   done until then stays done.
    package func callAsFunction(
        _ step: Step, of application: Identifier<Application>, by who: Operator, isDryRun: Bool,
        progress: @Sendable (Report) -> Void = { _ in }
    ) async throws(DomainError) -> Report {
        guard let apple else { throw .providerNotEnabled }
        let configured = try await findProvider(.apple, in: application).configured
        guard let team = configured.settings.teamId else { throw .providerMisconfigured }
        var report = Report()
        let token = isDryRun ? nil : try await apple.migrationToken(for: configured)
        if !isDryRun {
            try await audit.record(
                .teamTransferred, on: .provider(.apple), details: ["step": step.name, "team": team], by: who,
                in: application, to: store)
        }
        var cursor: String?
        while true {
            let after = cursor
            let subjects = try await store.read { transaction throws(DomainError) in
                try transaction.subjects(of: .apple, in: application, after: after, limit: Self.batchSize)
            }
            for subject in subjects {
                let isOurs = ConfiguredProvider.parts(of: subject).team == team
                switch step {
                case .prepare(let newTeam):
                    if isOurs { try await prepare(subject, newTeam, configured, token, apple, &report) }
                case .finish:
                    if !isOurs { try await finish(subject, configured, token, apple, who, &report) }
                }
            }
            progress(report)
            guard subjects.count == Self.batchSize, let last = subjects.last else { return report }
            cursor = last
        }
    }

    private func prepare(
        _ subject: String, _ newTeam: String, _ configured: ConfiguredProvider, _ token: Secret?,
        _ apple: any AppleServerAPI, _ report: inout Report
    ) async throws(DomainError) {
        report.people += 1
        let application = configured.application
        let account = try await account(subject, in: application)
        guard account?.transferSubject == nil else {
            report.alreadyDone += 1
            return
        }
        guard let token else {
            report.done += 1
            return
        }
        let name = ConfiguredProvider.parts(of: subject).name
        guard
            let transferSubject = try await apple.transferSubject(
                of: name, to: newTeam, token: token, for: configured)
        else {
            report.unknown += 1
            return
        }
        let now = clock.now
        let audience = configured.settings.audiences.first ?? ""
        try await store.write { transaction throws(DomainError) in
            var account =
                try transaction.providerAccount(.apple, subject: subject, in: application)
                ?? ProviderAccount(
                    application: application, provider: .apple, subject: subject, audience: audience, updatedAt: now)
            account.transferSubject = transferSubject
            try transaction.save(account)
        }
        report.done += 1
    }

    private func finish(
        _ subject: String, _ configured: ConfiguredProvider, _ token: Secret?, _ apple: any AppleServerAPI,
        _ who: Operator, _ report: inout Report
    ) async throws(DomainError) {
        report.people += 1
        let application = configured.application
        guard let transferSubject = try await account(subject, in: application)?.transferSubject else {
            report.unknown += 1
            return
        }
        guard let token else {
            report.done += 1
            return
        }
        guard
            let person = try await apple.person(transferredAs: transferSubject, token: token, for: configured)
        else {
            report.unknown += 1
            return
        }
        let now = clock.now
        let ready = try audit.ready([.identifiersChanged], in: application, by: .operator(who), at: now)
        let isTaken = try await store.write { transaction throws(DomainError) in
            guard try transaction.user(provider: .apple, subject: person.subject, in: application) == nil else {
                return true
            }
            guard let former = try transaction.providerAccount(.apple, subject: subject, in: application),
                var account = try transaction.carryOver(
                    .apple, from: subject, to: person.subject, in: application)
            else { return false }
            // The old team's relay address ends as its grant did.
            if var user = try transaction.user(provider: .apple, subject: person.subject, in: application) {
                try transaction.takeAddress(
                    person.email, after: former.email, of: &user, recording: ready, by: nil, at: now)
            }
            account.audience = person.audience
            account.email = person.email ?? account.email
            account.isEmailForwarded = former.forwards(to: account.email)
            account.updatedAt = now
            try transaction.save(account)
            return false
        }
        if isTaken {
            report.taken += 1
        } else {
            report.done += 1
        }
    }

    private func account(
        _ subject: String, in application: Identifier<Application>
    ) async throws(DomainError) -> ProviderAccount? {
        try await store.read { transaction throws(DomainError) in
            try transaction.providerAccount(.apple, subject: subject, in: application)
        }
    }
}
