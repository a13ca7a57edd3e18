import Synchronization

/// A request that searches, perhaps several times: its searches share one time limit.
package final class SearchRequest: Sendable {
    /// Who asks, and hence whose time is counted.
    package enum Caller: Hashable, Sendable {
        /// An app, or anybody with its public key, from an address.
        case client(ClientAddress)
        /// The application's own server, which has shown a secret of the application: it is one address for all its
        /// users, so only the application's time is counted.
        case backend
        /// An admin: none of the application's clients are waited for, nor other applications' admins. Time is counted apart from
        /// that of the clients.
        case admin
        /// An admin's export, which takes turns with the lists of the application's admins. No time is counted: it must not end in
        /// the middle.
        case export
    }

    package let caller: Caller
    private let taken = Mutex(Duration.zero)

    package init(by caller: Caller) {
        self.caller = caller
    }

    /// For how long its searches have taken a reader.
    var time: Duration { taken.withLock { $0 } }

    func take(_ time: Duration) {
        taken.withLock { $0 += time }
    }
}
