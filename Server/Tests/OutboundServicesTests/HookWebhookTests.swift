import Domain
import OkaeriWire
import OutboundServices
import Testing

@Suite("The response of a hook")
struct HookWebhookTests {
    private func outcome(_ text: String, status: Int = 200) -> HookOutcome {
        HookWebhook.outcome(status: status, Array(text.utf8))
    }

    private func isMalformed(_ outcome: HookOutcome) -> Bool {
        if case .malformed = outcome { true } else { false }
    }

    @Test("allows, with what it adds")
    func allowed() {
        #expect(outcome(#"{"decision": "allow"}"#) == .allowed(fields: [:], claims: [:]))
        #expect(outcome("", status: 204) == .allowed(fields: [:], claims: [:]))
        #expect(
            outcome(#"{"decision": "allow", "fields": {"a": 1}, "claims": null, "later": []}"#)
                == .allowed(fields: ["a": 1], claims: [:]))
        #expect(
            outcome(#"{"decision": "allow", "claims": {"b": [true]}}"#) == .allowed(fields: [:], claims: ["b": [true]]))
    }

    @Test(
        "refuses, whatever stands beside it",
        arguments: [
            (#"{"decision": "refuse"}"#, nil), (#"{"decision": "refuse", "message": "No."}"#, "No."),
            (#"{"decision": "refuse", "message": {}, "fields": 1, "claims": "x"}"#, nil),
        ] as [(String, String?)])
    func refused(text: String, message: String?) {
        #expect(outcome(text) == .refused(message: message))
    }

    @Test(
        "is none when it is anything else",
        arguments: [
            "", "allow", "null", "[]", "{}", "{", #"{"decision": "Allow"}"#, #"{"decision": null}"#,
            #"{"decision": "allow", "fields": []}"#, #"{"decision": "allow", "claims": 5}"#,
            #"{"decision": "allow"} "refuse""#, "<html></html>", String(repeating: "[", count: 1000),
        ])
    func malformed(text: String) {
        #expect(isMalformed(outcome(text)))
    }

    @Test("is none with another status", arguments: [100, 201, 202, 301, 400, 401, 403, 404, 429, 500, 503])
    func statuses(status: Int) {
        #expect(isMalformed(outcome(#"{"decision": "allow"}"#, status: status)))
    }

    @Test("has 16 KiB at the most", arguments: [16 * 1024, 16 * 1024 + 1])
    func length(count: Int) {
        let head = #"{"decision": "allow", "x": ""#
        let text = head + String(repeating: "x", count: count - head.utf8.count - 2) + #""}"#
        #expect(isMalformed(outcome(text)) == (count > HookWebhook.maximumResponseBytes))
    }
}
