/// Sends the mails and text messages that are due, one after the other. The server calls it when mail was queued, and
/// when a mail is to be tried again; several calls at once share the work: an application has two of the lanes at the most, and many
/// together leave one to another whose mails are not being sent (`Lanes`).
///
/// Each mail is sent at least once, also when nodes die: a node takes a mail for a while (`lease`), and what it has not
/// finished by then is taken by another.
package struct DeliverMail: Sendable {
    /// Longer than any carrier may take.
    package static let lease: Duration = .seconds(120)
    /// How many mails are sent side by side.
    package static let lanes = 8
    static let retries = RetrySchedule(doublingFrom: .seconds(5), upTo: .seconds(900))
    /// The waits after a mail that was handed over without an answer. A mail server that takes longer than it has, or hangs up, does so
    /// again each time, and its people would get a mail for each try.
    static let unansweredRetries = RetrySchedule(doublingFrom: .seconds(900), upTo: .seconds(14_400))
    /// What no wait exceeds.
    static var longestWait: Duration { max(retries.longest, unansweredRetries.longest) }

    let store: any Store
    let clock: any WallClock
    let randomness: any Randomness
    let sealing: MailSealing
    let delivery: MailDelivery
    let textDelivery: TextMessageDelivery
    let findApplication: FindApplication
    let renderMessage: RenderMessage
    let lanes: SharedLanes

    /// What a round did.
    package struct Round: Hashable, Sendable {
        package var delivered: Int
        package var postponed: Int
        package var givenUp: Int
        /// Why the last mail failed.
        package var fault: String?
        /// When to come again.
        package var nextAt: Timestamp?

        package init(
            delivered: Int = 0, postponed: Int = 0, givenUp: Int = 0, fault: String? = nil, nextAt: Timestamp? = nil
        ) {
            self.delivered = delivered
            self.postponed = postponed
            self.givenUp = givenUp
            self.fault = fault
            self.nextAt = nextAt
        }
    }

    /// Sends all mail that is due.
    ///
    /// - Parameter goesOn: Whether another mail is to be begun.
    /// - Returns: what was done.
    /// - Throws: `storageUnavailable`; what was not sent stays in the queue.
    package func callAsFunction(
        while goesOn: @Sendable () -> Bool = { true }
    ) async throws(DomainError) -> Round {
        var round = Round()
        guard delivery.isAvailable || textDelivery.isAvailable else { return round }
        while true {
            round.nextAt = nil
            // Who has a lane sends what waits when it is done.
            guard let underWay = lanes.underWay else { return round }
            let now = clock.now
            // Looking costs less than taking, and most calls find nothing.
            let found = try await store.read { transaction throws(DomainError) -> QueuedMail? in
                // Whose mails are not being sent now comes first.
                let first = try transaction.nextMail(notOf: underWay.busy)
                if underWay.busy == underWay.full { return first }
                if let first, let due = first.nextTryAt, due <= now { return first }
                return try transaction.nextMail(notOf: underWay.full)
            }
            round.nextAt = found?.nextTryAt
            guard let next = found, let due = next.nextTryAt, due <= now, goesOn() else { return round }
            // Another call took the lane meanwhile: what is under way now decides.
            guard lanes.take(for: next.application) else { continue }
            defer { lanes.leave(next.application) }
            let claim = Base64URL.text(of: randomness.bytes(12))
            let claimed = try await store.write { transaction throws(DomainError) in
                try transaction.claim(next, until: now + Self.lease, by: claim)
            }
            if let claimed { round.count(try await send(claimed)) }
        }
    }

    /// What became of one mail.
    fileprivate enum End: Sendable {
        case delivered
        case forNobody
        case postponed(String)
        case givenUp(String)
    }

    private func send(_ mail: QueuedMail) async throws(DomainError) -> End {
        guard mail.expiresAt > clock.now else {
            return try await giveUp(mail, mail.lastFault ?? DeliveryFault.text(.late))
        }
        let payload: MailPayload
        let application: Application
        do throws(DomainError) {
            payload = try sealing.open(mail)
            application = try await findApplication(mail.application)
        } catch {
            switch error.code {
            case .secretUnreadable:
                return try await giveUp(mail, DeliveryFault.text(.keyUnknown), isGood: false)
            case .applicationUnknown: return try await finish(mail, .forNobody)
            default: throw error
            }
        }
        guard let rendered = try await rendered(of: mail, payload, in: application) else {
            return try await finish(mail, .forNobody)
        }
        switch try await hindrance(to: rendered, from: payload, in: application.id) {
        case nil: break
        case .notForwarded?: return try await finish(mail, .forNobody)
        case .ended(let reason)?: return try await giveUp(mail, reason, isGood: false)
        }
        switch await handOver(rendered, of: mail, from: application) {
        case .delivered: return try await finish(mail, .delivered)
        case .refused(let reason): return try await giveUp(mail, reason)
        case .failed(let reason): return try await postpone(mail, reason)
        case .unanswered(let reason): return try await postpone(mail, reason, by: Self.unansweredRetries)
        }
    }

    private func rendered(
        of mail: QueuedMail, _ payload: MailPayload, in application: Application
    ) async throws(DomainError) -> RenderedMessage? {
        switch payload {
        case .rendered(let rendered): rendered
        case .request(let message): try await renderMessage(message, mail, in: application)
        }
    }

    /// Why a message does not leave though there is somebody to write to. Asked when it leaves, because that may be long after it was
    /// queued.
    private enum Hindrance: Sendable {
        /// Apple lets nothing through to the person.
        case notForwarded
        /// What it says holds no more.
        case ended(String)
    }

    /// - Parameters:
    ///   - rendered: The message.
    ///   - payload: What the mail held when it was claimed. A message that was rendered since then says what holds now.
    ///   - application: Where.
    /// - Returns: why it does not leave; `nil` when it does.
    /// - Throws: `storageUnavailable`.
    private func hindrance(
        to rendered: RenderedMessage, from payload: MailPayload, in application: Identifier<Application>
    ) async throws(DomainError) -> Hindrance? {
        let isFromBefore = if case .rendered = payload { true } else { false }
        guard isFromBefore || !rendered.kind.isText else { return nil }
        let now = clock.now
        return try await store.read { transaction throws(DomainError) -> Hindrance? in
            if isFromBefore, let reason = try transaction.fault(of: rendered, in: application, at: now) {
                return .ended(reason)
            }
            return try Self.isForwarded(rendered, in: application, transaction) ? nil : .notForwarded
        }
    }

    /// Whether mail arrives at the recipient: a person can tell Apple to let nothing more through its relay
    /// (requirement 37). After a merge a user can have several, and each counts for its own address.
    private static func isForwarded(
        _ rendered: RenderedMessage, in application: Identifier<Application>, _ transaction: any Transaction
    ) throws(DomainError) -> Bool {
        let identifier = LogInIdentifier(.email, shown: rendered.recipient)
        guard !rendered.kind.isText, let user = try transaction.user(identifier, in: application), user.hasRelayedEmail
        else { return true }
        let identities = user.identities.filter { $0.provider == .apple }
        for identity in identities {
            guard let account = try transaction.providerAccount(.apple, subject: identity.subject, in: application),
                !account.isEmailForwarded
            else { continue }
            guard let own = account.email else {
                if identities.count == 1 { return false }
                continue
            }
            if LogInIdentifier(.email, shown: own.address).isSame(as: identifier) { return false }
        }
        return true
    }

    private func handOver(_ rendered: RenderedMessage, of mail: QueuedMail, from application: Application) async
        -> MailOutcome
    {
        let outbox = Outbox(store: store, clock: clock, sealingKey: sealing.key, application: application.id)
        if rendered.kind.isText {
            switch textDelivery {
            case .none: return .failed(reason: DeliveryFault.text(.noTextMessages))
            case .outbox:
                return await outbox.deliver(message(rendered, of: mail, from: application))
            case .carrier(let carrier):
                return await carrier.deliver(rendered.textMessage(id: mail.id, from: application))
            }
        }
        let message = message(rendered, of: mail, from: application)
        switch delivery {
        case .none, .server: return .failed(reason: DeliveryFault.text(.noMailServer))
        case .outbox: return await outbox.deliver(message)
        case .carrier(let carrier): return await carrier.deliver(message)
        }
    }

    private func message(
        _ rendered: RenderedMessage, of mail: QueuedMail, from application: Application
    ) -> MailMessage {
        rendered.message(id: mail.id, from: application, writtenAt: mail.createdAt, by: renderMessage.renderer)
    }

    private func finish(_ mail: QueuedMail, _ end: End) async throws(DomainError) -> End {
        try await store.write { transaction throws(DomainError) in try transaction.remove(mail) }
        return end
    }

    /// Tries again later: after 5 s, 10 s, 20 s … 15 min, as long as the mail is of use by then.
    private func postpone(
        _ mail: QueuedMail, _ reason: String, by schedule: RetrySchedule = Self.retries
    ) async throws(DomainError) -> End {
        let next = schedule.wait(after: mail.attempts, by: randomness).map { clock.now + $0 }
        guard let next, next < mail.expiresAt else { return try await giveUp(mail, reason) }
        var later = mail
        later.nextTryAt = next
        later.lastFault = reason
        let postponed = later
        try await store.write { transaction throws(DomainError) in try transaction.postpone(postponed) }
        return .postponed(reason)
    }

    /// Keeps the mail for the operator to see. What it says is kept as long as it is of use, can be read and holds, so that it can be
    /// sent again when the reason is mended.
    private func giveUp(
        _ mail: QueuedMail, _ reason: String, isGood: Bool = true
    ) async throws(DomainError) -> End {
        var dead = mail
        if !isGood || !mail.isOfUse(at: clock.now) { dead.sealed = nil }
        dead.nextTryAt = nil
        dead.lastFault = reason
        let given = dead
        try await store.write { transaction throws(DomainError) in try transaction.postpone(given) }
        return .givenUp(reason)
    }
}

extension DeliverMail.Round {
    fileprivate mutating func count(_ end: DeliverMail.End) {
        switch end {
        case .delivered: delivered += 1
        case .forNobody: break
        case .postponed(let reason):
            postponed += 1
            fault = reason
        case .givenUp(let reason):
            givenUp += 1
            fault = reason
        }
    }
}
