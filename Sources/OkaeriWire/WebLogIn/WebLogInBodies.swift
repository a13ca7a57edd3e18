/// The answer of `POST /v1/user/page`.
public struct PageAddressAnswer: Codable, Hashable, Sendable {
    /// The address to open in a browser, once.
    public var url: String
    /// Until when it is good.
    public var expiresAt: WireTime

    /// Makes an answer.
    public init(url: String, expiresAt: WireTime) {
        self.url = url
        self.expiresAt = expiresAt
    }
}
