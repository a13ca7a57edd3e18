import Domain
import Foundation
import HTTPTypes
import OkaeriServer
import OkaeriWire
import StorageSQLite
import Testing

@Suite("The limit of first launches")
struct RateLimitTests {
    @Test("refuses the 31st first launch of an hour from one address, and tells when to come back")
    func limit() async throws {
        let server = try await TestServer()
        for _ in 0..<30 { #expect(try await server.logIn(ProofMaker()).status == 201) }
        server.clock.advance(by: .seconds(600))
        let refused = try await server.logIn(ProofMaker())
        expect(refused, 429, .rateLimited)
        #expect(refused.headers[.retryAfter] == "3000")
        #expect(try await server.logIn(ProofMaker(), peer: "192.0.2.2").status == 201)
        server.clock.advance(by: .seconds(3000))
        #expect(try await server.logIn(ProofMaker()).status == 201)
    }

    @Test("counts an IPv6 /64 network as one address")
    func networks() async throws {
        let server = try await TestServer(settings: ["first-launches": "2"])
        #expect(try await server.logIn(ProofMaker(), peer: "2001:db8:1:2::1").status == 201)
        #expect(try await server.logIn(ProofMaker(), peer: "2001:db8:1:2:ffff::9").status == 201)
        expect(try await server.logIn(ProofMaker(), peer: "2001:db8:1:2:3:4:5:6"), 429, .rateLimited)
        #expect(try await server.logIn(ProofMaker(), peer: "2001:db8:1:3::1").status == 201)
    }

    @Test("and that of passwords, wrong and right, count the /64 networks of one /48 network together too")
    func sites() async throws {
        let server = try await TestServer(settings: ["password-failures": "1", "right-passwords": "1"])
        let hana = #"{"username":"hana","password":"four quiet words"}"#
        #expect(try await server.send(.post, APIPath.signUp, body: hana).status == 201)
        func logIn(_ name: String, _ network: Int, of site: Int) async throws -> Answer {
            try await server.send(
                .post, APIPath.logInWithPassword, body: #"{"identifier":"\#(name)","password":"four quiet words"}"#,
                peer: "2001:db8:\(site):\(network)::1")
        }
        for network in 1...100 {
            expect(try await logIn("nobody\(network)", network, of: 1), 401, .credentialRefused)
            #expect(try await logIn("hana", network, of: 2).status == 200)
        }
        expect(try await logIn("nobody101", 101, of: 1), 429, .rateLimited)
        expect(try await logIn("hana", 101, of: 2), 429, .rateLimited)
        expect(try await logIn("nobody101", 101, of: 3), 401, .credentialRefused)
        #expect(try await logIn("hana", 101, of: 4).status == 200)
    }

    @Test("counts an IPv4 address inside IPv6 as that IPv4 address")
    func mapped() async throws {
        let server = try await TestServer(settings: ["first-launches": "1"])
        #expect(try await server.logIn(ProofMaker(), peer: "192.0.2.9").status == 201)
        expect(try await server.logIn(ProofMaker(), peer: "::ffff:192.0.2.9"), 429, .rateLimited)
        #expect(try await server.logIn(ProofMaker(), peer: "::ffff:192.0.2.10").status == 201)
    }

    @Test("never refuses a known device")
    func knownDevices() async throws {
        let server = try await TestServer(settings: ["first-launches": "1"])
        let person = try await server.person()
        expect(try await server.logIn(ProofMaker()), 429, .rateLimited)
        for _ in 0..<5 { #expect(try await server.logIn(person.device).status == 200) }
    }

    @Test("does not count proofs that are refused")
    func refusedProofs() async throws {
        let server = try await TestServer(settings: ["first-launches": "1"])
        for _ in 0..<3 {
            let answer = try await server.send(.post, APIPath.logInAutomatically, [("DPoP", "nonsense")])
            expect(answer, 401, .proofInvalid)
        }
        #expect(try await server.logIn(ProofMaker()).status == 201)
    }

    @Test("believes X-Forwarded-For of a trusted proxy alone")
    func forwarded() async throws {
        let server = try await TestServer(settings: ["first-launches": "1", "trusted-proxies": "10.0.0.0/8"])
        func logIn(_ forwarded: String, peer: String) async throws -> Int {
            try await server.logIn(ProofMaker(), [("X-Forwarded-For", forwarded)], peer: peer).status
        }
        #expect(try await logIn("198.51.100.1", peer: "10.0.0.1") == 201)
        #expect(try await logIn("198.51.100.2", peer: "10.0.0.1") == 201)
        #expect(try await logIn("203.0.113.9, 198.51.100.2", peer: "10.0.0.1") == 429)
        #expect(try await logIn("198.51.100.3", peer: "192.0.2.77") == 201)
        #expect(try await logIn("198.51.100.4", peer: "192.0.2.77") == 429)
    }

    @Test("holds after a restart")
    func restart() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        defer {
            // The folder is the test's own; what stays of it harms nobody.
            try? FileManager.default.removeItem(atPath: folder)
        }
        let clock = StandingClock()
        let before = try await TestServer(
            settings: ["first-launches": "1"], store: SQLiteStore(.folder(folder), role: .server), clock: clock)
        #expect(try await before.logIn(ProofMaker()).status == 201)
        await before.composition.close()

        let after = try await TestServer(
            settings: ["first-launches": "1"], store: SQLiteStore(.folder(folder), role: .server), clock: clock)
        clock.advance(by: .seconds(1))
        let device = ProofMaker()
        let proof = try device.proof("POST", after.url(APIPath.logInAutomatically), at: clock.now)
        let answer = try await after.send(
            .post, APIPath.logInAutomatically,
            [("DPoP", proof), ("Okaeri-Application", before.application.id.rawValue)], isNamed: false)
        expect(answer, 429, .rateLimited)
        await after.composition.close()
    }

    @Test("stands beside that of right passwords, which is the operator's too")
    func rightPasswords() async throws {
        let server = try await TestServer(settings: ["right-passwords": "2"])
        #expect(try await server.signUp("hana").status == 201)
        for _ in 0..<2 { #expect(try await server.logIn("hana", AccountTests.password).status == 200) }
        expect(try await server.logIn("hana", AccountTests.password), 429, .rateLimited)
        #expect(try await server.logIn("hana", AccountTests.password, peer: "192.0.2.2").status == 200)
        server.clock.advance(by: .seconds(3600))
        #expect(try await server.logIn("hana", AccountTests.password).status == 200)
    }

    @Test("can be switched off on this machine")
    func off() async throws {
        let server = try await TestServer(settings: ["rate-limits": "off", "first-launches": "1"])
        for _ in 0..<3 { #expect(try await server.logIn(ProofMaker()).status == 201) }
    }
}
