import Domain
import Foundation
import Logging
import OkaeriServer
import Testing

@Suite("The lines of the log")
struct SystemLogTests {
    /// 2027-01-15T08:00:00.123Z.
    private static let clock: StandingClock = {
        let clock = StandingClock()
        clock.advance(by: .milliseconds(123))
        return clock
    }()

    @Test("begin with time, level and label, and hold key=value in the order of the keys")
    func form() {
        #expect(
            line("request failed", ["status": "503", "request_id": "QXIYd0000000000"], level: .error)
                == "2027-01-15T08:00:00.123Z error okaeri: request failed request_id=QXIYd0000000000 status=503")
        #expect(line("ready", [:]) == "2027-01-15T08:00:00.123Z info okaeri: ready")
    }

    @Test(
        "put a value in quotation marks where it could be read as something else",
        arguments: [
            ("/v1/user", "value=/v1/user"), ("", #"value="""#), ("two words", #"value="two words""#),
            ("a=b", #"value="a=b""#), (#"say "x""#, #"value="say \"x\"""#),
            // Without a second backslash, the mark after the first would end the value for a reader.
            (#"x\" status=200 y="#, #"value="x\\\" status=200 y=""#), (#"x \"#, #"value="x \\""#),
            ("花子", #"value="花子""#),
            // Joined with an accent it is no character of its own, and would end the value all the same.
            ("\"\u{0301} status=200", "value=\"\\\"\u{0301} status=200\""),
        ])
    func quoted(value: String, shown: String) {
        #expect(line("seen", ["value": "\(value)"]) == "2027-01-15T08:00:00.123Z info okaeri: seen \(shown)")
    }

    @Test(
        "stay one line, whatever strangers sent",
        arguments: [
            "\n", "\r", "\r\n", "\t", "\0", "\u{1b}[2K", "\u{7f}", "\u{85}", "\u{9b}", "\u{2028}", "\u{2029}",
            "\u{202e}",
        ])
    func forged(mark: String) {
        let forgery = "\(mark)2027-01-15T08:00:00.123Z info okaeri: all is well"
        for line in [
            line("read \(forgery)", [:]), line("read", ["path": "\(forgery)"]), line("read", ["a\(forgery)": "b"]),
            line("read", [:], error: Missing(description: forgery)),
        ] {
            let first = mark.unicodeScalars.first
            #expect(!line.unicodeScalars.contains { $0 == first })
            #expect(line.contains("\u{fffd}"), "\(line)")
            #expect(line.split(whereSeparator: \.isNewline).count == 1)
        }
        // Lists and dictionaries describe texts with escapes of their own.
        let list = line("read", ["list": ["\(forgery)"], "dictionary": ["a": "\(forgery)"]])
        #expect(list.split(whereSeparator: \.isNewline).count == 1)
    }

    @Test("tell the error of an event, and nothing of what Hummingbird calls a request")
    func error() {
        let line = line("stopped", ["hb.request.id": "1"], level: .critical, error: Missing(description: "no disk"))
        #expect(line == #"2027-01-15T08:00:00.123Z critical okaeri: stopped error="no disk""#)
    }

    @Test("take values of the event before those of the logger, and those before a provider's")
    func precedence() {
        var log = SystemLog(label: "okaeri", clock: Self.clock)
        log.metadataProvider = Logger.MetadataProvider { ["a": "provider", "b": "provider", "c": "provider"] }
        log[metadataKey: "b"] = "logger"
        log[metadataKey: "c"] = "logger"
        #expect(log.line(of: event("seen", ["c": "event"])).hasSuffix(": seen a=provider b=logger c=event"))
    }

    @Test("are JSON objects on demand, whose values cannot stand for time, level or message")
    func json() {
        let text = jsonLine("request failed", ["status": "503", "path": "/v1/user", "level": "x"], level: .error)
        #expect(
            text == #"{"level":"error","logger":"okaeri","message":"request failed","time":"2027-01-15T08:00:00.123Z","#
                + #""values":{"level":"x","path":"/v1/user","status":"503"}}"#)
        let bare =
            #"{"level":"info","logger":"okaeri","message":"ready","time":"2027-01-15T08:00:00.123Z","values":{}}"#
        #expect(jsonLine("ready", ["hb.request.id": "1"]) == bare)
    }

    @Test(
        "stay one JSON object on one line, whatever strangers sent",
        arguments: [
            "\n", "\r\n", "\0", "\u{1b}[2K", "\u{85}", "\u{2028}", "\u{2029}", "\u{202e}", "\"", "\\", "\",\"", "\"}",
            "花",
        ])
    func forgedJSON(mark: String) throws {
        let forgery = "a\(mark){\"level\":\"info\"}"
        let text = jsonLine(
            forgery, [forgery: "1", "path": "\(forgery)"], error: Missing(description: forgery))
        #expect(text.split(whereSeparator: \.isNewline).count == 1)
        let object = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        #expect(Set(object.keys) == ["level", "logger", "message", "time", "values"])
        let values = try #require(object["values"] as? [String: String])
        let shown = try #require(object["message"] as? String)
        #expect(values == [shown: "1", "path": shown, "error": shown])
    }

    private func jsonLine(
        _ message: String, _ values: Logger.Metadata, level: Logger.Level = .info, error: (any Error)? = nil
    ) -> String {
        SystemLog(label: "okaeri", form: .json, clock: Self.clock)
            .line(of: event(message, values, level: level, error: error))
    }

    private func line(
        _ message: String, _ values: Logger.Metadata, level: Logger.Level = .info, error: (any Error)? = nil
    ) -> String {
        SystemLog(label: "okaeri", clock: Self.clock).line(of: event(message, values, level: level, error: error))
    }

    private func event(
        _ message: String, _ values: Logger.Metadata, level: Logger.Level = .info, error: (any Error)? = nil
    ) -> LogEvent {
        LogEvent(
            level: level, message: "\(message)", error: error, metadata: values, source: nil, file: "", function: "",
            line: 0)
    }
}
