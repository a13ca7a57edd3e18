import Foundation
import Glibc
import Okaeri
import OkaeriWire
import Testing

@Suite("okaeri serve")
struct ServeTests {
    private let folder = TestFolder()

    @Test("tells where it serves, and leaves no server.json behind")
    func startMessages() async throws {
        let server = try await TestServer(data: folder.path)
        let output = try await eventually("the start message") {
            server.process.output.contains("Ctrl-C") ? server.process.output : nil
        }
        #expect(output.contains(server.url))
        #expect(output.contains(folder.path))
        #expect(try await server.stop() == 0)
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/server.json"))
    }

    @Test("warns when rate limits are off, when networks hold everybody, and when it does not know its own address")
    func warnings() async throws {
        let loopback = try await TestServer(
            data: folder.path,
            options: [
                "--rate-limits", "off", "--trusted-proxies", "0.0.0.0/0", "--allow-private-networks", "0.0.0.0/0,::/0",
            ], environment: ["OKAERI_LOG_LEVL": "debug"])
        for words in [
            "RATE LIMITS ARE OFF", "EVERYBODY COUNTS AS A PROXY", "ADDRESSES MAY LEAD EVERYWHERE",
            "Did you mean OKAERI_LOG_LEVEL?",
        ] {
            #expect(loopback.process.errors.contains(words))
        }
        try await loopback.stop()
        let open = try ChildProcess(
            Program.path(), ["serve", "--listen", "0.0.0.0:0", "--data", folder.path, "--json"])
        // Before it serves, a signal would end it as it ends any program.
        _ = try await eventually("the start message") { open.output.contains("url") ? true : nil }
        #expect(open.errors.contains("public-url"))
        // No browser opens 0.0.0.0.
        let started = try #require(
            try JSONSerialization.jsonObject(with: Data(open.output.utf8)) as? [String: Any])
        let url = try #require(started["url"] as? String)
        #expect(url.hasPrefix("http://127.0.0.1:"))
        #expect((started["setUpLink"] as? String)?.hasPrefix("\(url)/dashboard/set-up?token=") == true)
        let described = try String(contentsOfFile: folder.path + "/server.json", encoding: .utf8)
        #expect(described.contains("\"\(url)\""))
        open.signal(SIGTERM)
        #expect(try await open.status() == 0)
    }

    @Test("gives back the pages of its program that only the start needed, and serves on")
    func memoryAfterStart() async throws {
        let (server, start) = try await justStarted()
        let later = try await eventually("the pages that are given back") { () -> Int? in
            // It says so when it has given all of them back.
            guard server.process.errors.contains("memory is given back") else { return nil }
            let now = try Self.residentFileBytes(server.process.id)
            return now < start / 2 ? now : nil
        }
        #expect(try await server.send("GET", "/health/ready").status == 200)
        // What is used again is there again.
        #expect(try Self.residentFileBytes(server.process.id) > later)
        #expect(try await server.stop() == 0)
    }

    /// A server, and what it held of its files before it gave pages back, two seconds after its start. Who looks later, on a
    /// crowded machine, starts another one.
    private func justStarted() async throws -> (server: TestServer, fileBytes: Int) {
        while true {
            let server = try await TestServer(data: folder.path, environment: ["OKAERI_LOG_LEVEL": "debug"])
            let bytes = try Self.residentFileBytes(server.process.id)
            if !server.process.errors.contains("memory is given back") { return (server, bytes) }
            try await server.stop()
        }
    }

    /// How much of its program and libraries a process holds in memory.
    private static func residentFileBytes(_ process: Int32) throws -> Int {
        let lines = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8).split(separator: "\n")
        let line = lines.first { $0.hasPrefix("RssFile:") }
        guard let kibibytes = line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap({ Int($0) }) else {
            throw TestFault("no RssFile of \(process)")
        }
        return kibibytes * 1024
    }

    @Test("finds the same data after a restart")
    func restart() async throws {
        let phone = Phone()
        let first = try await TestServer(data: folder.path)
        let application = try await first.makeApplication().id
        let before = try await phone.loggedIn(at: first, application: application)
        #expect(before.isNew)
        #expect(try await first.stop() == 0)

        let second = try await TestServer(data: folder.path)
        let known = try await second.send("GET", "/v1/user", application: application, token: before.session.token)
        #expect(known.status == 200)
        let after = try await phone.loggedIn(at: second, application: application)
        #expect(!after.isNew)
        #expect(after.user.id == before.user.id)
        #expect(after.previousLogInAt == before.user.lastLogInAt)
    }

    @Test("ends what is under way before it stops, and leaves a tidy database", arguments: [SIGTERM, SIGINT])
    func gracefulStop(_ signal: Int32) async throws {
        let server = try await TestServer(data: folder.path, options: ["--request-timeout", "120"])
        let application = try await server.makeApplication().id
        let body = #"{"user":{"displayName":"はな"}}"#
        let connection = try RawConnection(port: server.port)
        // The head and half of the body: the server waits for the rest when the signal comes.
        try connection.send(
            """
            POST /v1/log-in/automatic HTTP/1.1\r
            Host: 127.0.0.1:\(server.port)\r
            Okaeri-Application: \(application)\r
            DPoP: \(try Phone().proof(for: server))\r
            Content-Type: application/json\r
            Content-Length: \(body.utf8.count)\r
            Connection: close\r
            \r
            \(body.prefix(10))
            """)
        // The other event loop takes the request while this one answers questions, on a busy machine too.
        for _ in 0..<20 { #expect(try await server.send("GET", "/health/live").status == 200) }
        server.process.signal(signal)
        _ = try await eventually("the server's goodbye") {
            (try? RawConnection(port: server.port)) == nil ? true : nil
        }
        #expect(server.process.isRunning)
        try connection.send(String(body.dropFirst(10)))
        let answer = try await connection.rest()
        #expect(answer.hasPrefix("HTTP/1.1 201 "), "\(answer)")
        #expect(answer.contains("はな"))
        #expect(try await server.process.status() == 0)
        let log = try? FileManager.default.attributesOfItem(atPath: folder.path + "/okaeri.sqlite-wal")[.size] as? Int
        #expect((log ?? 0) == 0, "the write-ahead log is emptied")
    }

    @Test("names the setting when another program has the address of the metrics, and does not say that it serves")
    func metricsPortTaken() async throws {
        let first = try await TestServer(data: folder.path)
        let (taken, other) = ("127.0.0.1:\(first.port)", TestFolder())
        let refused = try await Program.run(
            "serve", "--data", other.path, "--listen", "127.0.0.1:0", "--metrics-listen", taken)
        #expect(refused.status == 1 && refused.output.isEmpty, "\(refused.output)")
        #expect(
            refused.errors.contains("metrics-listen (OKAERI_METRICS_LISTEN) is \(taken), which is in use"),
            "\(refused.errors)")
        #expect(try await first.stop() == 0)
    }

    @Test("refuses a port that is taken, with --next-free-port takes another and says so")
    func portTaken() async throws {
        let first = try await TestServer(data: folder.path)
        let listen = ["--listen", "127.0.0.1:\(first.port)"]
        let otherFolder = TestFolder()
        let refused = try await Program.run(["serve", "--data", otherFolder.path] + listen)
        #expect(refused.status == 1)
        #expect(refused.output.isEmpty)
        #expect(refused.errors.contains("okaeri: 127.0.0.1:\(first.port) is in use by another program."))
        #expect(refused.errors.contains("--next-free-port"))

        let second = try await TestServer(data: otherFolder.path, options: ["--next-free-port"] + listen)
        #expect(second.port > first.port)
        let output = try await eventually("the start message") {
            second.process.output.contains("Ctrl-C") ? second.process.output : nil
        }
        #expect(output.contains("Port \(first.port) is taken by another program; the server takes \(second.port)"))
        #expect(try await second.stop() == 0)
    }

    @Test("says why an address cannot be listened on in the system's words, and names it as the setting does")
    func strangeAddress() async throws {
        // Of no machine (RFC 5737 §3, RFC 3849).
        for address in ["192.0.2.1", "[2001:db8::1]"] {
            let refused = try await Program.run("serve", "--data", folder.path, "--listen", "\(address):21317")
            #expect(refused.status == 1, "\(refused.errors)")
            #expect(refused.errors.contains("okaeri: \(address):21317 cannot be listened on: "), "\(refused.errors)")
            #expect(!refused.errors.contains("errno") && refused.errors.contains(". Choose another address"))
        }
    }

    @Test("refuses a data folder that another server uses")
    func secondServer() async throws {
        let first = try await TestServer(data: folder.path)
        let second = try await Program.run("serve", "--data", folder.path, "--listen", "127.0.0.1:0")
        #expect(second.status == 1)
        #expect(second.errors.contains("okaeri: Another Okaeri server runs on the data folder \(folder.path)."))
        #expect(try await first.send("GET", "/health/ready").status == 200)
    }

    @Test(
        "refuses settings that cannot be used",
        arguments: [
            ["--listen", "here"], ["--public-url", "ftp://example.com"], ["--log-level", "loud"],
            ["--rate-limits", "off", "--listen", "0.0.0.0:0"], ["--config", "/nowhere.json"], ["--nothing"],
        ])
    func badSettings(_ options: [String]) async throws {
        let finished = try await Program.run(["serve", "--data", folder.path] + options)
        #expect(finished.status == 2)
        #expect(finished.output.isEmpty)
        #expect(finished.errors.hasPrefix("okaeri: "), "\(finished.errors)")
    }
}
