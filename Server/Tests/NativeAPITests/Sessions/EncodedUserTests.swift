import Domain
import HTTPSupport
import NCMBAPI
import NIOCore
import OkaeriWire
import Testing

@Suite("The own user in the words of a protocol")
struct EncodedUserTests {
    @Test("is made once, and looked up from then on")
    func once() async throws {
        let session = try await session()
        #expect(try session.written(for: .native, ["name": "花"]).body == ByteBuffer(string: #"{"name":"花"}"#))
        let kept = try session.written(for: .native, try refused())
        #expect(kept === session.encodedUser && kept.body == ByteBuffer(string: #"{"name":"花"}"#))
        #expect(kept.bytes(with: "r:\"1") == ByteBuffer(string: #"{"name":"花","sessionToken":"r:\"1"}"#))
    }

    @Test("is never another protocol's")
    func another() async throws {
        let session = try await session()
        _ = try session.written(for: .native, ["a": 1])
        #expect(try session.written(for: .ncmb, ["b": 2]).body == ByteBuffer(string: #"{"b":2}"#))
        #expect(try session.written(for: .native, try refused()).body == ByteBuffer(string: #"{"a":1}"#))
    }

    @Test("is not kept when it cannot be made")
    func unmade() async throws {
        let session = try await session()
        #expect(throws: DomainError.storageUnavailable) { try session.written(for: .native, try refused()) }
        #expect(session.encodedUser == nil)
    }

    private func refused() throws -> [String: Int] { throw DomainError.storageUnavailable }

    private func session() async throws -> Authenticated {
        let server = try await TestServer()
        let token = try await server.person().logIn.session.token
        return try await server.modules.sessions.authenticate(
            .init(application: server.application, token: Substring(token), proof: nil, protocolName: .native),
            from: { .local })
    }
}
