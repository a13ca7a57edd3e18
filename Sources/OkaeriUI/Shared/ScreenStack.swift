public import Okaeri

/// Which screens are on each other, as a value.
public struct ScreenStack: Hashable, Sendable {
    /// The screen at the bottom.
    public let root: ScreenDestination
    /// Those that are on it, the last one on top.
    public var path: [ScreenDestination] = []
    /// Who came out of the screens, if anybody did.
    public private(set) var user: User?
    /// How often presence was proved, and for which screen the last time.
    public private(set) var proof = Proof()

    /// News that a person has proved to be there.
    public struct Proof: Hashable, Sendable {
        /// How often.
        public var count = 0
        /// For which screen.
        public var screen: ScreenName?

        /// Tells of a proof, or of none yet.
        public init(count: Int = 0, screen: ScreenName? = nil) {
            self.count = count
            self.screen = screen
        }
    }

    /// Begins with one screen.
    public init(root: ScreenDestination) {
        self.root = root
    }

    /// Goes to a screen: back, when it is in the stack already.
    public mutating func go(to destination: ScreenDestination) {
        switch destination {
        case .home(let user):
            self.user = user
        case .logIn:
            if case .logIn = root { path = [] } else { push(destination) }
        case .verification:
            // The account is made: there is no way back to the screen that made it.
            path = [destination]
        case .recoveryCodes:
            // There is no way back to the key that is confirmed.
            if case .secondFactorEnrolment? = path.last { path.removeLast() }
            path.append(destination)
        case .reauthentication, .secondFactorPresence:
            // The proof of before is over: who comes back from here without one has proved nothing.
            proof.screen = nil
            push(destination)
        default: push(destination)
        }
    }

    private mutating func push(_ destination: ScreenDestination) {
        if path.last != destination { path.append(destination) }
    }

    /// Takes the screen on top away.
    ///
    /// - Returns: `false` when there is none but the one at the bottom, or no way back to it: then all of them go.
    public mutating func close() -> Bool {
        if case .verification? = path.last { return false }
        if case .secondFactorEnrolment = root, case .recoveryCodes? = path.last { return false }
        return path.popLast() != nil
    }

    /// Hears how a screen ended: a proof of presence goes to the screen that had asked for it.
    public mutating func hear(_ outcome: ScreenOutcome, from screen: ScreenName) {
        guard case .presenceProved = outcome else { return }
        switch path.last {
        case .reauthentication(for: let reason)? where screen == .reauthentication,
            .secondFactorPresence(for: let reason)? where screen == .secondFactor:
            proof = Proof(count: proof.count + 1, screen: reason)
        default: return
        }
    }
}
