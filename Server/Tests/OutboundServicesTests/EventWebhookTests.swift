import Domain
import Foundation
import OutboundServices
import Testing

@Suite("Webhooks of events")
struct EventWebhookTests {
    private struct Clock: WallClock {
        var now: Timestamp { Timestamp(milliseconds: 1_614_265_330_000) }
    }

    private static let secret = Secret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")

    private func deliver(_ receiver: FakeWebCaller) async -> EventOutcome {
        var event = Event(
            id: Identifier(rawValue: "event"), application: Identifier(rawValue: "app"), type: .userMerged,
            user: Identifier(rawValue: "hana"), leftUser: Identifier(rawValue: "guest"),
            at: Timestamp(milliseconds: 1_614_265_330_000), details: ["left-user": "guest"])
        event.position = 7
        return await EventWebhook(clock: Clock(), call: receiver).deliver(
            EventRequest(
                url: "https://app.example.com/hooks", event: event, user: nil,
                secrets: [Self.secret, Secret("whsec_AAAA")]))
    }

    @Test("have the signature of the specification's own example")
    func vector() {
        let body = #"{"test": 2432232314}"#
        let signature = EventWebhook.signature(
            of: body, id: "msg_p5jXN8AQM9LWM0D4loKWxJek", at: 1_614_265_330, Self.secret)
        #expect(signature == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
        #expect(EventWebhook.signature(of: body, id: "x", at: 0, Secret("other")) == nil)
    }

    @Test("are a signed POST of JSON with both ids of a merge, by every secret")
    func request() async throws {
        let receiver = FakeWebCaller(.success(WebResponse(status: 204, body: [])))
        #expect(await deliver(receiver) == .delivered)
        let call = try #require(receiver.calls.first)
        let headers = Dictionary(uniqueKeysWithValues: call.headers.map { ($0.name, $0.value) })
        #expect(headers["webhook-id"] == "event" && headers["webhook-timestamp"] == "1614265330")
        let body = try #require(call.body)
        #expect(
            body
                == #"{"data":{"details":{"left-user":"guest"},"leftUser":"guest","user":"hana"},"id":"event","#
                + #""position":7,"timestamp":"2021-02-25T15:02:10.000Z","type":"user.merged"}"#)
        let own = try #require(EventWebhook.signature(of: body, id: "event", at: 1_614_265_330, Self.secret))
        let signatures = try #require(headers["webhook-signature"]).split(separator: " ")
        #expect(signatures.count == 2 && signatures.first.map(String.init) == own)
    }

    @Test("fail with a reason for everything but a success", arguments: [301, 302, 400, 404, 500, 503])
    func refused(status: Int) async {
        let receiver = FakeWebCaller(.success(WebResponse(status: status, body: [])))
        #expect(await deliver(receiver) == .failed(reason: "the receiver answered \(status)"))
        #expect(receiver.calls.count == 1)
    }

    @Test("end for a receiver that is gone, which has fifteen seconds before")
    func gone() async {
        #expect(await deliver(FakeWebCaller(.success(WebResponse(status: 410, body: [])))) == .gone)
        #expect(EventWebhook.limits.whole == .seconds(15))
    }

    @Test(
        "come later when the receiver says when, with 429 or 503",
        arguments: [
            (429, "120", 120), (503, "0", 0), (503, "Thu, 25 Feb 2021 15:03:10 GMT", 60),
            (503, "Thu, 25 Feb 2021 15:02:00 GMT", 0), (429, "99999999999999999999", nil), (429, "-1", nil),
            (429, "soon", nil), (503, "Thu, 99 Feb 2021 15:02:00 GMT", nil), (500, "120", nil), (429, "", nil),
        ] as [(Int, String, Int64?)])
    func retryAfter(status: Int, text: String, seconds: Int64?) async {
        var response = WebResponse(status: status, body: [])
        response.headers = ["retry-after": text]
        let outcome = await deliver(FakeWebCaller(.success(response)))
        #expect(
            outcome
                == .failed(reason: "the receiver answered \(status)", retryAfter: seconds.map { .seconds($0) }))
    }

    @Test(
        "fail when the receiver cannot be asked",
        arguments: [
            WebFault.addressRefused(reason: "a private address"), .unreachable(reason: "certificate"), .tooBusy,
        ])
    func unreachable(fault: WebFault) async {
        guard case .failed(let reason, nil) = await deliver(FakeWebCaller(.failure(fault))) else {
            Issue.record("it was delivered")
            return
        }
        #expect(!reason.contains("private address") && !reason.contains("certificate"))
    }
}
