/// How often and how long the library tries again by itself.
public struct RetryPolicy: Sendable, Hashable {
    /// How many times a request is sent at most while somebody waits for it, at least 1.
    public var maximumTries: Int
    /// The wait before the second try. Each further wait is twice as long.
    public var firstDelay: Duration
    /// The longest wait of a caller. A server that asks for more (`Retry-After`) makes the call fail instead.
    public var maximumDelay: Duration
    /// The longest wait between tries that happen in the background, without a caller.
    public var maximumBackgroundDelay: Duration

    /// Makes a policy.
    public init(
        maximumTries: Int = 4, firstDelay: Duration = .milliseconds(500), maximumDelay: Duration = .seconds(10),
        maximumBackgroundDelay: Duration = .seconds(300)
    ) {
        self.maximumTries = maximumTries
        self.firstDelay = firstDelay
        self.maximumDelay = maximumDelay
        self.maximumBackgroundDelay = maximumBackgroundDelay
    }

    /// The wait after a number of failed tries: doubled each time, then spread evenly over its upper half, so that many
    /// devices that lost the same server do not come back in step.
    ///
    /// - Parameters:
    ///   - failures: How many tries failed, at least 1.
    ///   - limit: The longest wait.
    ///   - fraction: A random number, at least 0 and below 1.
    /// - Returns: How long to wait.
    func delay(afterFailures failures: Int, limit: Duration, fraction: Double) -> Duration {
        let doubled = firstDelay * (1 << min(max(failures, 1) - 1, 20))
        return min(doubled, limit) * (0.5 + fraction / 2)
    }
}
