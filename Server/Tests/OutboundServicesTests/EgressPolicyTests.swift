import Domain
import OutboundServices
import Testing

/// Requirement 44: what a tenant's address must never lead to.
@Suite("Whom the server may ask")
struct EgressPolicyTests {
    private static let strict = EgressPolicy(privateNetworks: [], operatorURLs: [])

    private func permits(_ policy: EgressPolicy, _ address: String, _ scheme: String = "https") throws -> Bool {
        // A name tells nothing: the address decides when the connection is made.
        let wide = EgressPolicy(privateNetworks: [try #require(IPNetwork("203.0.113.0/24"))], operatorURLs: [])
        let target = try #require((scheme == "http" ? wide : policy).target(of: "\(scheme)://id.example.com/"))
        return policy.permits(try #require(IPAddress(exactly: address)), for: target)
    }

    @Test(
        "is no address of this machine, a network of its own, a cloud's metadata, a group, or nobody",
        arguments: [
            "0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.100.100.200", "100.127.255.255",
            "127.0.0.1", "127.255.255.254", "169.254.169.254", "169.254.0.1", "172.16.0.1", "172.31.255.255",
            "192.0.0.192",
            "192.0.2.1", "192.88.99.1", "192.168.1.1", "198.18.0.1", "198.19.255.255", "198.51.100.7", "203.0.113.7",
            "224.0.0.1", "239.255.255.250", "240.0.0.1", "255.255.255.255", "168.63.129.16",
            "::", "::1", "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254",
            "::ffff:0:10.0.0.1",
            "64:ff9b::127.0.0.1", "64:ff9b::10.0.0.1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::1", "100::1", "2001::1",
            "2001:0:4136:e378:8000:63bf:3fff:fdd2", "2001:2::1", "2001:10::1", "2001:20::1", "2001:db8::1",
            "2002:7f00:1::1", "2002:a00:1::1", "2002:a9fe:a9fe::1", "3fff::1", "5f00::1", "fc00::1", "fd00:ec2::254",
            "fd20:ce::254", "fe80::1", "fec0::1", "ff02::1", "4000::1", "e000::1",
        ])
    func special(address: String) throws {
        #expect(try !permits(Self.strict, address))
        #expect(try !permits(Self.strict, address, "http"))
    }

    @Test(
        "is every public address by https, and none by http",
        arguments: [
            "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255",
            "128.0.0.0", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "192.0.1.0",
            "192.167.255.255",
            "192.169.0.0", "198.17.255.255", "198.20.0.0", "223.255.255.255", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8",
            "2002:808:808::1", "2001:200::1", "2001:4860:4860::8888", "2606:4700:4700::1111", "2a00::1", "3ffe::1",
        ])
    func general(address: String) throws {
        #expect(try permits(Self.strict, address))
        #expect(try !permits(Self.strict, address, "http"))
    }

    @Test(
        "is also what the operator permits, by either scheme, and in no other form than that",
        arguments: [
            ("10.20.0.0/16", "10.20.1.1", true), ("10.20.0.0/16", "10.21.1.1", false),
            ("10.20.0.0/16", "::ffff:10.20.1.1", true), ("10.20.0.0/16", "64:ff9b::10.20.1.1", true),
            ("10.20.0.0/16", "64:ff9b::10.21.1.1", false), ("fd00::/8", "fd12::1", true),
            ("fd00::/8", "fc00::1", false),
            ("127.0.0.1", "127.0.0.1", true), ("127.0.0.1", "127.0.0.2", false), ("::1", "127.0.0.1", false),
        ])
    func permitted(network: String, address: String, isPermitted: Bool) throws {
        let policy = EgressPolicy(privateNetworks: [try #require(IPNetwork(network))], operatorURLs: [])
        #expect(try permits(policy, address) == isPermitted)
        #expect(try permits(policy, address, "http") == isPermitted)
    }

    @Test(
        "is read from an address in whatever notation it has",
        arguments: [
            ("https://appleid.apple.com/auth/keys", true, true), ("https://id.example.com:8443/x", true, true),
            ("https://8.8.8.8/", true, true), ("https://[2606:4700:4700::1111]/", true, true),
            ("http://127.0.0.1:8080/x", false, true), ("http://localhost/x", false, true),
            ("http://[::1]:1024/x", false, true), ("https://localhost:8443/", false, true),
            ("https://fake.localhost:8443/", false, true), ("https://127.0.0.1:8443/", false, true),
            ("https://2130706433:8443/", false, true), ("https://0x7f000001:8443/", false, true),
            ("https://0177.0.0.1:8443/", false, true), ("https://127.1:8443/", false, true),
            ("https://[::ffff:127.0.0.1]:8443/", false, true), ("https://[::ffff:7f00:1]:8443/", false, true),
            ("https://10.0.0.1/", false, false), ("https://167772161/", false, false), ("https://0xa.1/", false, false),
            ("https://169.254.169.254/latest/meta-data/", false, false), ("https://[fe80::1]/", false, false),
            ("https://[fd00:ec2::254]/", false, false), ("https://0/", false, false),
            ("http://appleid.apple.com/", false, false), ("http://127.0.0.1.example.com/", false, false),
            ("http://127.0.0.1@evil.example/", false, false), ("https://user:secret@id.example.com/", false, false),
            ("https://id.example.com:25/", false, false), ("https://id.example.com:22/", false, false),
            ("https://id.example.com:0/", false, false), ("http://127.0.0.1:25/", false, false),
            ("ftp://127.0.0.1/", false, false), ("file:///etc/passwd", false, false),
            ("gopher://127.0.0.1/", false, false),
            ("https://", false, false), ("", false, false), ("appleid.apple.com", false, false),
        ])
    func targets(url: String, anywhere: Bool, onThisMachine: Bool) {
        #expect((Self.strict.target(of: url) != nil) == anywhere)
        let open = EgressPolicy(privateNetworks: IPNetwork.loopback, operatorURLs: [])
        #expect((open.target(of: url) != nil) == onThisMachine)
    }

    @Test(
        "is wherever the operator's own address leads, and nowhere beside it",
        arguments: [
            ("http://127.0.0.1:9000/sms", true), ("http://127.0.0.1:9000/sms/x", true),
            ("http://127.0.0.1:9000/smsx", false),
            ("http://127.0.0.1:9000/", false), ("http://127.0.0.1:90001/sms", false), ("https://10.0.0.1/sms", false),
            ("http://127.0.0.1:9000/sms@10.0.0.1/", false), ("HTTP://127.0.0.1:9000/sms/x?y=z", true),
            ("http://127.0.0.1:9000/sms?x", true), ("https://127.0.0.1:9000/sms", false),
            ("http://127.0.0.1:9000/sms/../admin", false), ("http://127.0.0.1:9000/sms/%2e%2E/admin", false),
            ("http://127.0.0.1:9000/sms/.%2e/admin", false), ("http://127.0.0.1:9000/sms/./x", false),
            ("http://127.0.0.1:9000/sms/..%2fadmin", false), ("http://127.0.0.1:9000/sms/..\\admin", false),
            ("http://127.0.0.1:9000/sms/..%5Cadmin", false), ("http://127.0.0.1:9000/%73ms", false),
            ("http://127.0.0.1:9000\\@evil.example/sms", false),
        ])
    func operators(url: String, isAsked: Bool) throws {
        let policy = EgressPolicy(privateNetworks: [], operatorURLs: ["http://127.0.0.1:9000/sms"])
        let target = policy.target(of: url)
        #expect((target != nil) == isAsked)
        if let target { #expect(policy.permits(try #require(IPAddress(exactly: "127.0.0.1")), for: target)) }
    }

    @Test("is nothing of the operator's for those whose addresses tenants name")
    func tenants() throws {
        let policy = EgressPolicy(
            privateNetworks: [try #require(IPNetwork("10.20.0.0/16"))], operatorURLs: ["http://127.0.0.1:9000/sms"])
        #expect(policy.forTenants.target(of: "http://127.0.0.1:9000/sms") == nil)
        #expect(policy.forTenants.target(of: "https://10.20.0.1/") != nil)
    }

    @Test(
        "is asked for the very path that was judged: none with dot segments",
        arguments: [
            "https://id.example.com/a/../b", "https://id.example.com/..", "https://id.example.com/a/%2e%2e/b",
            "https://id.example.com/./a",
        ])
    func dotSegments(url: String) {
        #expect(Self.strict.target(of: url) == nil)
        #expect(Self.strict.target(of: "https://id.example.com/a..b/.well-known/...") != nil)
    }

    @Test(
        "is chosen by the operator as https anywhere or http on this machine",
        arguments: [
            ("https://sms.internal/", true), ("https://10.0.0.1/", true), ("http://127.0.0.1:9/", true),
            ("http://localhost:9/", true), ("http://[::1]:9/", true), ("http://sms.internal/", false),
            ("http://10.0.0.1/", false), ("ftp://127.0.0.1/", false), ("https://a:b@sms.internal/", false),
        ])
    func chosen(url: String, isPossible: Bool) {
        #expect(EgressPolicy.isOperatorURL(url) == isPossible)
    }
}
