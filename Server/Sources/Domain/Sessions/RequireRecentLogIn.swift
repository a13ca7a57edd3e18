/// Refuses what must not happen behind the owner's back (requirement 18).
package struct RequireRecentLogIn: Sendable {
    let clock: any WallClock

    /// - Parameters:
    ///   - who: Whose session it is.
    ///   - isProven: Whether the request came with a proof by the session's key, which is enough for an anonymous user:
    ///     there is nothing else to prove by.
    /// - Throws: `reauthenticationRequired`.
    package func callAsFunction(_ who: Authenticated, isProven: Bool) throws(DomainError) {
        if isProven, Session.LogInMethod.automatic.provesPresence(of: who.user) { return }
        try who.requireFresh(at: clock.now)
    }
}
