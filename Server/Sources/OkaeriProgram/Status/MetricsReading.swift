import Domain
import Foundation
import Okaeri
import OkaeriServer

/// The numbers that a running server gives for Prometheus, as far as `okaeri status` shows them.
struct MetricsReading {
    private static let patience: Duration = .seconds(15)
    /// More than a server with every route ever prints.
    private static let maximumBytes = 4_000_000

    private let values: [String: Double]

    /// Sums the samples of each name, whatever their labels. A sum that no number holds is none: what answers may be no server.
    init(_ text: String) {
        var values: [String: Double] = [:]
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            let words = line.split(separator: " ")
            guard words.count == 2, let value = Double(words[1]), value.isFinite else { continue }
            values[String(words[0].prefix { $0 != "{" }), default: 0] += value
        }
        self.values = values.filter(\.value.isFinite)
    }

    var uptimeSeconds: Double? { values["okaeri_uptime_seconds"] }
    var logIns: Double? { values["okaeri_log_ins_total"] }
    var connections: Double? { values["okaeri_connections"] }
    var passwordsWaiting: Double? { values["okaeri_passwords_waiting"] }
    var replicaLagSeconds: Double? { values["okaeri_replica_lag_seconds"] }
    var residentBytes: Double? { values["process_resident_memory_bytes"] }

    /// Asks a server, by the key or at the address of its own that the settings name.
    ///
    /// - Parameters:
    ///   - settings: Those of the server.
    ///   - server: Its address.
    /// - Throws: `CommandFault`, which names the next command.
    init(of settings: ServerSettings, at server: String) async throws(CommandFault) {
        let base: String
        var key = settings.metricsKey
        if let address = settings.metricsAddress {
            base = ServerSettings.url(host: address.host, port: address.port)
        } else if settings.metricsKey != nil {
            base = server
        } else if let running = ServerInfoFile.read(in: settings.dataFolder), running.url == server,
            let own = StatusKeyFile.read(in: settings.dataFolder)
        {
            // No other server learns it.
            (base, key) = (server, own)
        } else {
            throw .usage(
                "The server at \(server) gives its numbers by its \(Setting.metricsKey.variable), or at its "
                    + "\(Setting.metricsListen.variable): give this command the one that the server has. Where it has "
                    + "neither, the key is status.key in the data folder, which the server's user reads."
            )
        }
        guard let url = URL(string: base + "/metrics"), ["http", "https"].contains(url.scheme), url.host != nil else {
            throw .usage("--server must be an http or https address such as http://127.0.0.1:8080, not “\(base)”.")
        }
        var headers: HeaderFields = [:]
        headers["Authorization"] = key.map { "Bearer \($0.revealed)" }
        let response: TransportResponse
        do throws(TransportError) {
            response = try await CurlTransport.shared.send(
                TransportRequest(method: "GET", url: url, headers: headers, timeout: Self.patience))
        } catch {
            throw .failed(
                "The server does not answer at \(base). “okaeri doctor” looks for the reason; “okaeri serve” starts one."
            )
        }
        guard response.status == 200 else {
            throw .failed(
                "The server at \(base) does not take the key (status \(response.status)). Give this command the "
                    + "\(Setting.metricsKey.variable) that the server was started with.")
        }
        guard response.body.count <= Self.maximumBytes else {
            throw .failed("What answers at \(base) is no Okaeri server. Name the right one with --server.")
        }
        self.init(String(decoding: response.body, as: UTF8.self))
        guard uptimeSeconds != nil else {
            throw .failed("What answers at \(base) is no Okaeri server. Name the right one with --server.")
        }
    }
}
