/// A question to a hook: whose is the token of a service that the server does not know?
package struct OwnerQuestion: Sendable {
    /// Another one with each question.
    package let id: String
    package let hook: Hook
    package let application: Identifier<Application>
    /// What the app calls the service.
    package let service: String
    package let token: Secret
    /// Where the request came from.
    package let address: String?
    package let at: Timestamp
    package let isTest: Bool
    /// One signature is made by each.
    package let secrets: [Secret]
}

/// What a hook knows of a token.
package enum OwnerOutcome: Hashable, Sendable {
    /// It is a token of the user with this id.
    case owner(Identifier<User>)
    case refused(message: String?)
    /// A response came that is no decision.
    case malformed(reason: String)
    /// No response came in time.
    case silent(reason: String)
    /// Nobody was asked: too many calls of the application, or of this server, are under way.
    case busy(reason: String)
}

extension HookCarrier {
    package func owner(_ question: OwnerQuestion) async -> OwnerOutcome {
        .silent(reason: DeliveryFault.text(.noNetwork))
    }
}

extension AskHook {
    /// The longest id that is taken from a hook.
    package static let maximumIdBytes = 128

    /// Asks whose a token is.
    ///
    /// - Returns: the user's id, as the import kept it.
    /// - Throws: `credentialRefused` when the hook refuses without a message, `hookRefused` with one; `hookUnavailable`.
    func owner(
        of token: Secret, service: String, _ hook: Hook, in application: Application, from client: ClientAddress
    ) async throws(DomainError) -> Identifier<User> {
        let key = HookBreakers.Key(hook, in: application.id)
        let permit = breakers.admit(key, client, at: clock.now)
        guard permit == .asked || permit == .probe else {
            observer.calls.note(HookCall(hook.point, permit == .overShare ? .overShare : .skipped))
            throw .hookUnavailable
        }
        let start = ContinuousClock.now
        let outcome = await askForOwner(
            of: token, service: service, hook, in: application.id, address: client.text, isTest: false)
        note(.init(outcome), of: permit, key, client, since: start)
        switch outcome {
        case .owner(let user): return user
        case .refused(let message):
            guard let text = Self.message(message) else { throw .credentialRefused }
            throw .hookRefused(text)
        // Who makes the call writes to the log why there is no response.
        case .silent, .busy: break
        case .malformed(let reason):
            observer.faults.note("the hook \(hook.point.rawValue) of \(application.id): \(reason)")
        }
        throw .hookUnavailable
    }

    /// One call, without the breaker.
    func askForOwner(
        of token: Secret, service: String, _ hook: Hook, in application: Identifier<Application>, address: String?,
        isTest: Bool
    ) async -> OwnerOutcome {
        guard lanes.take(for: application) else { return .busy(reason: SharedLanes.full) }
        defer { lanes.leave(application) }
        let now = clock.now
        do throws(DomainError) {
            return await carrier.owner(
                OwnerQuestion(
                    id: Base64URL.text(of: randomness.bytes(16)), hook: hook, application: application,
                    service: service, token: token, address: address, at: now, isTest: isTest,
                    secrets: try secrets.signing(hook, of: application, at: now)))
        } catch {
            return .malformed(reason: DeliveryFault.text(.hookKeyUnknown))
        }
    }

    /// Asks about a token that nobody has.
    func testOwner(_ hook: Hook, in application: Identifier<Application>) async -> HookOutcome {
        switch await askForOwner(
            of: Secret("test"), service: "test", hook, in: application, address: nil, isTest: true)
        {
        case .owner: .allowed(fields: [:], claims: [:])
        case .refused(let message): .refused(message: Self.message(message))
        case .malformed(let reason): .malformed(reason: reason)
        case .silent(let reason): .silent(reason: reason)
        case .busy(let reason): .busy(reason: reason)
        }
    }
}
