import Domain
import Foundation
import HTTPSupport
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import OkaeriWire
import Testing

@Suite("Addresses of clients and of the server")
struct AddressTests {
    @Test(
        "reads and writes addresses",
        arguments: [
            ("192.0.2.7", "192.0.2.7"), (" 192.0.2.7 ", "192.0.2.7"), ("192.0.2.7:4711", "192.0.2.7"),
            ("::1", "::1"), ("[::1]", "::1"), ("[2001:db8::1]:443", "2001:db8::1"), ("::ffff:192.0.2.7", "192.0.2.7"),
            ("2001:DB8:0:0:1:0:0:1", "2001:db8::1:0:0:1"), ("::", "::"),
            ("2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"),
        ])
    func addresses(text: String, form: String) {
        #expect(IPAddress(text)?.text == form)
    }

    @Test(
        "refuses what is no address",
        arguments: [
            "", " ", "localhost", "192.0.2", "192.0.2.256", "1.2.3.4.5", "2001:db8", "[::1", "::1]", "unknown",
            "_hidden",
            "192.0.2.7/24", String(repeating: "1", count: 100),
        ])
    func noAddresses(text: String) {
        #expect(IPAddress(text) == nil)
    }

    @Test(
        "gives an IPv6 /64 network one allowance",
        arguments: [
            ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"), ("192.0.2.7", "192.0.2.7"),
            ("::ffff:192.0.2.7", "192.0.2.7"),
            ("fe80::1", "fe80::/64"),
        ])
    func allowanceGroups(text: String, group: String) {
        #expect(IPAddress(text)?.allowanceGroup == group)
    }

    @Test(
        "gives an IPv6 address the /48 network of its site",
        arguments: [
            ("2001:db8:1:2:3:4:5:6", "2001:db8:1::/48"), ("192.0.2.7", nil), ("::ffff:192.0.2.7", nil),
            ("fe80::1", "fe80::/48"),
        ] as [(String, String?)])
    func siteGroups(text: String, group: String?) {
        #expect(IPAddress(text)?.siteGroup == group)
    }

    @Test(
        "counts a client for its IPv4 address or its /48 network, and this machine for none",
        arguments: [
            ("2001:db8:1:2::3", "2001:db8:1::/48"), ("192.0.2.7", "192.0.2.7"), ("127.0.0.1", nil), ("::1", nil),
        ] as [(String, String?)])
    func networks(text: String, network: String?) throws {
        let address = try #require(IPAddress(exactly: text))
        #expect(ClientAddress(address).network == network)
        #expect(ClientAddress(text: text, allowanceGroup: address.allowanceGroup) == ClientAddress(address))
        #expect(ClientAddress.local.network == nil)
    }

