/// What can be set about a client.
public struct OkaeriConfiguration: Sendable {
    /// How long to wait for one response; see ``URLSessionTransport`` for one that comes slowly.
    public var requestTimeout: Duration
    /// How often and how long to try again.
    public var retry: RetryPolicy
    /// Whether the client goes on by itself with what failed: reading a locked vault, a log-in without network, a
    /// log-out that the server does not know of.
    public var worksInBackground: Bool
    /// What sessions remember of this device.
    public var device: DeviceInfo
    /// What attests the app when the server asks for that at a first launch; `nil` for nothing.
    public var attestor: (any AppAttestor)?

    /// Makes a configuration.
    public init(
        requestTimeout: Duration = .seconds(20), retry: RetryPolicy = RetryPolicy(), worksInBackground: Bool = true,
        device: DeviceInfo = .thisDevice, attestor: (any AppAttestor)? = OkaeriConfiguration.systemAttestor
    ) {
        self.requestTimeout = requestTimeout
        self.retry = retry
        self.worksInBackground = worksInBackground
        self.device = device
        self.attestor = attestor
    }
}
