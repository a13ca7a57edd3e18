/// Whether somebody is logged in on this device.
public enum OkaeriState: Hashable, Sendable {
    /// Not looked up yet.
    case unknown
    /// The device's storage cannot be read now. Somebody may well be logged in; the library keeps trying.
    case storageLocked
    /// Somebody is logged in.
    case loggedIn(User, freshness: Freshness)
    /// Nobody is logged in, for this reason.
    case loggedOut(LogOutReason)

    /// How far a user's values can be trusted.
    public enum Freshness: Hashable, Sendable {
        /// The server has confirmed them since this client was made.
        case fresh
        /// They are the copy on this device; the server has not been reached yet.
        case offlineCopy
    }

    /// Why nobody is logged in.
    public enum LogOutReason: String, Codable, Hashable, Sendable {
        /// Nobody has been logged in on this device yet: the moment for an automatic log-in.
        case firstLaunch
        /// A guest logged out. The next automatic log-in leads to the same guest.
        case guestLoggedOut
        /// A registered user logged out. No automatic log-in leads to that user: the next one begins as a guest.
        case registeredUserLoggedOut
        /// The log-in ended by itself: the account was deleted or disabled, this device's key was removed from it, or a
        /// session ended that the key cannot renew, or what the device held of it is damaged. The next automatic log-in says
        /// which, if it does not succeed.
        case ended
        /// The device's key can never be used again. Automatic log-ins throw ``OkaeriError/storageDamaged(_:)`` until the
        /// person logs in by other means, or begins anew with ``OkaeriClient/useNewDeviceKey()``.
        case keyLost
    }

    /// The user, when somebody is logged in.
    public var user: User? {
        guard case .loggedIn(let user, _) = self else { return nil }
        return user
    }
}

/// The states of a client: each iteration begins with the present one and goes on with every change. It never ends by
/// itself, only with the iterating task or with the client.
public struct OkaeriStates: AsyncSequence, Sendable {
    /// What the sequence yields.
    public typealias Element = OkaeriState
    /// The sequence never fails.
    public typealias Failure = Never

    let broadcaster: StateBroadcaster
    let start: @Sendable () -> Void

    /// Begins an iteration with the present state. The first one makes the client look into its vault.
    public func makeAsyncIterator() -> Iterator {
        start()
        return Iterator(base: broadcaster.subscribe().makeAsyncIterator())
    }

    /// One iteration.
    public struct Iterator: AsyncIteratorProtocol {
        var base: AsyncStream<OkaeriState>.Iterator

        /// The present state, then each new one.
        public mutating func next() async -> OkaeriState? {
            await base.next()
        }

        /// The present state, then each new one.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> OkaeriState? {
            await base.next(isolation: actor)
        }
    }
}

/// Hands every change of state to every listener.
final class StateBroadcaster: Sendable {
    private struct Contents {
        var current: OkaeriState = .unknown
        var listeners: [Int: AsyncStream<OkaeriState>.Continuation] = [:]
        var nextListener = 0
    }

    private let contents = Protected(Contents())

    deinit {
        for listener in contents.withValue({ Array($0.listeners.values) }) { listener.finish() }
    }

    var current: OkaeriState { contents.withValue { $0.current } }

    /// Tells a state, unless it is the present one.
    func publish(_ state: OkaeriState) {
        // Yielding under the lock keeps the order the same for all; it only fills buffers.
        contents.withValue { contents in
            guard contents.current != state else { return }
            contents.current = state
            for listener in contents.listeners.values { listener.yield(state) }
        }
    }

    /// The present state and all that follow. A listener that falls behind loses the oldest of 64.
    func subscribe() -> AsyncStream<OkaeriState> {
        let (stream, continuation) = AsyncStream<OkaeriState>.makeStream(bufferingPolicy: .bufferingNewest(64))
        let number = contents.withValue { contents in
            contents.nextListener += 1
            contents.listeners[contents.nextListener] = continuation
            continuation.yield(contents.current)
            return contents.nextListener
        }
        continuation.onTermination = { [weak self] _ in
            self?.contents.withValue { _ = $0.listeners.removeValue(forKey: number) }
        }
        return stream
    }
}