    @Test(
        "knows what a network contains",
        arguments: [
            ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.1", false),
            ("10.0.0.0/8", "::ffff:10.1.2.3", true),
            ("192.0.2.7", "192.0.2.7", true), ("192.0.2.7", "192.0.2.8", false), ("0.0.0.0/0", "203.0.113.1", true),
            ("0.0.0.0/0", "2001:db8::1", false), ("2001:db8::/32", "2001:db8:ffff::1", true),
            ("2001:db8::/32", "2001:db9::1", false), ("::1", "::1", true),
            ("2001:db8::/65", "2001:db8:0:0:8000::1", false),
            ("::/0", "192.0.2.1", true),
        ])
    func networks(network: String, address: String, isInside: Bool) throws {
        let (network, address) = (try #require(IPNetwork(network)), try #require(IPAddress(address)))
        #expect(network.contains(address) == isInside)
    }

    @Test(
        "refuses what is no network",
        arguments: ["", "10.0.0.0/33", "::/129", "10.0.0.0/-1", "10/8", "a/b", "10.0.0.0/8/8"])
    func noNetworks(text: String) {
        #expect(IPNetwork(text) == nil)
    }

    @Test(
        "finds the client behind trusted proxies",
        arguments: [
            (nil, "10.0.0.1", "10.0.0.1"),
            ("198.51.100.1", "10.0.0.1", "198.51.100.1"),
            ("203.0.113.1, 198.51.100.1", "10.0.0.1", "198.51.100.1"),
            ("198.51.100.1, 10.0.0.2", "10.0.0.1", "198.51.100.1"),
            ("198.51.100.1,10.0.0.3 , 10.0.0.2", "10.0.0.1", "198.51.100.1"),
            ("10.0.0.3, 10.0.0.2", "10.0.0.1", "10.0.0.3"),
            ("198.51.100.1, unknown, 10.0.0.2", "10.0.0.1", "10.0.0.2"),
            ("unknown", "10.0.0.1", "10.0.0.1"),
            ("e\(String(repeating: "\u{301}", count: 31)), 198.51.100.1", "10.0.0.1", "198.51.100.1"),
            ("\(String(repeating: "\u{301}", count: 9000)),198.51.100.1, 10.0.0.2", "10.0.0.1", "198.51.100.1"),
            ("\u{301}, \u{fffd}\u{fffd}, 198.51.100.1", "10.0.0.1", "198.51.100.1"),
            ("198.51.100.1, e\(String(repeating: "\u{301}", count: 31))", "10.0.0.1", "10.0.0.1"),
            ("2001:db8::7", "10.0.0.1", "2001:db8::7"),
            ("[2001:db8::7]:4711", "10.0.0.1", "2001:db8::7"),
            ("198.51.100.1", "::ffff:10.0.0.1", "198.51.100.1"),
            ("198.51.100.1", "192.0.2.1", "192.0.2.1"),
        ] as [(String?, String, String)])
    func clients(forwarded: String?, peer: String, client: String) throws {
        let proxies = TrustedProxies([try #require(IPNetwork("10.0.0.0/8"))])
        var fields = HTTPFields()
        fields[.forwardedFor] = forwarded
        let found = proxies.client(of: Self.request(fields), try Self.context(peer))
        #expect(found.text == client)
    }

    @Test("believes several X-Forwarded-For headers in their order")
    func severalHeaders() throws {
        let proxies = TrustedProxies([try #require(IPNetwork("10.0.0.0/8"))])
        var fields = HTTPFields()
        fields.append(HTTPField(name: .forwardedFor, value: "203.0.113.1"))
        fields.append(HTTPField(name: .forwardedFor, value: "198.51.100.1"))
        #expect(proxies.client(of: Self.request(fields), try Self.context("10.0.0.1")).text == "198.51.100.1")
    }

    @Test(
        "takes forwarded scheme and host from a trusted proxy alone",
        arguments: [
            ("10.0.0.1", "https://app.example/v1/user"), ("192.0.2.1", "http://inner.test/v1/user"),
        ])
    func targets(peer: String, target: String) throws {
        let proxies = TrustedProxies([try #require(IPNetwork("10.0.0.0/8"))])
        let address = try #require(PublicAddress(nil, proxies: proxies))
        var fields = HTTPFields()
        fields[.forwardedProto] = "http, https"
        fields[.forwardedHost] = "evil.example, app.example"
        #expect(address.target(of: Self.request(fields), try Self.context(peer)) == ProofTarget(target))
    }

    @Test(
        "finds what a listed proxy wrote behind whatever its client had sent",
        arguments: [
            "evil.example\u{0600}", "\u{0600}", "evil.example\u{037E}", String(repeating: "\u{301}", count: 40), "",
        ])
    func hostileHops(sent: String) throws {
        let proxies = TrustedProxies([try #require(IPNetwork("10.0.0.0/8"))])
        let address = try #require(PublicAddress(nil, proxies: proxies))
        var fields = HTTPFields()
        fields.append(HTTPField(name: .forwardedProto, value: sent))
        fields.append(HTTPField(name: .forwardedProto, value: "https"))
        fields[.forwardedHost] = "\(sent),app.example"
        let target = address.target(of: Self.request(fields), try Self.context("10.0.0.1"))
        #expect(target == ProofTarget("https://app.example/v1/user"))
    }

    @Test("accepts only the configured address, whatever Host and proxies say")
    func configured() throws {
        let proxies = TrustedProxies([try #require(IPNetwork("10.0.0.0/8"))])
        let address = try #require(PublicAddress("https://ID.example:443/auth/", proxies: proxies))
        var fields = HTTPFields()
        fields[.forwardedHost] = "evil.example"
        let target = address.target(of: Self.request(fields), try Self.context("10.0.0.1"))
        #expect(target == ProofTarget("https://id.example/auth/v1/user"))
    }

    @Test("refuses a proof for another address than the configured one")
    func configuredProof() async throws {
        let server = try await TestServer(settings: ["public-url": "https://id.example"])
        expect(try await server.logIn(ProofMaker()), 401, .proofInvalid)
        let proof = try ProofMaker().proof("POST", "https://id.example/v1/log-in/automatic", at: server.clock.now)
        #expect(try await server.send(.post, APIPath.logInAutomatically, [("DPoP", proof)]).status == 201)
    }

    @Test("takes a proof for the address that a listed proxy tells, and of nobody else")
    func forwardedProof() async throws {
        let server = try await TestServer(settings: ["trusted-proxies": "10.0.0.0/8"])
        func logIn(_ target: String, peer: String) async throws -> Answer {
            let proof = try ProofMaker().proof("POST", target + APIPath.logInAutomatically, at: server.clock.now)
            return try await server.send(
                .post, APIPath.logInAutomatically,
                [("DPoP", proof), ("X-Forwarded-Proto", "https"), ("X-Forwarded-Host", "app.example")], peer: peer)
        }
        #expect(try await logIn("https://app.example", peer: "10.1.2.3").status == 201)
        expect(try await logIn(TestServer.url, peer: "10.1.2.3"), 401, .proofInvalid)
        expect(try await logIn("https://app.example", peer: "192.0.2.77"), 401, .proofInvalid)
        #expect(try await logIn(TestServer.url, peer: "192.0.2.77").status == 201)
    }

    private static func request(_ fields: HTTPFields) -> Request {
        Request(
            head: HTTPRequest(
                method: .get, scheme: "http", authority: "inner.test", path: "/v1/user?query=1", headerFields: fields),
            body: RequestBody(buffer: ByteBuffer()))
    }

    private static func context(_ peer: String) throws -> ServerContext {
        ServerContext(logger: TestServer.silence, peer: try SocketAddress(ipAddress: peer, port: 1))
    }
}
