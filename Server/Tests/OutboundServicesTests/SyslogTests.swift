import Domain
import Foundation
import OutboundServices
import Synchronization
import Testing

@Suite("The audit log by syslog")
struct SyslogTests {
    private static func line(_ number: Int64 = 7, details: [String: String] = [:], isRefusal: Bool = false) throws
        -> AuditLine
    {
        let digest = try #require(SecretDigest(stored: [UInt8](repeating: 1, count: 32)))
        let entry = AuditEntry(
            id: Identifier(rawValue: "entry"), application: Identifier(rawValue: "app"),
            at: Timestamp(milliseconds: 1_614_265_330_123),
            by: Operator(
                actor: .operator, origin: RequestOrigin(address: "192.0.2.1", userAgent: "a\nb", requestId: "r1")),
            did: AuditEntry.Act(
                .sessionEnded, on: .session(Identifier(rawValue: "s1")), result: isRefusal ? .refused : .done,
                details: details), seal: digest)
        return AuditLine(ChainedAuditEntry(entry: entry, number: number, digest: digest))
    }

    @Test("reads where the server is, and refuses what is none")
    func addresses() {
        #expect(SyslogAddress("syslog+udp://log.example.com") == .udp(host: "log.example.com", port: 514))
        #expect(SyslogAddress("syslog+udp://[2001:db8::1]:5514") == .udp(host: "2001:db8::1", port: 5514))
        #expect(SyslogAddress("syslog+tcp://log.example.com/") == .tcp(host: "log.example.com", port: 601))
        #expect(SyslogAddress("syslog+unix:///dev/log") == .unix(path: "/dev/log"))
        for text in [
            "", "syslog://log.example.com", "syslog+udp://", "syslog+udp://log.example.com/path", "syslog+udp://a:0",
            "syslog+tcp://user@log.example.com", "syslog+tcp://log.example.com?tls=1", "syslog+unix://dev/log",
            "syslog+unix:///", "syslog+unix:///" + String(repeating: "a", count: 200), "syslog+tcp://a:99999",
            "https://log.example.com",
        ] { #expect(SyslogAddress(text) == nil, "\(text)") }
    }

    @Test("sends a message of RFC 5424 for each entry, one datagram each")
    func datagrams() async throws {
        let server = try Listener(.datagrams)
        let receiver = SyslogReceiver(.udp(host: "127.0.0.1", port: server.port), host: "node 1", process: 42)
        #expect(await receiver.send([try Self.line(), try Self.line(8, isRefusal: true)]) == nil)
        let head = " 2021-02-25T15:02:10.123Z node1 okaeri 42 audit - {"
        let first = try server.read()
        #expect(first.hasPrefix("<110>1" + head) && first.hasSuffix("}") && !first.contains("\n"), "\(first)")
        #expect(first.contains(#""number":7"#) && first.contains(#""application":"app""#), "\(first)")
        #expect(first.contains(#""action":"session.ended""#) && first.contains(#""userAgent":"a\nb""#), "\(first)")
        #expect(try server.read().hasPrefix("<109>1" + head))
        await receiver.close()
    }

    @Test("leaves details out of an entry that is too long for the way, and says so")
    func longEntry() async throws {
        let server = try Listener(.datagrams)
        let receiver = SyslogReceiver(.udp(host: "127.0.0.1", port: server.port), host: "", process: 1)
        let line = try Self.line(details: ["names": String(repeating: "n", count: 5000)])
        #expect(await receiver.send([line]) == nil)
        let message = try server.read()
        #expect(message.utf8.count < 2048 && message.contains(#""isShortened":true"#) && message.contains("Z - okaeri"))
        await receiver.close()
    }

    @Test("tells messages of a stream apart by their lengths, and connects again after the server has hung up")
    func stream() async throws {
        let server = try Listener(.stream)
        let receiver = SyslogReceiver(.tcp(host: "127.0.0.1", port: server.port), host: "node", process: 1)
        for number in 1...2 {
            #expect(await receiver.send([try Self.line(Int64(number))]) == nil)
            let message = try server.read()
            let space = try #require(message.firstIndex(of: " "))
            #expect(Int(message[..<space]) == message[space...].dropFirst().utf8.count, "\(message)")
            server.hangUp()
        }
        await receiver.close()
    }

    @Test("sends to a socket of this machine", arguments: [Listener.Kind.datagrams, .stream])
    func localSocket(_ kind: Listener.Kind) async throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("log-\(UUID().uuidString.prefix(8))")
            .path
        defer { unlink(path) }
        let server = try Listener(kind, path: path)
        let receiver = SyslogReceiver(.unix(path: path), host: "node", process: 1)
        #expect(await receiver.send([try Self.line()]) == nil)
        #expect(try server.read().contains("<110>1 "))
        await receiver.close()
    }

