/// Why the server, or a command on its storage, cannot start, in words for the operator.
package enum StartFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// A setting cannot be used.
    case settings(String)
    /// The storage cannot be opened.
    case storage(String)
    /// Another program listens there.
    case addressInUse(host: String, port: Int)
    /// The address cannot be listened on for another reason.
    case cannotListen(String)

    package var description: String {
        switch self {
        case .settings(let words), .storage(let words), .cannotListen(let words): words
        case .addressInUse(let host, let port): "\(host):\(port) is in use by another program."
        }
    }
}
