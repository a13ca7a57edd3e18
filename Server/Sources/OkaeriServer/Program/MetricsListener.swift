import Foundation
import HTTPSupport
import Hummingbird
import HummingbirdCore
import NIOCore
import NIOPosix
import ServiceLifecycle

/// Serves `/metrics` at an address of its own, on connections that are not counted among all others.
struct MetricsListener: Service {
    private let host: String
    private let port: Int
    private let settings: ServerSettings
    private let routes: ServerRoutes
    private let answers: MalformedRequestHandler.Answers
    private let rules: ConnectionRules
    private let loops: MultiThreadedEventLoopGroup
    private let ports: AsyncStream<Int>
    private let listening: AsyncStream<Int>.Continuation

    /// `nil` when the settings name no such address.
    init?(
        _ settings: ServerSettings, _ routes: ServerRoutes?, _ answers: MalformedRequestHandler.Answers,
        _ rules: ConnectionRules, _ loops: MultiThreadedEventLoopGroup
    ) {
        guard let address = settings.metricsAddress, let routes else { return nil }
        (host, port) = address
        (ports, listening) = AsyncStream.makeStream()
        (self.settings, self.routes, self.answers, self.rules, self.loops) = (
            settings, routes, answers, rules.ofMetrics, loops
        )
    }

    /// Where it listens, once it does; `nil` when it cannot.
    func url() async -> String? {
        for await port in ports { return ServerSettings.url(host: host, port: port) + "/metrics" }
        return nil
    }

    func run() async throws {
        defer { listening.finish() }
        let responder = routes.responder()
        let (rules, listening, port) = (rules, listening, port)
        let application = Hummingbird.Application(
            responder: responder,
            server: settings.server(answers, responder, rules),
            configuration: ListeningSocket.configuration(host: host, port: port),
            onServerRunning: { channel in
                await ListeningSocket.prepare(channel, rules)
                listening.yield(channel.localAddress?.port ?? port)
            },
            eventLoopGroupProvider: .shared(loops), logger: rules.logger)
        do {
            try await application.run()
        } catch let error as IOError {
            let setting = Setting.metricsListen
            let reason =
                error.errnoCode == EADDRINUSE
                ? "is in use by another program" : "cannot be listened on: \(error.reason)"
            let address = ServerSettings.address(host: host, port: port)
            throw StartFault.settings("\(setting.name) (\(setting.variable)) is \(address), which \(reason).")
        }
    }
}

extension IOError {
    /// Why the system refuses, without the name of the function that was called.
    var reason: String { String(cString: strerror(errnoCode)) }
}