    @Test(
        "says what is wrong when there is no server",
        arguments: [SyslogAddress.tcp(host: "127.0.0.1", port: 9), .unix(path: "/nowhere/log")])
    func nobody(_ address: SyslogAddress) async throws {
        let receiver = SyslogReceiver(address, host: "node", process: 1)
        #expect(await receiver.send([try Self.line()])?.contains("cannot be reached") == true)
        await receiver.close()
    }

    @Test(
        "is not held up by a server that takes nothing, or takes it byte by byte: what is left comes again",
        .timeLimit(.minutes(20)), arguments: [0, 256])
    func tarPit(_ bytesAtOnce: Int) async throws {
        let server = try Listener(.stream)
        let patience = Duration.seconds(2)
        let receiver = SyslogReceiver(
            .tcp(host: "127.0.0.1", port: server.port), host: "node", process: 1, patience: patience)
        let reader = bytesAtOnce > 0 ? server.readSlowly(bytesAtOnce) : nil
        // More than the system's own buffers hold.
        let line = try Self.line(details: ["names": String(repeating: "n", count: 7000)])
        let begin = ContinuousClock.now
        let fault = await receiver.send([AuditLine](repeating: line, count: 4000))
        #expect(fault?.contains("does not take a message") == true)
        #expect(begin.duration(to: .now) < .seconds(60))
        reader?.cancel()
        // A connection of its own follows: what came before has no end.
        server.hangUp()
        #expect(await receiver.send([try Self.line()]) == nil)
        await receiver.close()
    }

    @Test("goes to a webhook as signed lines of JSON")
    func webhook() throws {
        let line = try Self.line(details: ["a": "b"])
        let members = try #require(
            try JSONSerialization.jsonObject(with: Data(line.json.utf8)) as? [String: Any])
        #expect(
            Set(members.keys) == [
                "application", "number", "digest", "id", "at", "actor", "action", "target", "result", "address",
                "userAgent", "requestId", "details",
            ])
        #expect(members["at"] as? String == "2021-02-25T15:02:10.123Z" && !line.json.contains("\n"))
    }

    /// A syslog server on this machine that reads what it is sent.
    final class Listener {
        enum Kind: Sendable { case datagrams, stream }

        private let descriptor: Int32
        private let kind: Kind
        private var connection: Int32 = -1
        private(set) var port = 0

        init(_ kind: Kind, path: String? = nil) throws {
            self.kind = kind
            let type = Int32(kind == .stream ? SOCK_STREAM.rawValue : SOCK_DGRAM.rawValue)
            descriptor = socket(path == nil ? AF_INET : AF_UNIX, type, 0)
            var limit = timeval()
            limit.tv_sec = 10
            setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
            if let path {
                var address = sockaddr_un()
                address.sun_family = sa_family_t(AF_UNIX)
                withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
                try bind(&address)
            } else {
                var address = sockaddr_in()
                address.sin_family = sa_family_t(AF_INET)
                address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
                try bind(&address)
                var length = socklen_t(MemoryLayout<sockaddr_in>.size)
                withUnsafeMutablePointer(to: &address) { pointer in
                    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                        _ = getsockname(descriptor, $0, &length)
                    }
                }
                port = Int(UInt16(bigEndian: address.sin_port))
            }
            if kind == .stream { listen(descriptor, 4) }
        }

        deinit {
            hangUp()
            close(descriptor)
        }

        private func bind<Address>(_ address: inout Address) throws {
            let outcome = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    Foundation.bind(descriptor, $0, socklen_t(MemoryLayout<Address>.size))
                }
            }
            try #require(outcome == 0, "\(String(cString: strerror(errno)))")
        }

        /// What comes next.
        func read() throws -> String {
            if kind == .stream, connection < 0 { connection = accept(descriptor, nil, nil) }
            var bytes = [UInt8](repeating: 0, count: 65_536)
            let count = recv(kind == .stream ? connection : descriptor, &bytes, bytes.count, 0)
            try #require(count > 0, "\(String(cString: strerror(errno)))")
            return String(decoding: bytes.prefix(count), as: UTF8.self)
        }

        /// Takes the next connection, and reads a little of it again and again.
        func readSlowly(_ count: Int) -> Thread {
            let descriptor = descriptor
            let thread = Thread {
                let connection = accept(descriptor, nil, nil)
                var bytes = [UInt8](repeating: 0, count: count)
                while !Thread.current.isCancelled, recv(connection, &bytes, count, 0) > 0 { usleep(1000) }
                close(connection)
            }
            thread.start()
            return thread
        }

        func hangUp() {
            if connection >= 0 { close(connection) }
            connection = -1
        }
    }
}
