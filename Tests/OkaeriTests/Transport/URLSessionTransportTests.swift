import Foundation
import Okaeri
import Testing

@Suite("The transport over URLSession")
struct URLSessionTransportTests {
    private let transport = URLSessionTransport()

    private func request(_ server: LoopbackServer, _ method: String = "GET", body: Data? = nil) -> TransportRequest {
        TransportRequest(
            method: method, url: server.url.appendingPathComponent("v1/user"),
            headers: ["DPoP": "a.b.c", "Okaeri-Application": "demo"], body: body, timeout: .seconds(120))
    }

    @Test("carries method, path, header fields and body, and brings status, header fields and body back")
    func roundTrip() async throws {
        let server = try LoopbackServer([
            "HTTP/1.1 401 Unauthorized\r\nretry-after: 3\r\ncontent-type: application/problem+json\r\n"
                + "Content-Length: 2\r\nConnection: close\r\n\r\n{}"
        ])
        let answer = try await transport.send(request(server, "PATCH", body: Data(#"{"locale":"ja"}"#.utf8)))
        #expect(answer.status == 401)
        #expect(answer.headers["Retry-After"] == "3")
        #expect(answer.headers["Content-Type"] == "application/problem+json")
        #expect(answer.body == Data("{}".utf8))
        let sent = try #require(server.requests.first)
        #expect(sent.hasPrefix("PATCH /v1/user HTTP/1.1\r\n"))
        #expect(sent.lowercased().contains("\r\ndpop: a.b.c\r\n"))
        #expect(sent.lowercased().contains("\r\nokaeri-application: demo\r\n"))
        #expect(sent.hasSuffix("\r\n\r\n{\"locale\":\"ja\"}"))
    }

    @Test("takes an answer without a body", arguments: ["POST", "DELETE"])
    func noContent(method: String) async throws {
        let server = try LoopbackServer(["HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n"])
        let answer = try await transport.send(request(server, method))
        #expect(answer.status == 204 && answer.body.isEmpty)
        #expect(server.requests.first?.hasPrefix("\(method) /v1/user") == true)
    }

    @Test("keeps no answer and no cookie")
    func noCache() async throws {
        let answer = { (body: String) in
            "HTTP/1.1 200 OK\r\nCache-Control: max-age=600\r\nSet-Cookie: a=b\r\nContent-Length: 1\r\n"
                + "Connection: close\r\n\r\n\(body)"
        }
        let server = try LoopbackServer([answer("1"), answer("2")])
        #expect(try await transport.send(request(server)).body == Data("1".utf8))
        #expect(try await transport.send(request(server)).body == Data("2".utf8))
        #expect(server.requests.allSatisfy { !$0.lowercased().contains("\r\ncookie:") })
    }

    @Test("does not carry secrets to wherever a redirection points")
    func redirection() async throws {
        let other = try LoopbackServer(["HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"])
        let server = try LoopbackServer([
            "HTTP/1.1 307 Temporary Redirect\r\nLocation: \(other.url.absoluteString)/x\r\nContent-Length: 0\r\n"
                + "Connection: close\r\n\r\n"
        ])
        #expect(try await transport.send(request(server)).status == 307)
        #expect(other.requests.isEmpty)
    }

    @Test("takes no more than a mebibyte and a byte of an answer, however long it is", arguments: [true, false])
    func long(isAnnounced: Bool) async throws {
        let length = 8 << 20
        let head = "HTTP/1.1 200 OK\r\n\(isAnnounced ? "Content-Length: \(length)\r\n" : "")Connection: close\r\n\r\n"
        let server = try LoopbackServer([head + String(repeating: "a", count: length)])
        let answer = try await transport.send(request(server))
        #expect(answer.status == 200 && answer.body.count == (1 << 20) + 1)
        // What is not longer comes whole.
        let whole = try LoopbackServer([
            "HTTP/1.1 200 OK\r\nContent-Length: \(1 << 20)\r\nConnection: close\r\n\r\n"
                + String(repeating: "b", count: 1 << 20)
        ])
        #expect(try await transport.send(request(whole)).body == Data(repeating: UInt8(ascii: "b"), count: 1 << 20))
    }

    @Test("tells that no answer came when the connection is closed or refused")
    func unreachable() async throws {
        let server = try LoopbackServer([""])
        let error = await #expect(throws: TransportError.self) { try await transport.send(request(server)) }
        guard case .unreachable = error else {
            Issue.record("another error: \(String(describing: error))")
            return
        }
        let closed = try #require(URL(string: "http://127.0.0.1:1/"))
        let refusal = await #expect(throws: TransportError.self) {
            try await transport.send(TransportRequest(method: "GET", url: closed))
        }
        guard case .unreachable = refusal else {
            Issue.record("another error: \(String(describing: refusal))")
            return
        }
    }

    @Test("sends nothing for a caller that was cancelled before")
    func cancelledBefore() async throws {
        let server = try LoopbackServer(["HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"])
        let sending = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await transport.send(request(server))
        }
        await #expect(throws: TransportError.cancelled) { try await sending.value }
        #expect(server.requests.isEmpty)
    }

    @Test("lets a cancelled caller go while the server keeps it waiting")
    func cancelledWhileWaiting() async throws {
        let server = try LoopbackServer([LoopbackServer.silence])
        let sending = Task { try await transport.send(request(server)) }
        await server.waitForRequest()
        sending.cancel()
        await #expect(throws: TransportError.cancelled) { try await sending.value }
    }

    @Test("tells that the time allowed is over")
    func timeOut() async throws {
        let server = try LoopbackServer([LoopbackServer.silence])
        // The system's timer cannot be injected: this test and the next one wait, for less than a second.
        var impatient = request(server)
        impatient.timeout = .milliseconds(50)
        await #expect(throws: TransportError.timedOut) { try await transport.send(impatient) }
    }

    @Test("does not wait for ever for a response that comes byte by byte")
    func drip() async throws {
        let server = try LoopbackServer([LoopbackServer.drip])
        var impatient = request(server)
        impatient.timeout = .milliseconds(100)
        await #expect(throws: TransportError.timedOut) { try await transport.send(impatient) }
    }
}
