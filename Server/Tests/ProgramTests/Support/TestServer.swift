import Foundation
import Okaeri
import OkaeriProgram

/// A server in a process of its own, on a free port of the loopback address.
final class TestServer: Sendable {
    let process: ChildProcess
    private let confinement: Confinement?
    private let folder: String
    /// What commands beside it need of its environment.
    private let keys: [String: String]
    /// The data folder, as this process sees it.
    let data: String
    let url: String

    private struct Description: Decodable {
        let pid: Int32
        let url: String
    }

    /// Starts a server and waits until it accepts requests.
    ///
    /// - Parameters:
    ///   - data: The data folder.
    ///   - options: Further options of `okaeri serve`.
    ///   - environment: Variables beside those that every process needs.
    ///   - confinement: What the process is wrapped in, if anything.
    ///   - program: Where the program is, when it is not `okaeri`.
    /// - Throws: `TestFault` when the server ends, or does not start in time.
    init(
        data: String, options: [String] = [], environment: [String: String] = [:], confinement: Confinement? = nil,
        program: String? = nil
    ) async throws {
        let arguments = ["serve", "--listen", "127.0.0.1:0", "--data", data] + options
        let process =
            try confinement?.start(arguments, environment: environment)
            ?? ChildProcess(program ?? Program.path(), arguments, environment: environment)
        let view = confinement?.view(of: data, process) ?? data
        let description = try await eventually("the server's start") { () -> Description? in
            guard process.isRunning else { throw TestFault("the server ended at once: \(process.errors)") }
            guard let bytes = FileManager.default.contents(atPath: view + "/server.json") else { return nil }
            let description = try? JSONDecoder().decode(Description.self, from: bytes)
            return description?.pid == process.id ? description : nil
        }
        self.process = process
        self.confinement = confinement
        folder = data
        keys = environment.filter { $0.key.hasPrefix("OKAERI_SEALING_KEY") }
        self.data = view
        url = description.url
    }

    /// What carries the tests' requests, to any server.
    static let transport: any Transport = CurlTransport(requestsAtOnce: 64)

    /// An app on a device, with nothing remembered.
    func app(in application: String) throws -> OkaeriClient {
        guard let url = URL(string: url) else { throw TestFault("no address: \(url)") }
        return OkaeriClient(server: url, application: application, vault: MemoryVault(), transport: Self.transport)
    }

    var port: Int { URL(string: url)?.port ?? 0 }

    /// Stops the server and waits for its end.
    @discardableResult
    func stop(_ signal: Int32 = SIGTERM) async throws -> Int32 {
        process.signal(signal)
        return try await process.status()
    }

    /// Makes an application with the program, beside the running server.
    func makeApplication(_ options: String...) async throws -> CreatedApplication {
        let arguments = ["application", "create", "Demo", "--json", "--data", folder] + options
        let command =
            try confinement?.start(arguments, beside: process)
            ?? ChildProcess(Program.path(), arguments, environment: keys)
        let finished = try await command.finished()
        guard finished.status == 0 else { throw TestFault(finished.errors) }
        return try finished.json()
    }

    /// Sends a request.
    func send(
        _ method: String, _ path: String, application: String? = nil, token: String? = nil, proof: String? = nil,
        body: String? = nil
    ) async throws -> TransportResponse {
        guard let url = URL(string: url + path) else { throw TestFault("no address: \(path)") }
        var headers: HeaderFields = [:]
        headers["Okaeri-Application"] = application
        headers["Authorization"] = token.map { "Bearer \($0)" }
        headers["DPoP"] = proof
        if body != nil { headers["Content-Type"] = "application/json" }
        return try await Self.transport.send(
            TransportRequest(
                method: method, url: url, headers: headers, body: body.map { Data($0.utf8) }, timeout: .seconds(60)))
    }
}

/// What `okaeri application create --json` prints.
struct CreatedApplication: Codable {
    let id: String
    let name: String
    let adminKey: String
}
