import Domain
import FakeProviders
import Foundation
import HTTPTypes
import OkaeriVerifier
import OkaeriWire
import Testing

/// What the server really sends, read by the package that backends use.
@Suite("OkaeriVerifier and what the server sends")
struct VerifiedWebhookTests {
    private struct Clock: VerifierClock {
        var now: Date
    }

    private let world: HookWorld

    init() async throws {
        world = try await HookWorld()
    }

    private func verifier(_ secrets: [Secret], after delay: Int64 = 0) throws -> WebhookVerifier {
        try WebhookVerifier(
            secrets: secrets.map(\.revealed),
            clock: Clock(now: Date(timeIntervalSince1970: Double(world.server.clock.now.milliseconds / 1000 + delay))))
    }

    private func secret(_ answer: Answer) throws -> Secret { Secret(try #require(try answer.json["secret"]?.text)) }

    /// What a verifier says of a request.
    private func refusal(_ work: () throws(VerificationError) -> Void) -> VerificationError? {
        do throws(VerificationError) {
            try work()
            return nil
        } catch {
            return error
        }
    }

    /// Another secret, beside which the one before signs for an hour.
    private func rotate(_ path: String) async throws -> Secret {
        try secret(await world.world.send("owner", .post, "\(path)/rotate", body: #"{"overlapHours": 1}"#))
    }

    @Test("agree about events, by each secret while two sign, and about nothing that was changed or is old")
    func events() async throws {
        let path = world.world.path("/event-endpoints")
        let made = try await world.world.send(
            "owner", .post, path, body: #"{"url": "\#(world.url)", "includesUser": true}"#)
        let first = try secret(made)
        let id = try #require(try made.json["id"]?.text)
        let answer = try await world.server.signUp("hana", #", "displayName": "花 — Hana""#)
        let user = try answer.read(LogInResponse.self).user.id
        _ = try await world.server.modules.events.deliverEvents()
        let sent = try #require(world.hook.requests.first)
        let event = try verifier([first]).verify(Data(sent.body)) { sent.headers[$0] }
        #expect(event.type == "user.created" && event.data.user == user && event.position == 1)
        #expect(event.id == sent.headers["webhook-id"] && event.data.profile?.displayName == "花 — Hana")

        let second = try await rotate("\(path)/\(id)")
        _ = try await world.server.signUp("taro")
        _ = try await world.server.modules.events.deliverEvents()
        let both = try #require(world.hook.requests.last)
        for secrets in [[first], [second], [second, first]] {
            let found = try verifier(secrets).verify(Data(both.body)) { both.headers[$0] }
            #expect(found.id == both.headers["webhook-id"])
        }
        let stranger = Secret("whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=")
        for (secrets, body, delay, expected) in [
            ([stranger], both.body, 0, .signatureRefused),
            ([second], both.body + [UInt8(ascii: " ")], 0, .signatureRefused),
            ([second], both.body, 301, .timeRefused), ([second], both.body, -301, .timeRefused),
            ([second], both.body, 299, nil),
        ] as [([Secret], [UInt8], Int64, VerificationError?)] {
            let verifier = try verifier(secrets, after: delay)
            let found = refusal { () throws(VerificationError) in
                _ = try verifier.verify(Data(body)) { both.headers[$0] }
            }
            #expect(found == expected, "\(delay)")
        }
        world.server.clock.advance(by: .seconds(3600))
        _ = try await world.server.signUp("jiro")
        _ = try await world.server.modules.events.deliverEvents()
        let late = try #require(world.hook.requests.last)
        let former = try verifier([first])
        #expect(
            refusal { () throws(VerificationError) in _ = try former.verify(Data(late.body)) { late.headers[$0] } }
                == .signatureRefused)
    }

    @Test("agree about the questions of hooks, by each secret while two sign")
    func hooks() async throws {
        let first = try await world.set(.signUp)
        let second = try await rotate(world.world.path("/hooks/sign-up"))
        let answer = try await world.server.signUp("hana")
        #expect(answer.status == 201, "\(answer.text)")
        let sent = try #require(world.hook.requests.first)
        for secret in [first, second] {
            let question = try verifier([secret]).verifyHook(Data(sent.body)) { sent.headers[$0] }
            #expect(question.type == "hook.sign-up" && question.data.profile.username == "hana")
            #expect(question.data.user == (try answer.read(LogInResponse.self)).user.id)
        }
        let changed = String(decoding: sent.body, as: UTF8.self).replacing("hana", with: "hanb")
        let verifier = try verifier([second])
        #expect(
            refusal { () throws(VerificationError) in
                _ = try verifier.verifyHook(Data(changed.utf8)) { sent.headers[$0] }
            } == .signatureRefused)
    }
}
