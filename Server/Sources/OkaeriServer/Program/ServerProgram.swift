import Domain
import Foundation
import HTTPSupport
import Hummingbird
import HummingbirdCore
package import Logging
import NIOCore
import OutboundServices
import ServiceLifecycle
import UnixSignals

/// Runs the server from start to graceful end.
package struct ServerProgram: Sendable {
    /// How long requests under way may take when the server stops.
    private static let shutdownTimeout: Duration = .seconds(20)
    /// Servers are off for less, as a rule.
    private static let longestPause: Duration = .days(30)
    private static let realApple = ProviderAddresses().apple

    private let settings: ServerSettings
    private let logger: Logger
    private let providers: (any ProviderStandIn)?
    private let standby: StandbyServing?
    private let info = HeldServerInfo()

    /// A server that accepts requests.
    package struct Listening: Sendable {
        /// Where: `http://127.0.0.1:8080`.
        package let url: String
        package let port: Int
        /// Where `/metrics` is served by itself; `nil` when it is not.
        package let metricsURL: String?
        /// Stops the server as SIGTERM does.
        package let stop: @Sendable () -> Void
    }

    /// - Parameters:
    ///   - settings: The settings.
    ///   - logger: The log.
    ///   - providers: What plays Apple when the settings are for development; `nil` when nothing does.
    ///   - standby: What a standby reads; `nil` for a server that writes.
    package init(
        settings: ServerSettings, logger: Logger, providers: (any ProviderStandIn)?, standby: StandbyServing? = nil
    ) {
        self.standby = standby
        var settings = settings
        if standby == nil, settings.makesStatusKey {
            settings.statusKey = StatusKeyFile.newKey()
        }
        self.settings = settings
        self.logger = logger
        self.providers = providers
    }

    /// A logger that writes to standard error at the level and in the form that the settings name.
    package static func logger(_ settings: ServerSettings) -> Logger {
        var logger = Logger(label: "okaeri") { [form = settings.logFormat] in SystemLog(label: $0, form: form) }
        logger.logLevel = settings.logLevel
        return logger
    }

    /// Serves until SIGINT, SIGTERM or cancellation. Then requests under way end, the uses of sessions are written
    /// down, and the storage is closed.
    ///
    /// - Parameter onListening: Called once, with the composition that serves, when requests are accepted.
    /// - Throws: `StartFault`; `addressInUse` when another port may work.
    package func run(
        onListening: @escaping @Sendable (Listening, Composition) async -> Void = { _, _ in }
    ) async throws(StartFault) {
        guard let providers, settings.isDevelopment, settings.providers.apple == Self.realApple else {
            return try await runAlone(onListening)
        }
        try await providers.run(clock: SystemClock(), logger: logger) { fakes throws(StartFault) in
            var settings = settings
            settings.providers.use(fakes)
            try await ServerProgram(settings: settings, logger: logger, providers: nil).runAlone(onListening)
        }
    }

    /// The address that is asked instead of Apple's, under development.
    private var fakeApple: String? {
        settings.isDevelopment && settings.providers.apple != Self.realApple ? settings.providers.apple : nil
    }

    private func runAlone(
        _ onListening: @escaping @Sendable (Listening, Composition) async -> Void
    ) async throws(StartFault) {
        let composition: Composition
        if let standby {
            composition = try Composition(settings, standby: standby)
        } else {
            composition = try await Composition(settings, role: .server)
        }
        let storageFaults = FaultLog(logger, .error, "storage fault")
        composition.observeStorageFaults { storageFaults.note($0) }
        let outboundFaults = FaultLog(logger, .warning, "another server cannot be asked")
        composition.observeOutboundFaults { outboundFaults.note($0) }
        StartAnnouncement(settings: settings, logger: logger, fakeApple: fakeApple)()
        var failure: StartFault?
        do {
            if standby == nil {
                try await checkSealingKeys(composition)
                await compareClock(composition)
            }
            try await serve(composition, onListening)
        } catch {
            failure = fault(error)
        }
        await composition.close()
        standby?.follower.release()
        if let failure { throw failure }
    }

    private func serve(
        _ composition: Composition, _ onListening: @escaping @Sendable (Listening, Composition) async -> Void
    ) async throws {
        let stopSwitch = StopSwitch()
        let responders = try composition.responders()
        let loops = EventLoops.make()
        let answers = try await MalformedRequestHandler.Answers(composition.errors, responders.all.adapters)
        let rules = ConnectionRules(settings, metrics: composition.connectionMetrics, logger: logger)
        let metrics = MetricsListener(settings, responders.metrics, answers, rules, loops)
        let application = Hummingbird.Application(
            responder: responders.all,
            server: settings.server(answers, responders.all, rules),
            configuration: ListeningSocket.configuration(host: settings.host, port: settings.port),
            onServerRunning: { channel in
                await ListeningSocket.prepare(channel, rules)
                let port = channel.localAddress?.port ?? settings.port
                let metricsURL = await metrics?.url()
                // A server that cannot serve its metrics ends at once, and tells nobody that it is there.
                guard metrics == nil || metricsURL != nil else { return }
                let listening = Listening(url: settings.url(port: port), port: port, metricsURL: metricsURL) {
                    stopSwitch.stop()
                }
                writeInfo(of: listening, sealingKeys: composition.modules.resealSecrets.keys)
                await onListening(listening, composition)
            },
            eventLoopGroupProvider: .shared(loops),
            logger: logger)
        var configuration = ServiceGroupConfiguration(
            services: try services(application, composition, responders, metrics, stopSwitch),
            gracefulShutdownSignals: [.sigint, .sigterm], logger: logger)
        configuration.maximumGracefulShutdownDuration = Self.shutdownTimeout
        defer { removeInfo() }
        // Hummingbird lets go of the listening socket in a task that nobody can wait for, and that schedules something on the
        // loops: they end a moment later, or with the process.
        defer { loops.any().scheduleTask(in: .seconds(1)) { loops.shutdownGracefully { _ in } } }
        try await ServiceGroup(configuration: configuration).run()
    }

    /// The server and what runs beside it, in the order in which they start. They stop in the opposite one.
    private func services(
        _ application: any Service, _ composition: Composition, _ responders: Composition.Responders,
        _ metrics: MetricsListener?, _ stopSwitch: StopSwitch
    ) throws(StartFault) -> [ServiceGroupConfiguration.ServiceConfiguration] {
        var services: [ServiceGroupConfiguration.ServiceConfiguration] = [
            .init(service: stopSwitch, successTerminationBehavior: .gracefullyShutdownGroup)
        ]
        if let standby {
            services.insert(
                .init(
                    service: StandbyWorker(standby: standby, modules: composition.modules, logger: logger),
                    successTerminationBehavior: .gracefullyShutdownGroup),
                at: 0)
        } else {
            services.insert(contentsOf: writers(of: composition).map { .init(service: $0) }, at: 0)
        }
        if let replica = composition.replica {
            services.append(
                .init(service: ReplicaWorker(shipper: replica, logger: logger, stop: { stopSwitch.stop() })))
        }
        if let metrics { services.append(.init(service: metrics)) }
        // The first ones stop as the last.
        if let auditStream = try composition.auditStream(logger) {
            services.insert(.init(service: auditStream), at: 0)
        }
        if let telemetry = composition.telemetry {
            services.insert(.init(service: telemetry.worker(responders.counted, logger)), at: 0)
        }
        services.append(.init(service: application))
        services.append(.init(service: MemoryTrim(logger: logger)))
        // Streams end before the server waits for its requests.
        services.append(.init(service: EventStreamCloser(modules: composition.modules)))
        return services
    }

    /// Notes for the commands of this machine where the server listens.
    private func writeInfo(of listening: Listening, sealingKeys: [String]) {
        guard standby == nil, settings.wantsServerInfoFile else { return }
        do {
            if let key = settings.statusKey { try StatusKeyFile.write(key, in: settings.dataFolder) }
            let file = ServerInfoFile(
                pid: getpid(), processNumbers: SystemName.processNumbers, url: listening.url,
                version: ProgramVersion.current, fakeApple: fakeApple, isDevelopment: settings.isDevelopment,
                sendsMail: settings.sendsMail, sealingKeys: sealingKeys,
                adminURL: settings.adminURL(port: listening.port))
            try info.write(file, in: settings.dataFolder)
        } catch {
            logger.warning("server.json cannot be written", metadata: ["error": "\(error)"])
        }
    }

    private func removeInfo() {
        guard standby == nil else { return }
        info.remove(in: settings.dataFolder)
        StatusKeyFile.remove(in: settings.dataFolder)
    }

    /// What a server does beside answering that writes.
    private func writers(of composition: Composition) -> [any Service] {
        let backlog = composition.eventBacklogWorker(logger).map { [$0] } ?? []
        return [
            Housekeeping(modules: composition.modules, tracing: composition.roundTracing, logger: logger),
            RevocationWorker(modules: composition.modules, tracing: composition.roundTracing, logger: logger),
            composition.mailWorker(logger), composition.eventWorker(logger),
        ] + backlog
    }

    /// A server that could not open what is sealed, or would write under another first key, does not start.
    private func checkSealingKeys(_ composition: Composition) async throws(StartFault) {
        let check = SealingKeyCheck(settings, composition.modules)
        let needed: SealingKeyCheck.Verdict
        let first: SealingKeyCheck.Verdict
        do throws(DomainError) {
            needed = try await check.neededKeys()
            first = try await check.firstKey()
        } catch {
            return logger.warning(
                "the sealing keys were not compared with the database", metadata: ["error": "\(error)"])
        }
        for id in needed.givenUp + first.givenUp {
            logger.error("a sealing key is given up: its secrets cannot be opened", metadata: ["key": .string(id)])
        }
        if let refusal = needed.refusal ?? first.refusal { throw refusal }
        if check.givesUpFirstKey, first.givenUp.isEmpty {
            logger.warning(
                "lost:first is not needed any more: while it stands there, another first key is not noticed",
                metadata: ["setting": .string(Setting.sealingKeys.variable)])
        }
    }

    /// A clock that is ahead is seen before the server writes by it, and while nothing is removed by it (decision 0218).
    private func compareClock(_ composition: Composition) async {
        // The comparison is for the log alone; the storage is asked again at once by what needs it.
        guard let newest = try? await composition.modules.administration.audit.newestTime() else { return }
        let pause = composition.modules.now - newest
        guard pause > Self.longestPause else { return }
        logger.warning(
            """
            nothing was recorded here for a long time: if the server was not off for so long, its clock is ahead. Set it now, for \
            what has expired by it is removed in an hour, idle guests and users who wait for their deletion too
            """,
            metadata: ["days": .stringConvertible(pause.components.seconds / 86_400)])
    }

    private func fault(_ error: any Error) -> StartFault {
        switch error {
        case let fault as StartFault: fault
        case let error as IOError where error.errnoCode == EADDRINUSE:
            .addressInUse(host: settings.host, port: settings.port)
        default:
            .cannotListen(
                "\(ServerSettings.address(host: settings.host, port: settings.port)) cannot be listened on: "
                    + "\((error as? IOError)?.reason ?? "\(error)").")
        }
    }
}

extension ServerSettings {
    /// Whether `server.json` is written. A node on a shared database needs no folder, and uses one that is there.
    fileprivate var wantsServerInfoFile: Bool {
        database == nil || FileManager.default.fileExists(atPath: dataFolder)
    }

    /// Whether a server makes a key by which `okaeri status` reads the metrics.
    var makesStatusKey: Bool { metricsKey == nil && metricsAddress == nil && wantsServerInfoFile }
}

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
        case .addressInUse(let host, let port):
            "\(ServerSettings.address(host: host, port: port)) is in use by another program."
        }
    }
}

/// Ends the services around it.
struct StopSwitch: Service {
    private let stops: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() {
        (stops, continuation) = AsyncStream.makeStream()
    }

    func stop() {
        continuation.yield()
    }

    func run() async {
        for await _ in stops.cancelOnGracefulShutdown() { return }
    }
}
