/// How much of the server searches may take (requirement 47). Numbers with a setting are the operator's choice.
package struct SearchLimits: Hashable, Sendable {
    /// The longest time of one request's searches together, by the wall clock.
    package var time: Duration
    /// How many searches run at a time: storage has as many readers for them.
    package var readers: Int
    /// How long clients of one address (IPv6: one /64 network) may search within a minute; `nil` for no limit.
    package var perAddress: Duration?
    /// How long all clients of one application may search within a minute, and all its admins; `nil` for no limit.
    package var perApplication: Duration?

    package init(
        time: Duration = .milliseconds(300), readers: Int = 2, perAddress: Duration? = .seconds(6),
        perApplication: Duration? = .seconds(30)
    ) {
        self.time = time
        self.readers = max(1, readers)
        self.perAddress = perAddress
        self.perApplication = perApplication
    }

    /// The most bytes of rows that one search reads out of storage, and the most that is made of users for one response.
    /// Storage counts them before it decodes a row.
    package static let maximumBytes = 8 << 20
    /// The most searches of one application that wait for a reader.
    package static let maximumWaitingPerApplication = 64
    /// The most searches of one address that run and wait.
    package static let maximumPerAddress = 8
    /// One who has a /48 network of IPv6 may search for as long, and run and wait with as many searches, as so many of its /64
    /// networks: fewer than take all of an application's time, or fill its line.
    static let networksOfSite = 3
    /// The most searches that wait, of all applications.
    package static let maximumWaiting = 1024
    /// The longest that a search waits for a reader before it is refused.
    package static let longestWait: Duration = .seconds(1)
    /// How long a search that is refused for want of a reader has to wait.
    static let retry: Duration = .seconds(1)

    /// The most readers that one application's searches take at a time: with more than one, another application's
    /// always finds one.
    var readersPerApplication: Int { max(1, readers - 1) }
}
