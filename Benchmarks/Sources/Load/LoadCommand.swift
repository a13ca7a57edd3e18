import ArgumentParser
import Foundation
import Measuring
import NIOCore
import NIOPosix

/// Keeps a fixed number of connections busy for a fixed time, and prints what came of it as one line of JSON.
@main
struct LoadCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "load",
        abstract: "An HTTP/1.1 load generator for 127.0.0.1, bounded in time and count.")

    @Argument(help: "What to ask for: \(Scenario.allCases.map(\.rawValue).joined(separator: ", ")).")
    var scenario: Scenario
    @Option(help: "The server's port on 127.0.0.1.")
    var port: Int
    @Option(help: "The server's process id, to see its memory and processor time.")
    var pid: Int32?
    @Option(help: "Connections, each with one request under way (1 to 256).")
    var connections = 64
    @Option(help: "Seconds to measure (at most 60).")
    var seconds = 5.0
    @Option(help: "Seconds of load before measuring begins.")
    var warmUp = 1.0
    @Option(help: "The most requests that can be used once: proofs, new devices.")
    var requests = 20_000
    @Option(help: "How many sessions or devices of the side file take part.")
    var spread = 2_000
    @Option(help: "How many of its lines to leave out before: a log-in ends the device's earlier session.")
    var skip = 0
    @Option(help: "The path of the bare route.")
    var path = "/bare"
    @Option(help: "The application's id.")
    var application = "0000000000000000"
    @Option(help: "The side file with known devices, written by seed.")
    var devices = ""

    func validate() throws {
        guard (1...256).contains(connections), (0.1...60).contains(seconds), (0...30).contains(warmUp),
            (1...1_000_000).contains(requests),
            skip >= 0, spread >= 1
        else { throw ValidationError("a number is outside its bounds") }
    }

    func run() throws {
        let maker = RequestMaker(
            target: Target(port: port, headers: ["User-Agent: okaeri-load"]), path: path, application: application,
            devices: devices, lines: skip..<(skip + spread), count: requests)
        let state = LoadState(
            LoadResult(scenario: scenario.rawValue, connections: connections),
            supply: try maker.requests(for: scenario), server: pid.map(ProcessUsage.init))
        try drive(state)
        print(try state.result.line)
        guard state.result.failures == 0, state.result.requests > 0 else { throw ExitCode.failure }
    }

    private func drive(_ state: LoadState) throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let loop = group.next()
        let bootstrap = ClientBootstrap(group: loop)
            .channelOption(.socketOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(LoadConnection(state))
                }
            }
        let warmUpEnd = NIODeadline.now() + .milliseconds(Int64(warmUp * 1000))
        let end = warmUpEnd + .milliseconds(Int64(seconds * 1000))
        loop.scheduleTask(deadline: warmUpEnd) { state.beginMeasuring() }
        loop.scheduleTask(deadline: end) { state.finish() }
        let closed = (0..<connections).map { _ in
            bootstrap.connect(host: "127.0.0.1", port: port).flatMap(\.closeFuture)
                .flatMapErrorThrowing { _ in state.noteBrokenConnection() }
        }
        // Answers still under way when the run ends get ten seconds.
        let patience = loop.scheduleTask(deadline: end + .seconds(10)) {
            FileHandle.standardError.write(Data("load: answers are missing ten seconds after the end\n".utf8))
            LoadCommand.exit(withError: ExitCode.failure)
        }
        try EventLoopFuture.andAllComplete(closed, on: loop).wait()
        patience.cancel()
        try group.syncShutdownGracefully()
    }
}
