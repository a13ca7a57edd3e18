/// An application's settings for a provider. Asked at every log-in, so what was found is kept until it changes.
package struct FindProvider: Sendable {
    private let store: any Store
    private let sealingKey: SealingKey
    private let providers: IdentityProviders
    private let known: Cache<Identifier<Application>, [Identity.Provider: ConfiguredProvider]>

    /// A provider, and how the application is known there.
    package struct Found: Sendable {
        package let provider: any IdentityProvider
        package let configured: ConfiguredProvider
    }

    package init(
        store: any Store, sealingKey: SealingKey, providers: IdentityProviders, validity: any CacheValidity
    ) {
        self.store = store
        self.sealingKey = sealingKey
        self.providers = providers
        known = Cache(validity: validity)
    }

    /// - Throws: `providerNotEnabled` for a provider that the application, or this program, does not have;
    ///   `secretUnreadable`, `storageUnavailable`.
    package func callAsFunction(
        _ name: Identity.Provider, in application: Identifier<Application>
    ) async throws(DomainError) -> Found {
        guard let provider = providers[name] else { throw .providerNotEnabled }
        let all = try await known.value(for: application) { () async throws(DomainError) in
            try await read(application)
        }
        guard let configured = all[name] else { throw .providerNotEnabled }
        return Found(provider: provider, configured: configured)
    }

    /// Everything that the application and this program have, in alphabetical order.
    ///
    /// - Throws: `secretUnreadable`, `storageUnavailable`.
    package func all(in application: Identifier<Application>) async throws(DomainError) -> [Found] {
        let all = try await known.value(for: application) { () async throws(DomainError) in
            try await read(application)
        }
        return all.values.sorted { $0.settings.provider.rawValue < $1.settings.provider.rawValue }
            .compactMap { configured in
                providers[configured.settings.provider].map { Found(provider: $0, configured: configured) }
            }
    }

    /// Forgets what a committed transaction changed.
    package func forget(_ change: Change) {
        if case .application(let id) = change { known.forget(id) }
    }

    private func read(
        _ application: Identifier<Application>
    ) async throws(DomainError) -> [Identity.Provider: ConfiguredProvider] {
        let stored = try await store.read { transaction throws(DomainError) in
            try transaction.providers(of: application)
        }
        var all: [Identity.Provider: ConfiguredProvider] = [:]
        for entry in stored { all[entry.settings.provider] = try entry.opened(with: sealingKey) }
        return all
    }
}

extension StoredProvider {
    /// - Throws: `secretUnreadable`.
    func opened(with key: SealingKey) throws(DomainError) -> ConfiguredProvider {
        var secret: Secret?
        if let sealedSecret {
            let bytes = try key.open(sealedSecret, purpose: Self.purpose(settings.provider, in: application))
            secret = Secret(String(decoding: bytes, as: UTF8.self))
        }
        return ConfiguredProvider(application: application, settings: settings, secret: secret)
    }
}

/// An application's providers, without their secrets.
package struct ListProviders: Sendable {
    let store: any Store

    package struct Entry: Hashable, Sendable {
        package var settings: ProviderSettings
        /// Whether a private key or client secret is stored.
        package var hasSecret: Bool
        package var updatedAt: Timestamp

        init(stored: StoredProvider) {
            settings = stored.settings
            hasSecret = stored.sealedSecret != nil
            updatedAt = stored.updatedAt
        }
    }

    /// - Throws: `applicationUnknown`, `storageUnavailable`.
    package func callAsFunction(
        of application: Identifier<Application>
    ) async throws(DomainError) -> [Entry] {
        try await store.read { transaction throws(DomainError) in
            guard try transaction.application(application) != nil else { throw .applicationUnknown }
            return try transaction.providers(of: application).map(Entry.init(stored:))
        }
    }
}

/// Tries an application's settings against the provider.
package struct CheckProvider: Sendable {
    let findProvider: FindProvider

    /// - Throws: `providerNotEnabled`, `secretUnreadable`, `storageUnavailable`.
    package func callAsFunction(
        _ provider: Identity.Provider, of application: Identifier<Application>
    ) async throws(DomainError) -> ProviderFinding {
        let found = try await findProvider(provider, in: application)
        return await found.provider.check(found.configured)
    }
}
