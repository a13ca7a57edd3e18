import Domain
import OutboundServices
import Testing

@Suite("The headers of an app's backend")
struct HostileHeaderTests {
    /// Asks as the server sends events and asks hooks: one thread has the transfers of all applications.
    private func headers(at path: String) async throws -> [String: String] {
        let server = try await HTTPSServer(for: .right)
        let network = try #require(IPNetwork("127.0.0.0/8"))
        let streams = CurlStreams(
            limits: CurlStreams.Limits(connecting: .seconds(60), silence: .seconds(60), whole: .seconds(120)),
            policy: EgressPolicy(privateNetworks: [network], operatorURLs: []), certificates: server.certificate)
        let url = server.url.replacing("/hooks", with: path)
        let response = try await StreamCaller(streams, maximumBytes: 100)(WebCall(.post, url, body: "{}"))
        await streams.close()
        #expect(response.status == 200 && server.requests == 1)
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
}
