package import Domain
import AuthServiceAPI
import Backups
import Dashboard
package import HTTPSupport
import KiiAPI
package import Logging
import NCMBAPI
import NativeAPI
package import OutboundServices
import PageSupport
import ParseAPI
import PasswordHashes
package import Storage
import StoragePostgreSQL
import StorageSQLite
import Threads
import WebPages

/// The one file that chooses concrete types.
package struct Composition: Sendable {
    /// The protocols of old services, in the order in which they are shown.
    package static let protocols = ProtocolRegistry(foreign: [.ncmb, .parse, .kii, .envelope])

    package let settings: ServerSettings
    /// Everything that a protocol or a command can ask for.
    package let modules: Modules
    private let store: any Engine
    private let clock: any WallClock
    /// The mail server, and the threads that wait for it; `nil` without one.
    private let mail: (carrier: SMTPCarrier, threads: WorkerThreads)?
    private let randomness: any Randomness
    private let sealingKey: SealingKey
    /// What asks other servers, each with threads of its own, so that none waits for another.
    private let callers: [CurlCaller]
    /// Send events, ask hooks and the operator's service of leaked passwords, each call within its own time: none waits for those to a
    /// slow server.
    private let streams: [CurlStreams]
    /// Asks the Parse Servers of apps, so that a slow one holds nothing else up.
    private let upstreamStreams: CurlStreams
    /// The threads that hash passwords, unless a test brings its own.
    private let passwordThreads: PasswordThreads?
    let passwords: any PasswordHashing
    /// Refuses new passwords that are known from leaks; `nil` without a list of them.
    private let checkedPasswords: BreachCheckedPasswords?
    /// Replicates the embedded database; `nil` when nothing does.
    private(set) var replica: ReplicaShipper?
    /// What a standby reads; `nil` for a server that writes.
    package var standby: StandbyServing?
    /// Makes and sends traces and metrics; `nil` without a collector.
    package let telemetry: Telemetry?
    let auditStreamCounts: AuditStreamCounts?
    let startedAt = ContinuousClock.now
    package let eventMetrics: EventMetrics
    let hookMetrics = HookMetrics()
    let connectionMetrics = ConnectionMetrics()

    /// What answers the requests of a process.
    package struct Responders: Sendable {
        /// All requests of clients.
        package let all: RouteResponder
        /// What the listener of the metrics serves; `nil` without one.
        package let metrics: ServerRoutes?
        /// What is counted of them.
        package let counted: ServerMetrics
    }

    /// Who opens the storage.
    package enum Role: Sendable {
        /// The server; there is one at a time.
        case server
        /// A command beside it, or without one.
        case command
    }

    /// Opens the storage that the settings name. The embedded one is brought up to date; the shared one must be.
    ///
    /// - Throws: `StartFault.settings`, `StartFault.storage`.
    package init(_ settings: ServerSettings, role: Role) async throws(StartFault) {
        let randomness = SystemRandomness()
        let (store, key) =
            if let address = settings.database {
                try await Self.shared(address, settings, role, randomness)
            } else {
                try await Self.embedded(settings, role, randomness)
            }
        var used = settings
        // What a command does is no request, and it is over before anything was sent.
        if role == .command { used.telemetry = nil }
        self.init(used, store: store, clock: SystemClock(), randomness: randomness, sealingKey: key)
        replica = try await settings.replicaShipper(of: store, role, SystemClock())
    }

    private static func embedded(
        _ settings: ServerSettings, _ role: Role, _ randomness: any Randomness
    ) async throws(StartFault) -> (any Engine, SealingKey) {
        let store: SQLiteStore
        do throws(SQLiteOpenFault) {
            store = try SQLiteStore(
                .folder(settings.dataFolder), role: role == .server ? .server : .command,
                searchReaders: settings.searchLimits.readers)
        } catch {
            throw .storage(error.description)
        }
        do throws(StartFault) {
            return (store, try await InstallationKey(settings, role, randomness).key(of: store))
        } catch {
            await store.close()
            throw error
        }
    }

    private static func shared(
        _ address: PostgreSQLAddress, _ settings: ServerSettings, _ role: Role, _ randomness: any Randomness
    ) async throws(StartFault) -> (any Engine, SealingKey) {
        // A file of one node's own would seal what the other nodes cannot open.
        guard let first = settings.sealingKey else {
            throw .settings(
                "With \(Setting.database.variable), all nodes and commands need the same sealing key: set "
                    + "\(Setting.sealingKey.variable) to \(Setting.sealingKey.rule), as “head -c 32 /dev/urandom | "
                    + "base64” makes them.")
        }
        let key: SealingKey
        do { key = try settings.sealingKeys.key(first: first) } catch { throw .settings(error.description) }
        do {
            let store = try await PostgreSQLStore.open(
                address, role: role == .server ? .server : .command,
                connections: role == .server ? settings.databaseConnections : 1,
                searchConnections: settings.searchLimits.readers,
                node: Base64URL.text(of: randomness.bytes(9)), clock: SystemClock())
            return (store, key)
        } catch {
            throw .storage(error.description)
        }
    }

    /// A composition with a given world, for tests.
    package init(
        _ settings: ServerSettings, store engine: any Engine, clock: any WallClock, randomness: any Randomness,
        sealingKey: SealingKey, passwords given: (any PasswordHashing)? = nil,
        providers: ProviderAddresses? = nil, caller: CurlCaller? = nil
    ) {
        let telemetry = Telemetry(settings.telemetry, clock: clock, randomness: randomness)
        self.telemetry = telemetry
        auditStreamCounts = settings.auditStream == nil ? nil : AuditStreamCounts()
        let store = telemetry.traced(engine, settings.database == nil ? .sqlite : .postgresql)
        let addresses = providers ?? settings.providers
        let egress = settings.egress(to: addresses)
        let caller = caller ?? CurlCaller(limits: .init(calls: IdentityProviders.lanesOfNamed), policy: egress)
        let (tenantCaller, adminCaller) = (caller.forTenants(), caller.forAdmins())
        let tenants = tenantCaller.policy
        upstreamStreams = CurlStreams(limits: .init(connecting: tenantCaller.connecting), policy: tenants)
        let eventStreams = CurlStreams(limits: EventWebhook.limits, policy: tenants)
        let hookStreams = CurlStreams(limits: HookWebhook.limits, policy: tenants)
        // Hands text messages over, to the operator's own address alone.
        let textMessageCaller = CurlCaller(
            policy: EgressPolicy(privateNetworks: [], operatorURLs: settings.textMessages.map { [$0.url] } ?? []))
        self.settings = settings
        self.store = store
        self.clock = clock
        self.randomness = randomness
        self.sealingKey = sealingKey
        let hashing: any PasswordHashing
        if let given {
            (hashing, passwordThreads) = (given, nil)
        } else {
            let threads = PasswordThreads(count: settings.passwordThreads, maximumWaiting: settings.passwordQueue)
            (hashing, passwordThreads) = (threads, threads)
        }
        callers = [caller, tenantCaller, adminCaller, textMessageCaller]
        let passwordListStreams = CurlStreams(
            limits: PasswordListSettings.limits,
            policy: EgressPolicy(privateNetworks: [], operatorURLs: settings.passwordLists.rangeURL.map { [$0] } ?? []))
        streams = [eventStreams, hookStreams, passwordListStreams]
        checkedPasswords = settings.passwordLists.checked(
            telemetry.traced(hashing),
            call: telemetry.traced(
                StreamCaller(passwordListStreams, maximumBytes: BreachedPasswordRange.maximumBytes), tellsTrace: false))
        let passwords = checkedPasswords ?? telemetry.traced(hashing)
        self.passwords = passwords
        let mail = settings.mailCarrier
        self.mail = mail
        var services = DomainWorld.Services(
            issuer: settings.issuer, pagesURL: settings.pagesURL, protocols: Self.protocols,
            providers: IdentityProviders(
                at: addresses, call: telemetry.traced(caller, tellsTrace: false),
                adminCall: telemetry.traced(adminCaller, tellsTrace: false),
                tenantCall: telemetry.traced(tenantCaller, tellsTrace: false), clock: clock, randomness: randomness),
            mailDelivery: settings.mailDelivery(by: mail?.carrier),
            mailRenderer: HTMLMailRenderer(),
            textDelivery: settings.textDelivery(clock, telemetry.traced(textMessageCaller, tellsTrace: true)))
        services.certificates = CertificateChains()
        services.oldTokens = OldTokens(
            at: addresses, call: telemetry.traced(caller, tellsTrace: false),
            tenantCall: telemetry.traced(tenantCaller, tellsTrace: false), clock: clock)
        services.eventCarrier = EventWebhook(
            clock: clock,
            call: telemetry.traced(
                StreamCaller(eventStreams, maximumBytes: EventWebhook.maximumResponseBytes), tellsTrace: true))
        services.hookCarrier = HookWebhook(
            clock: clock,
            call: telemetry.traced(
                StreamCaller(hookStreams, maximumBytes: HookWebhook.maximumResponseBytes), tellsTrace: true))
        services.attestationCertificates = AppAttestCertificates(furtherRoots: addresses.appAttestRoots)
        services.adminSecondFactor = settings.isDevelopment ? .optionalForFirstOwner : .demanded
        services.adminSignOn = settings.adminSignOn
        let modules = Modules(
            DomainWorld(
                store: store, validity: store.validity, clock: clock, randomness: randomness, sealingKey: sealingKey,
                passwords: passwords, services: services, limits: settings.domainLimits))
        store.observeChanges { modules.forget($0) }
        eventMetrics = EventMetrics(clock: clock)
        modules.events.observeDeliveries { [eventMetrics] in eventMetrics.note($0) }
        modules.hooks.observeCalls { [hookMetrics] in hookMetrics.note($0) }
        self.modules = modules
    }

    /// What answers requests.
    ///
    /// - Throws: `StartFault.settings` when pages or addresses cannot be made of the settings.
    package func responders() throws(StartFault) -> Responders {
        let (routes, metricsRoutes, metrics) = try serverRoutes()
        return Responders(all: routes.responder(), metrics: metricsRoutes, counted: metrics)
    }

    /// Every route of every protocol, and those of the listener for metrics, when it has one.
    private func serverRoutes() throws(StartFault)
        -> (all: ServerRoutes, metrics: ServerRoutes?, counted: ServerMetrics)
    {
        let proxies = TrustedProxies(settings.trustedProxies, hidesProxy: settings.hidesProxy)
        guard let publicAddress = PublicAddress(settings.publicURL, proxies: proxies) else {
            throw .settings("\(Setting.publicURL.name) must be \(Setting.publicURL.rule).")
        }
        let metrics = serverMetrics()
        let readBody = BodyReader(timeLimit: settings.requestTimeout, proxies: proxies)
        let native = NativeAPI(
            modules: modules,
            gate: RequestAuthenticator(
                findApplication: modules.applications.findApplication, authenticate: modules.sessions.authenticate,
                proxies: proxies,
                publicAddress: publicAddress),
            readBody: readBody, metrics: metrics)
        let protocolAuthenticator = ProtocolAuthenticator(
            findProtocol: modules.applications.findProtocol, authenticate: modules.sessions.authenticate,
            proxies: proxies,
            publicAddress: publicAddress)
        let ncmb = NCMBAPI(
            modules: modules, gate: protocolAuthenticator, proxies: proxies, publicURL: settings.publicURL,
            readBody: readBody, clock: clock)
        let parse = ParseAPI(
            modules: modules, gate: protocolAuthenticator, readBody: readBody, prefixes: settings.parsePaths,
            clock: clock, upstream: CurlUpstream(streams: upstreamStreams, tracer: telemetry?.tracer))
        let pageGate = PageGate(
            proxies: proxies, publicAddress: publicAddress,
            formHash: sealingKey.keyedHash(purpose: "okaeri form token"), randomness: randomness, readBody: readBody)
        let (pages, dashboard) = try pages(pageGate, metrics)
        let forAdmins = { [settings] (adapter: any ProtocolAdapter) -> any ProtocolAdapter in
            settings.adminNetworks.isEmpty
                ? adapter : ConfinedAdapter(adapter, to: settings.adminNetworks, proxies: proxies)
        }
        let seed = randomness.bytes(8).reduce(UInt64(0)) { $0 << 8 | UInt64(truncatingIfNeeded: $1) }
        let requestIds = RequestIds(seed: seed)
        var adapters: [any ProtocolAdapter] = [
            forAdmins(AdminAPI(native: native)), native, ncmb, parse,
            KiiAPI(modules: modules, gate: protocolAuthenticator, readBody: readBody),
            AuthServiceAPI(modules: modules, gate: protocolAuthenticator, readBody: readBody), pages,
            forAdmins(dashboard),
        ]
        if let key = settings.metricsKey ?? settings.statusKey { adapters.append(MetricsAPI(metrics, key: key)) }
        let routes = ServerRoutes(
            adapters.map { [standby] adapter in
                standby.map { StandbyAdapter(adapter, primary: $0.primary) } ?? adapter
            }, metrics: metrics, requestIds: requestIds, proxies: proxies, readBody: readBody,
            tracing: telemetry.requests, unknownPage: { pages.unknownPage(for: $0, $1) })
        let metricsRoutes = settings.metricsAddress.map { _ in
            ServerRoutes(
                [MetricsAPI(metrics, key: nil)], metrics: metrics, requestIds: requestIds, proxies: proxies,
                readBody: readBody)
        }
        return (routes, metricsRoutes, metrics)
    }

    /// Every route that a server with these settings has. No data is opened for it.
    ///
    /// - Parameters:
    ///   - settings: The settings.
    ///   - withStatusKey: Whether also what a server answers by the key of `okaeri status`.
    /// - Returns: the routes.
    /// - Throws: `StartFault`.
    package static func routeTable(
        _ settings: ServerSettings, withStatusKey: Bool = false
    ) async throws(StartFault) -> [RouteDescription] {
        var settings = settings
        if withStatusKey, settings.makesStatusKey { settings.statusKey = StatusKeyFile.newKey() }
        let randomness = SystemRandomness()
        let store: SQLiteStore
        do {
            store = try SQLiteStore(.memory, role: .command)
        } catch {
            throw .storage(error.description)
        }
        guard let key = SealingKey(bytes: randomness.bytes(SealingKey.byteCount)) else {
            throw .settings("No sealing key could be made.")
        }
        let composition = Composition(
            settings, store: store, clock: SystemClock(), randomness: randomness, sealingKey: key)
        let table: Result<[RouteDescription], StartFault>
        do throws(StartFault) {
            table = .success(try composition.serverRoutes().all.table)
        } catch {
            table = .failure(error)
        }
        await composition.close()
        return try table.get()
    }

    /// A one-time link by which the first admin is made, or the owner of a server that was for development gets an
    /// authenticator app; `nil` once there is an admin, or when the database cannot tell now.
    package func firstAdminLink(port: Int) async -> FirstAdminLink? {
        let (logIns, admins) = (modules.administration.logIns, modules.administration.admins)
        // The server serves without it, and “okaeri admin link” makes another.
        guard (try? await logIns.needsFirstAdmin()) == true else { return nil }
        let owner = try? await admins.list().first { $0.role == .owner && $0.lacksAuthenticator && !$0.isDisabled }
        let link = try? await admins.makeLink(for: owner?.id, by: Operator(actor: .server, origin: .local))
        return link.map { FirstAdminLink(url: settings.adminLink($0.token, port: port), owner: owner?.name) }
    }

    /// The hosted pages and the dashboard.
    private func pages(_ gate: PageGate, _ metrics: ServerMetrics) throws(StartFault) -> (WebPages, Dashboard) {
        let assets = PageAssets(PageAssets.shared.merging(Dashboard.files) { $1 })
        do {
            let pages = try WebPages(
                modules: modules, gate: gate, metrics: metrics, publicURL: settings.pagesURL,
                sendsMail: settings.isDevelopment || settings.smtp != nil,
                firstPage: settings.hasFirstPage
                    ? FirstPage(version: settings.isDevelopment ? ProgramVersion.current : nil) : nil,
                assets: assets)
            let dashboard = try Dashboard(
                modules: modules, gate: gate, clock: clock, assets: assets,
                publicURL: settings.browserURL(port: settings.port)
            ) { [settings] in settings.adminLink($0, port: settings.port) }
            return (pages, dashboard)
        } catch {
            throw .settings("The pages of this program are broken: \(error)")
        }
    }

    /// The words for requests that are no requests, which no route sees.
    var errors: any ErrorRenderer { NativeAPI.errors }

    /// Called with a sentence for the log when the storage engine reports a fault; clients learn none of it.
    package func observeStorageFaults(_ observer: @escaping @Sendable (String) -> Void) {
        store.observeFaults(observer)
    }

    /// Called with a sentence for the log when somebody else's server cannot be asked; clients learn none of it.
    package func observeOutboundFaults(_ observer: @escaping @Sendable (String) -> Void) {
        for caller in callers { caller.observeFaults(observer) }
        upstreamStreams.observeFaults(observer)
        for calls in streams { calls.observeFaults(observer) }
        modules.hooks.observeFaults(observer)
        checkedPasswords?.observeFaults(observer)
    }

    /// Sends mail while the server runs.
    package func mailWorker(_ logger: Logger) -> MailWorker {
        MailWorker(modules: modules, clock: clock, tracing: roundTracing, logger: logger)
    }

    /// Sends events while the server runs.
    package func eventWorker(_ logger: Logger) -> EventWorker {
        EventWorker(modules: modules, tracing: roundTracing, logger: logger)
    }

    /// Sends a copy of the audit log while the server runs; `nil` when none is sent.
    func auditStream(_ logger: Logger) throws(StartFault) -> AuditStream? {
        guard let stream = settings.auditStream, let auditStreamCounts else { return nil }
        return try AuditStream(
            modules, to: stream.receiver(clock), folder: settings.dataFolder, counts: auditStreamCounts, logger: logger)
    }

    /// Finishes what is being written and closes the storage.
    package func close() async {
        for caller in callers { await caller.close() }
        for calls in streams { await calls.close() }
        await upstreamStreams.close()
        await telemetry?.close()
        await mail?.threads.close()
        await passwordThreads?.close()
        await store.close()
    }
}
