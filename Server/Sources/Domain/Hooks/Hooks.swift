import Synchronization

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
            observer: observer)
        manage = ManageHooks(
            store: store, clock: clock, secrets: secrets, carrier: carrier,
            editApplication: EditApplication(world, audit: audit))
        test = TestHook(store: store, clock: clock, randomness: randomness, ask: ask)
    }

    /// Called with a sentence for the log when a hook gives no valid response; clients learn none of it.
    package func observeFaults(_ observer: @escaping @Sendable (String) -> Void) { self.observer.set(observer) }
}

/// Takes sentences for the log.
final class HookObserver: Sendable {
    private let observer = Mutex<(@Sendable (String) -> Void)?>(nil)

    func set(_ observer: @escaping @Sendable (String) -> Void) { self.observer.withLock { $0 = observer } }

    func note(_ sentence: String) { observer.withLock { $0 }?(sentence) }
}
