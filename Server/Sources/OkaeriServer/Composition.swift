package import Domain
package import HTTPSupport
package import Hummingbird
import NativeAPI
import PasswordHashes
package import StorageSQLite

/// The one place that chooses concrete types.
package struct Composition: Sendable {
    package let settings: ServerSettings
    /// Everything that a protocol or a command can ask for.
    package let useCases: UseCases
    private let store: SQLiteStore
    private let randomness: any Randomness
    /// The threads that hash passwords, unless a test brings its own.
    private let passwordThreads: PasswordThreads?
    private let startedAt = ContinuousClock.now

    /// Who opens the storage.
    package enum Role: Sendable {
        /// The server; there is one at a time.
        case server
        /// A command beside it, or without one.
        case command
    }

    /// Opens the storage that the settings name, and brings its schema up to date.
    ///
    /// - Throws: `StartFault.settings`, `StartFault.storage`.
    package init(_ settings: ServerSettings, role: Role) throws(StartFault) {
        let randomness = SystemRandomness()
        do {
            let folder = settings.dataFolder
            let store = try SQLiteStore(.folder(folder), role: role == .server ? .server : .command)
            let key =
                try settings.sealingKey.flatMap { SealingKey(bytes: $0) }
                ?? SealingKeyFile(folder: folder, randomness: randomness).key()
            self.init(settings, store: store, clock: SystemClock(), randomness: randomness, sealingKey: key)
        } catch let fault as SQLiteOpenFault {
            throw .storage(fault.description)
        } catch let fault as SettingFault {
            throw .settings(fault.description)
        } catch {
            throw .storage("\(error)")
        }
    }

    /// A composition with a given world, for tests.
    package init(
        _ settings: ServerSettings, store: SQLiteStore, clock: any WallClock, randomness: any Randomness,
        sealingKey: SealingKey, passwords given: (any PasswordHashing)? = nil
    ) {
        self.settings = settings
        self.store = store
        self.randomness = randomness
        let passwords: any PasswordHashing
        if let given {
            (passwords, passwordThreads) = (given, nil)
        } else {
            let threads = PasswordThreads(count: settings.passwordThreads, maximumWaiting: settings.passwordQueue)
            (passwords, passwordThreads) = (threads, threads)
        }
        let useCases = UseCases(
            UseCases.World(
                store: store, validity: store.validity, clock: clock, randomness: randomness, sealingKey: sealingKey,
                passwords: passwords, issuer: settings.issuer,
                firstLaunches: settings.hasRateLimits
                    ? RateLimit(maximum: settings.firstLaunchesPerHour, window: .seconds(3600)) : nil,
                passwordFailures: settings.hasRateLimits
                    ? RateLimit(maximum: settings.passwordFailuresPerHour, window: .seconds(3600)) : nil,
                hasPasswordDelays: settings.hasRateLimits, hasRateLimits: settings.hasRateLimits,
                sessionCacheCapacity: settings.sessionCacheEntries))
        store.observeChanges { useCases.forget($0) }
        self.useCases = useCases
    }

    /// What answers requests.
    package func responder() throws(StartFault) -> RouterResponder<ServerContext> {
        let proxies = TrustedProxies(settings.trustedProxies)
        guard let publicAddress = PublicAddress(settings.publicURL, proxies: proxies) else {
            throw .settings("\(Setting.publicURL.name) must be \(Setting.publicURL.rule).")
        }
        let metrics = ServerMetrics(gauges: gauges)
        let readBody = BodyReader(timeLimit: settings.requestTimeout)
        let native = NativeAPI(
            useCases: useCases,
            gate: RequestGate(
                findApplication: useCases.findApplication, authenticate: useCases.authenticate, proxies: proxies,
                publicAddress: publicAddress),
            readBody: readBody, metrics: metrics)
        let seed = randomness.bytes(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return ServerRoutes(
            [native], metrics: metrics, requestIds: RequestIds(seed: seed), proxies: proxies, readBody: readBody
        ).responder()
    }

    /// The words for requests that are no requests, which no route sees.
    var errors: any ErrorAnswers { NativeAPI.errors }

    /// Called with a sentence for the log when the storage engine reports a fault; clients learn none of it.
    package func observeStorageFaults(_ observer: @escaping @Sendable (String) -> Void) {
        store.observeFaults(observer)
    }

    /// Finishes what is being written and closes the storage.
    package func close() async {
        await passwordThreads?.close()
        await store.close()
    }

    private var gauges: [ServerMetrics.Gauge] {
        let (useCases, startedAt) = (useCases, startedAt)
        return [
            .init(name: "okaeri_session_cache_entries", help: "Sessions kept in memory.") {
                Double(useCases.cachedSessions)
            },
            .init(name: "okaeri_uptime_seconds", help: "Time since the start.") {
                Double(startedAt.duration(to: .now).components.seconds)
            },
            .init(name: "process_resident_memory_bytes", help: "Resident memory.") { ProcessMemory.residentBytes },
        ]
    }
}

extension ServerSettings {
    /// The server's own address in access tokens.
    var issuer: String { publicURL ?? url(port: port) }

    /// The address by which this machine reaches the server.
    package func url(port: Int) -> String {
        host.contains(":") ? "http://[\(host)]:\(port)" : "http://\(host):\(port)"
    }
}
