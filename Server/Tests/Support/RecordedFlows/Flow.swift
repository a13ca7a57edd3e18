package import Foundation
import OkaeriWire

/// Recorded requests and answers, as text in `Fixtures`.
///
/// Lines with `>` are a request, with `<` its answer; `~` moves the clock by seconds, `#` is a remark. Headers that all
/// requests have are added by who sends. `<name>` in an answer takes a value, later it stands for it;
/// `<time>` is any time, `<any>` anything. All other members must be the same.
package struct Flow: Sendable {
    private var steps: [Step] = []

    private enum Step: Sendable {
        case exchange(Exchange)
        case wait(Int64)
    }

    private struct Exchange: Sendable {
        var request: [String] = []
        var answer: [String] = []
    }

    /// What plays a flow: it sends requests, and moves the clock.
    package struct Player: Sendable {
        let send:
            @Sendable (_ method: String, _ target: String, [(String, String)], _ body: String?) async throws ->
                Reply
        let wait: @Sendable (_ seconds: Int64) -> Void

        package init(
            send: @escaping @Sendable (String, String, [(String, String)], String?) async throws -> Reply,
            wait: @escaping @Sendable (Int64) -> Void
        ) {
            self.send = send
            self.wait = wait
        }
    }

    /// What was answered.
    package struct Reply: Sendable {
        let status: Int
        let body: [UInt8]

        package init(status: Int, body: [UInt8]) {
            self.status = status
            self.body = body
        }

        var text: String { String(decoding: body, as: UTF8.self) }
    }

    /// An answer that is not the recorded one.
    package struct Difference: Error, CustomStringConvertible {
        package let description: String
    }

    /// - Parameter file: The recording.
    /// - Throws: when it cannot be read.
    package init(_ file: URL) throws {
        let text = try String(contentsOf: file, encoding: .utf8)
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
                steps.append(.wait(Int64(rest) ?? 0))
            default: continue
            }
        }
        if !exchange.answer.isEmpty { steps.append(.exchange(exchange)) }
    }

    /// Plays it against a server, and holds each answer against the recorded one.
    ///
    /// - Throws: `Difference` for the first answer that is another one.
    package func play(by player: Player, _ known: [String: String] = [:]) async throws {
        var known = known
        for step in steps {
            switch step {
            case .wait(let seconds): player.wait(seconds)
            case .exchange(let exchange): try await play(exchange, by: player, &known)
            }
        }
    }

    private func play(_ exchange: Exchange, by player: Player, _ known: inout [String: String]) async throws {
        let request = exchange.request.map { Self.filled($0, known) }
        let line = request[0].split(separator: " ", maxSplits: 1)
        let parts = Self.parts(request)
        let reply = try await player.send(String(line[0]), String(line[1]), parts.headers, parts.body)
        let expected = Self.parts(exchange.answer)
        guard String(reply.status) == exchange.answer[0] else {
            throw Difference(
                description: "\(request[0]): \(reply.status) is not \(exchange.answer[0]): \(reply.text)")
        }
        guard let body = expected.body else {
            guard reply.body.isEmpty else { throw Difference(description: "\(request[0]): \(reply.text)") }
            return
        }
        let (wanted, sent) = (try JSONValue(parsing: Array(body.utf8)), try JSONValue(parsing: reply.body))
        Self.bind(wanted, sent, &known)
        guard Self.isLike(sent, wanted, known) else {
            throw Difference(
                description: "\(request[0]): \(reply.text)\nis not \(Self.filled(body, known))")
        }
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
            let members = Dictionary(
                uniqueKeysWithValues: wanted.map { (Self.filled($0.key, known), $0.value) })
            return Set(members.keys) == Set(sent.keys)
                && members.allSatisfy { name, value in sent[name].map { isLike($0, value, known) } ?? false }
        case (nil, .array(let sent), .array(let wanted)):
            return sent.count == wanted.count && zip(sent, wanted).allSatisfy { isLike($0, $1, known) }
        case (nil, .string(let text), .string(let other)): return text == filled(other, known)
        default: return sent == wanted
        }
    }
}
