import Domain
import OutboundServices
import Testing

@Suite("The headers of an app's backend")
struct HostileHeaderTests {
    /// Asks as the server sends events and asks hooks: one thread has many transfers.
    private func response(
        at path: String, headers: [(name: String, value: String)] = [], requests: Int = 1
    ) async throws -> Result<WebResponse, WebFault> {
        let server = try await HTTPSServer(for: .right)
        let network = try #require(IPNetwork("127.0.0.0/8"))
        let streams = CurlStreams(
            limits: CurlStreams.Limits(connecting: .seconds(60), silence: .seconds(60), whole: .seconds(120)),
            policy: EgressPolicy(privateNetworks: [network], operatorURLs: []), certificates: server.certificate)
        let url = server.url.replacing("/hooks", with: path)
        let outcome: Result<WebResponse, WebFault>
        do throws(WebFault) {
            let call = WebCall(.post, url, headers: headers, body: "{}")
            outcome = .success(try await StreamCaller(streams, maximumBytes: 100)(call))
        } catch {
            outcome = .failure(error)
        }
        await streams.close()
        #expect(server.requests == requests)
        return outcome
    }

    private func headers(at path: String) async throws -> [String: String] {
        let response = try await response(at: path).get()
        #expect(response.status == 200)
        return response.headers
    }

    @Test("count as not sent when Swift would sort their marks for long")
    func marks() async throws {
        let headers = try await headers(at: "/marks")
        #expect(headers.keys.sorted() == ["content-length", "retry-after"])
        #expect(headers["retry-after"] == "7")
    }

    @Test("of an interim response do not stand in the way of those of the response")
    func hints() async throws {
        let headers = try await headers(at: "/hints")
        #expect(headers == ["content-length": "0", "retry-after": "7"])
    }

    /// libcurl keeps every one of them, for as long as the transfer takes.
    @Test("that come behind the body end the transfer when they are many")
    func trailers() async throws {
        guard case .failure(.unreachable(let reason)) = try await response(at: "/trailers") else {
            Issue.record("100,000 trailers were taken")
            return
        }
        // Nobody has to look for a full disk.
        #expect(reason == "it answers with more than is read")
    }

    /// Frames of HTTP/2 that are no response, and an exchange of keys by numbers that the server chooses, keep the thread of the
    /// transfer at work.
    @Test("come by HTTP/1.1, over a connection whose keys the server does not make expensive")
    func hello() async throws {
        let headers = try await headers(at: "/hello")
        #expect(headers["x-protocol"] == "http/1.1")
        let ciphers = try #require(headers["x-ciphers"]).split(separator: ":")
        #expect(ciphers.contains { $0.hasPrefix("ECDHE-") })
        #expect(ciphers.filter { $0.hasPrefix("DHE-") } == [])
    }

    @Test(
        "are sent only where none of them has the end of its line within",
        arguments: ["\r\nX-More: 1", "\n", "\u{0}"])
    func lines(end: String) async throws {
        let headers = [(name: "Authorization", value: "Bearer a\(end)")]
        guard case .failure(.unreachable) = try await response(at: "/hooks", headers: headers, requests: 0) else {
            Issue.record("the request was sent")
            return
        }
    }
}
