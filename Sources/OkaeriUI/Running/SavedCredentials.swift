public import Okaeri

/// Where the log-in screen looks for what the person has saved on the system: for ``LogInFields/savedCredentials``.
public protocol SavedCredentials: Sendable {
    /// Offers it to the person.
    ///
    /// - Returns: What the person chose.
    /// - Throws: `OkaeriError.cancelled` when nothing is saved or the person wants none of it, which is no failure.
    func savedCredential() async throws(OkaeriError) -> SavedCredential
}
