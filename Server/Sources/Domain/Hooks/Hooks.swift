/// Hooks: addresses of apps' backends that are asked before something happens.
package final class Hooks: Sendable {
    package let manage: ManageHooks
    package let test: TestHook
    let ask: AskHook
    private let observer = HookObserver()

    init(_ world: DomainWorld, audit: AuditTrail) {
        let (store, clock, randomness) = (world.store, world.clock, world.randomness)
        let secrets = EventSecrets(key: world.sealingKey, randomness: randomness)
        let carrier = world.services.hookCarrier
        ask = AskHook(
            clock: clock, randomness: randomness, secrets: secrets, carrier: carrier, breakers: HookBreakers(),
            lanes: SharedLanes(AskHook.lanes), observer: observer, refusals: HookRefusals(store: store, audit: audit))
        manage = ManageHooks(
            store: store, clock: clock, secrets: secrets, carrier: carrier,
            editApplication: EditApplication(world, audit: audit))
        test = TestHook(store: store, clock: clock, randomness: randomness, ask: ask, audit: audit)
    }

    /// Called with a sentence for the log when a hook gives no valid response; clients learn none of it.
    package func observeFaults(_ observer: @escaping @Sendable (String) -> Void) { self.observer.faults.set(observer) }

    /// Called when a hook was asked, or would have been. Tests of hooks do not count.
    package func observeCalls(_ observer: @escaping @Sendable (HookCall) -> Void) { self.observer.calls.set(observer) }
}

/// What became of a request that has to ask a hook.
package struct HookCall: Hashable, Sendable {
    package enum Result: String, CaseIterable, Sendable {
        case allowed, refused
        /// The response is no decision.
        case malformed
        /// There is no response in time.
        case silent
        /// The hook rests, or has too much to do: nobody asked it.
        case skipped
        /// The client has its share of the hook already: nobody asked it.
        case overShare = "over_share"
    }

    package let point: HookPoint
    package let result: Result
    /// How long the call took; `nil` when nobody asked.
    package let duration: Duration?

    package init(_ point: HookPoint, _ result: Result, _ duration: Duration? = nil) {
        self.point = point
        self.result = result
        self.duration = duration
    }
}

extension HookCall.Result {
    init(_ outcome: HookOutcome) {
        self =
            switch outcome {
            case .allowed: .allowed
            case .refused: .refused
            case .malformed: .malformed
            case .silent: .silent
            case .busy: .skipped
            }
    }

    init(_ outcome: OwnerOutcome) {
        self =
            switch outcome {
            case .owner: .allowed
            case .refused: .refused
            case .malformed: .malformed
            case .silent: .silent
            case .busy: .skipped
            }
    }
}

/// Takes sentences for the log, and what became of calls.
struct HookObserver: Sendable {
    let faults = Observer<String>()
    let calls = Observer<HookCall>()
}
