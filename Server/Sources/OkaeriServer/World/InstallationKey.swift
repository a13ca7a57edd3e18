import Domain

/// The sealing keys of an installation with an embedded database: those of the settings, or the file in its data folder.
///
/// A command that has not the server's environment would make a file with another key, and seal by it what the server can never
/// open. So a key is made for a database alone in which nothing is sealed and no audit log has begun, and beside a server its own
/// keys are asked for.
struct InstallationKey {
    private let settings: ServerSettings
    private let role: Composition.Role
    private let file: SealingKeyFile

    init(_ settings: ServerSettings, _ role: Composition.Role, _ randomness: any Randomness) {
        self.settings = settings
        self.role = role
        file = SealingKeyFile(folder: settings.dataFolder, randomness: randomness)
    }

    /// The keys, of which the first one is made for a new installation.
    ///
    /// - Parameter store: The database.
    /// - Returns: the keys.
    /// - Throws: `StartFault.settings` when the key is not here, or not the running server's. Nothing was made then.
    func key(of store: any Store) async throws(StartFault) -> SealingKey {
        let running = role == .command ? ServerInfoFile.read(in: settings.dataFolder) : nil
        if settings.sealingKey == nil, !file.isThere {
            if let running, running.sealingKeys != nil { throw Self.otherKey(than: running, settings) }
            try await requireNothingBegun(in: store)
        }
        let key = try file.key(by: settings)
        if let running, let known = running.sealingKeys, !known.contains(where: { $0 == key.ids.first }) {
            throw Self.otherKey(than: running, settings)
        }
        return key
    }

    private func requireNothingBegun(in store: any Store) async throws(StartFault) {
        let lost = settings.sealingKeys.lost
        let needed: [String]
        let hasLogs: Bool
        do throws(DomainError) {
            needed = try await ResealSecrets.neededKeys(in: store).filter { !lost.contains($0) }
            hasLogs = try await store.read { transaction throws(DomainError) in try !transaction.auditHeads().isEmpty }
        } catch {
            throw .storage("The database in the data folder \(settings.dataFolder) cannot be read: \(error).")
        }
        guard needed.isEmpty else {
            throw .settings(
                "The sealing key is not here: there is no file \(file.path), and \(Setting.sealingKey.variable) is not set. "
                    + "Secrets in the database were sealed under \(needed.joined(separator: ", ")), and a new key would open "
                    + "none of them. Put the file back, or set \(Setting.sealingKey.variable) as the server had it. If the key "
                    + "is lost, “lost:ID” in \(Setting.sealingKeys.variable) goes on without what it sealed.")
        }
        guard !hasLogs || lost.contains(SealingKeyCheck.lostFirst) else {
            throw .settings(
                "The sealing key is not here: there is no file \(file.path), and \(Setting.sealingKey.variable) is not set. The "
                    + "audit log and digests of codes derive from the key that the installation began with, and fit no new one. "
                    + "Put the file back, or set \(Setting.sealingKey.variable) as the server had it. If the key is lost, "
                    + "“lost:\(SealingKeyCheck.lostFirst)” in \(Setting.sealingKeys.variable) goes on with a new one: recovery "
                    + "codes of before do not count then, and entries of before are not as they were written.")
        }
    }

    private static func otherKey(than server: ServerInfoFile, _ settings: ServerSettings) -> StartFault {
        .settings(
            "The server at \(server.url), which runs on the data folder \(settings.dataFolder), has another sealing key than "
                + "this command, and could not open what the command seals. Give the command the "
                + "\(Setting.sealingKey.variable) and \(Setting.sealingKeys.variable) that the server was started with."
        )
    }
}
