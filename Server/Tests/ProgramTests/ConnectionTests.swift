import Foundation
import Glibc
import Okaeri
import Testing

/// What strangers can do to the process itself with nothing but connections.
@Suite("okaeri serve and its connections")
struct ConnectionTests {
    private let folder = TestFolder()

    @Test("answers that nobody takes do not fill its memory, and others are served meanwhile")
    func neverRead() async throws {
        let server = try await TestServer(
            data: folder.path, options: ["--write-timeout", "3", "--idle-timeout", "120"])
        for _ in 0..<20 { #expect(try await server.send("GET", "/health/live").status == 200) }
        let before = try Self.residentBytes(server.process.id)
        // Twelve megabytes of requests for each connection; a decoded one takes half a kilobyte, its answer as much.
        let requests = Array(String(repeating: "GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n", count: 1000).utf8)
        var open = try (0..<8).map { _ in try RawConnection(port: server.port) }
        var (most, sent, slowest) = (0, 0, Duration.zero)
        let end = ContinuousClock.now + .seconds(600)
        while !open.isEmpty, ContinuousClock.now < end {
            open = open.filter { connection in
                guard sent < 96_000_000 else { return connection.offer([0x78]) != nil }
                guard let count = connection.offer(requests) else { return false }
                sent += count
                return true
            }
            most = max(most, try Self.residentBytes(server.process.id) - before)
            let start = ContinuousClock.now
            #expect(try await server.send("GET", "/health/live").status == 200)
            slowest = max(slowest, start.duration(to: .now))
        }
        #expect(open.isEmpty, "the server kept connections whose client never read")
        #expect(most < 48_000_000, "\(most) bytes more for \(sent) bytes of requests")
        // Far more than a busy machine needs, far less than the 120 seconds for which such a client could hold others up.
        #expect(slowest < .seconds(20), "\(slowest)")
        #expect(try await server.stop() == 0)
    }

    @Test("a system that gives it few files costs it connections, and neither its life nor its processor")
    func fewFiles() async throws {
        let server = try await TestServer(data: folder.path, confinement: .files(200))
        #expect(server.process.errors.contains("too few files"))
        var open = try (0..<400).map { _ in try RawConnection(port: server.port) }
        let kept = try await eventually("the refusals") { () -> Int? in
            let kept = open.count { !$0.isRefused }
            return kept <= 100 ? kept : nil
        }
        #expect(kept > 50, "\(kept)")
        #expect(server.process.errors.contains("connections are refused"))
        // A loop of refusals would never be quiet.
        var (begin, before) = (ContinuousClock.now, try Self.processorTicks(server.process.id))
        _ = try await eventually("a second without a request and without work") { () -> Bool? in
            let (now, ticks) = (ContinuousClock.now, try Self.processorTicks(server.process.id))
            guard begin.duration(to: now) >= .seconds(1) else { return nil }
            let used = ticks - before
            (begin, before) = (now, ticks)
            return used < sysconf(Int32(_SC_CLK_TCK)) / 2 ? true : nil
        }
        open.removeAll()
        _ = try await eventually("the next answer") {
            try await server.send("GET", "/health/live").status == 200 ? true : nil
        }
        #expect(try await server.stop() == 0)
    }

    private static func residentBytes(_ process: Int32) throws -> Int {
        let words = try String(contentsOfFile: "/proc/\(process)/statm", encoding: .utf8).split(separator: " ")
        guard words.count > 1, let pages = Int(words[1]) else { throw TestFault("no memory of \(process)") }
        return pages * sysconf(Int32(_SC_PAGESIZE))
    }

    private static func processorTicks(_ process: Int32) throws -> Int {
        let text = try String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
        // Behind the name in brackets: state, and eleven numbers before the times of user and system.
        let words = text.split(separator: ")").last?.split(separator: " ") ?? []
        guard words.count > 12, let user = Int(words[11]), let system = Int(words[12]) else {
            throw TestFault("no times of \(process)")
        }
        return user + system
    }
}
