extension ReplicaShipper {
    package enum Phase: String, Sendable {
        /// The repository cannot be reached, or could not be.
        case away
        /// It can be reached again.
        case wanted
        case following
        /// Another machine is the primary.
        case fenced
    }

    package struct Status: Sendable {
        package let phase: Phase
        /// What the loss of this machine would cost.
        package let lag: Duration
        package let waitingBytes: Int
        /// Why the last attempt failed; `nil` when it did not.
        package let fault: String?
        /// Whether the stream has a copy, without which it is of no use.
        package let hasCopy: Bool
        /// Whether all that was read from the log is stored, behind a copy.
        package let isComplete: Bool
    }
}
