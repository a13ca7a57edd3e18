import Foundation
import OutboundServices
import Testing

@testable import Domain

@Suite("The certificate of an app's backend")
struct CertificateCheckTests {
    private struct Clock: WallClock {
        var now: Timestamp { Timestamp(milliseconds: 1_614_265_330_000) }
    }

    private static let secrets = [Secret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")]

    private func policy() throws -> EgressPolicy {
        EgressPolicy(privateNetworks: [try #require(IPNetwork("127.0.0.0/8"))], operatorURLs: [])
    }

    /// As the server has them, with the time that a crowded machine needs.
    private func streams(_ limits: CurlStreams.Limits, trusting certificates: String?) throws -> CurlStreams {
        var limits = limits
        (limits.connecting, limits.silence, limits.whole) = (.seconds(60), .seconds(60), .seconds(120))
        return CurlStreams(limits: limits, policy: try policy(), certificates: certificates)
    }

    /// Sends an event as the server does.
    private func deliver(to server: HTTPSServer, trusting certificates: String?) async throws -> EventOutcome {
        let streams = try streams(EventWebhook.limits, trusting: certificates)
        let call = StreamCaller(streams, maximumBytes: EventWebhook.maximumResponseBytes)
        let event = Event(
            id: Identifier(rawValue: "event"), application: Identifier(rawValue: "app"), type: .userCreated,
            user: Identifier(rawValue: "hana"), at: Clock().now)
        let outcome = await EventWebhook(clock: Clock(), call: call).deliver(
            EventRequest(url: server.url, event: event, user: nil, secrets: Self.secrets))
        await streams.close()
        return outcome
    }

    /// Asks a hook as the server does, whose a token is.
    private func ask(_ server: HTTPSServer, trusting certificates: String?) async throws -> OwnerOutcome {
        let streams = try streams(HookWebhook.limits, trusting: certificates)
        let hook = Hook(
            .adoption, url: server.url, timeoutMilliseconds: 120_000, whenDown: .refuse, asksGuests: false,
            createdAt: Clock().now, sealedSecret: [])
        let outcome = await HookWebhook(
            clock: Clock(), call: StreamCaller(streams, maximumBytes: HookWebhook.maximumResponseBytes)
        ).owner(
            OwnerQuestion(
                id: "question", hook: hook, application: Identifier(rawValue: "app"), service: "before",
                token: Secret("token"), address: nil, at: Clock().now, isTest: false, secrets: Self.secrets))
        await streams.close()
        return outcome
    }

    @Test("is taken when it is known and names the address")
    func right() async throws {
        let server = try await HTTPSServer(for: .right)
        #expect(try await deliver(to: server, trusting: server.certificate) == .delivered)
        // The response came: that it names no user is another matter.
        #expect(
            try await ask(server, trusting: server.certificate) == .malformed(reason: "its response names no user"))
        #expect(server.requests == 2)
    }

    /// A hundred certificates take as long as twenty handshakes.
    @Test("is compared with known ones that are read once for many calls")
    func readOnce() async throws {
        let server = try await HTTPSServer(for: .right)
        let streams = try streams(EventWebhook.limits, trusting: server.certificate)
        let call = StreamCaller(streams, maximumBytes: EventWebhook.maximumResponseBytes)
        #expect(try await call(WebCall(.post, server.url, body: "{}")).status == 200)
        try Data().write(to: URL(fileURLWithPath: server.certificate))
        #expect(try await call(WebCall(.post, server.url, body: "{}")).status == 200)
        await streams.close()
    }

    @Test("is refused when nobody known has signed it: neither events nor questions are sent")
    func selfSigned() async throws {
        let server = try await HTTPSServer(for: .right)
        guard case .failed = try await deliver(to: server, trusting: nil) else {
            Issue.record("the event was sent")
            return
        }
        guard case .silent = try await ask(server, trusting: nil) else {
            Issue.record("the hook was asked")
            return
        }
        #expect(server.requests == 0)
    }

    @Test("is refused when it is another server's, however well it is known")
    func otherName() async throws {
        let server = try await HTTPSServer(for: .wrong)
        guard case .failed = try await deliver(to: server, trusting: server.certificate) else {
            Issue.record("the event was sent")
            return
        }
        guard case .silent = try await ask(server, trusting: server.certificate) else {
            Issue.record("the hook was asked")
            return
        }
        #expect(server.requests == 0)
    }
}
