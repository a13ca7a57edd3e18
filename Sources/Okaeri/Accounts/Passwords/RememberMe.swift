/// What this device remembers of a log-in by password: the check box "log in automatically".
public enum RememberMe: Hashable, Sendable {
    /// The device's key joins the user, and the session is kept: the next launch is automatic.
    case automatic
    /// The session lives until the app quits, in memory alone. The server remembers the device in its list of sessions.
    case untilQuit
    /// As ``untilQuit``, and the server learns nothing of the device either: for a device that belongs to somebody else. Where
    /// every request needs a proof of possession, the server learns the device's key.
    case never
}
