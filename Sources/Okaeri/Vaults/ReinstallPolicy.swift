/// What happens to a log-in that outlived the removal of its app. Give it to all processes that share a vault alike: the
/// first of them decides.
public enum ReinstallPolicy: Sendable {
    /// The person is known again: おかえりなさい after a re-install too.
    case keep
    /// A re-installed app begins with a new user.
    case wipe
    /// The app is asked, with what was found, when it first looks into the vault after a re-install. Until it has answered,
    /// every call waits, ``OkaeriClient/states`` stay ``OkaeriState/unknown``, and nothing is removed or written. Where
    /// nothing was found nobody is asked. Several calls at once ask once.
    case ask(@Sendable (FoundAccount) async -> ReinstallChoice)
}

extension ReinstallPolicy {
    /// The policy of a vault whose items other processes may have too. Where these do not see the mark of the installation, each of
    /// them would take the log-in of the others for one that was left behind: then it is kept.
    ///
    /// - Parameters:
    ///   - sharesItems: Whether other processes have the same items.
    ///   - sharesFolder: Whether they see the same marks.
    /// - Returns: What counts, and what is wrong, if anything is.
    func safe(sharesItems: Bool, sharesFolder: Bool) -> (policy: ReinstallPolicy, fault: String?) {
        if case .keep = self { return (self, nil) }
        guard sharesItems, !sharesFolder else { return (self, nil) }
        return (
            .keep,
            """
            KeychainVault: with `accessGroup` the policy `reinstall` needs `applicationGroup` too, an app group that this \
            process is entitled to. Without it an extension would wipe the log-in of its app. The log-in is kept.
            """
        )
    }
}

/// What an earlier installation of the app has left on this device.
public struct FoundAccount: Hashable, Sendable {
    /// The application's id.
    public let application: String
    /// The user as last seen; `nil` when nobody was logged in, and only the device's key is left, which leads to its user.
    public let user: User?

    /// Describes what was found.
    public init(application: String, user: User?) {
        self.application = application
        self.user = user
    }
}

/// The answer to ``ReinstallPolicy/ask(_:)``.
public enum ReinstallChoice: Hashable, Sendable {
    /// Go on as the user who was found.
    case keep
    /// Remove what was found. An anonymous user whose only way in was this device's key is lost.
    case wipe
    /// Nobody can decide now, for example in an extension without a screen. Nothing changes, and the vault counts as locked
    /// (``OkaeriError/storageLocked``) until another process has decided; this one asks again when it is started again.
    case later
}

/// The answers of one process, so that each question is asked once, however many calls wait for it, and never about what
/// this process itself has stored.
actor ReinstallAnswers {
    private var answers: [String: Task<ReinstallChoice, Never>] = [:]
    private var settled: Set<String> = []
    private var begun: Set<String> = []

    /// Whether this process has seen or made the mark of the installation.
    func isSettled(_ application: String) -> Bool { settled.contains(application) }

    /// Remembers that the installation is marked.
    func settle(_ application: String) { settled.insert(application) }

    /// Whether an application was found to have its first key: what is asked about first in every process, before the others' names,
    /// which begin with the application's.
    func hasBegun(_ name: String) -> Bool { begun.contains { name == $0 || name.hasPrefix("\($0).") } }

    /// Remembers that the application has its first key.
    func begin(_ application: String) { begun.insert(application) }

    /// Asks, or joins those who wait for the answer. It does not depend on the caller's task.
    func answer(
        about found: FoundAccount, by ask: @escaping @Sendable (FoundAccount) async -> ReinstallChoice
    ) async -> ReinstallChoice {
        let answer = answers[found.application] ?? Task { await ask(found) }
        answers[found.application] = answer
        return await answer.value
    }
}
