import Domain
import Foundation
import OkaeriWire
import Testing

/// Recorded requests and answers, as text in `Fixtures`.
///
/// Lines with `>` are a request, with `<` its answer; `~` moves the clock by seconds, `#` is a remark. Headers that all
/// requests have are added, and the signature is made. `<name>` in an answer takes a value, later it stands for it;
/// `<time>` is any time, `<any>` anything. All other members must be the same.
struct Flow: Sendable {
    private var steps: [Step] = []

    private enum Step: Sendable {
        case exchange(Exchange)
        case wait(Int64)
    }

    private struct Exchange: Sendable {
        var request: [String] = []
        var answer: [String] = []
    }

    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../Fixtures").standardized

    init(named name: String) throws {
        let text = try String(contentsOf: Self.folder.appendingPathComponent("\(name).http"), encoding: .utf8)
        var exchange = Exchange()
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let rest = String(line.dropFirst(line.dropFirst().first == " " ? 2 : 1))
            switch line.first {
            case ">":
                if !exchange.answer.isEmpty {
                    steps.append(.exchange(exchange))
                    exchange = Exchange()
                }
                exchange.request.append(rest)
            case "<": exchange.answer.append(rest)
            case "~":
                if !exchange.answer.isEmpty {
                    steps.append(.exchange(exchange))
                    exchange = Exchange()
                }
                steps.append(.wait(try #require(Int64(rest))))
            default: continue
            }
        }
        if !exchange.answer.isEmpty { steps.append(.exchange(exchange)) }
    }

    /// Plays it against a server, and holds each answer against the recorded one.
    func play(on world: NCMBWorld, _ known: [String: String] = [:]) async throws {
        var known = known
        for step in steps {
            switch step {
            case .wait(let seconds): world.clock.advance(by: .seconds(seconds))
            case .exchange(let exchange): try await play(exchange, on: world, &known)
            }
        }
    }

    private func play(_ exchange: Exchange, on world: NCMBWorld, _ known: inout [String: String]) async throws {
        let request = exchange.request.map { Self.filled($0, known) }
        let line = request[0].split(separator: " ", maxSplits: 1)
        let parts = Self.parts(request)
        let answer = try await world.send(String(line[0]), String(line[1]), body: parts.body, parts.headers)
        let expected = Self.parts(exchange.answer)
        #expect(String(answer.status) == exchange.answer[0], "\(request[0]): \(answer.text)")
        guard let body = expected.body else {
            #expect(answer.body.isEmpty, "\(request[0]): \(answer.text)")
            return
        }
        let (wanted, sent) = (try JSONValue(parsing: Array(body.utf8)), try answer.json())
        Self.bind(wanted, sent, &known)
        #expect(Self.isLike(sent, wanted, known), "\(request[0]): \(answer.text)\nis not \(Self.filled(body, known))")
    }

    private static func parts(_ lines: [String]) -> (headers: [(String, String)], body: String?) {
        let head = lines.dropFirst().prefix { !$0.isEmpty }
        let body = lines.dropFirst(head.count + 2).joined(separator: "\n")
        let headers = head.compactMap { line -> (String, String)? in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            return (
                String(line[..<colon]),
                line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            )
        }
        return (headers, body.isEmpty ? nil : body)
    }

    private static func filled(_ text: String, _ known: [String: String]) -> String {
        known.reduce(text) { $0.replacing("<\($1.key)>", with: $1.value) }
    }

    private static func name(_ value: JSONValue) -> String? {
        guard case .string(let text) = value, text.hasPrefix("<"), text.hasSuffix(">") else { return nil }
        return String(text.dropFirst().dropLast())
    }

    private static func bind(_ wanted: JSONValue, _ sent: JSONValue, _ known: inout [String: String]) {
        switch (wanted, sent) {
        case (.object(let wanted), .object(let sent)):
            for (name, value) in wanted { if let other = sent[name] { bind(value, other, &known) } }
        case (.array(let wanted), .array(let sent)):
            for (value, other) in zip(wanted, sent) { bind(value, other, &known) }
        case (_, .string(let text)):
            if let name = name(wanted), name != "time", name != "any", known[name] == nil { known[name] = text }
        default: break
        }
    }

    private static func isLike(_ sent: JSONValue, _ wanted: JSONValue, _ known: [String: String]) -> Bool {
        switch (name(wanted), sent, wanted) {
        case ("any"?, _, _): return true
        case ("time"?, .string(let text), _): return WireTime(text)?.description == text
        case (let name?, .string(let text), _): return known[name] == text
        case (nil, .object(let sent), .object(let wanted)):
            let named = Dictionary(uniqueKeysWithValues: wanted.map { (filled($0.key, known), $0.value) })
            return Set(named.keys) == Set(sent.keys)
                && named.allSatisfy { name, value in sent[name].map { isLike($0, value, known) } ?? false }
        case (nil, .array(let sent), .array(let wanted)):
            return sent.count == wanted.count && zip(sent, wanted).allSatisfy { isLike($0, $1, known) }
        case (nil, .string(let text), .string(let other)): return text == filled(other, known)
        default: return sent == wanted
        }
    }
}
