import Domain
import Storage

/// What nodes tell each other as it goes through the database: one text, at most 8000 bytes, with words between spaces.
///
/// The first word is the sender, the second a letter: `h` for a heartbeat with the sender's own clock, `b` for goodbye,
/// `c` for changes. A change is a letter and its ids in base64url with dots before each, so that no id of any form breaks
/// a payload.
extension ChangeNotice {
    /// The channel of `LISTEN` and `NOTIFY`.
    static let channel = "okaeri"
    /// More than that of changes says "anything", which costs caches more and the database less.
    private static let maximumPayloads = 20
    /// PostgreSQL takes 7999 bytes.
    private static let maximumBytes = 7900

    /// The payloads that tell changes.
    static func payloads(_ changes: [Change], from sender: String) -> [String] {
        var payloads: [String] = []
        var seen: Set<Change> = []
        for change in changes where seen.insert(change).inserted {
            guard let word = word(change) else { continue }
            if let last = payloads.last, last.utf8.count + word.utf8.count < maximumBytes {
                payloads[payloads.count - 1] += " " + word
            } else {
                payloads.append("\(sender) c \(word)")
            }
        }
        let isTooMuch = payloads.count > maximumPayloads || payloads.contains { $0.utf8.count > maximumBytes }
        return isTooMuch ? ChangeNotice.anything.payloads(from: sender) : payloads
    }

    /// The payloads of a notice.
    func payloads(from sender: String) -> [String] {
        switch self {
        case .heartbeat(let nanoseconds): ["\(sender) h \(nanoseconds)"]
        case .goodbye: ["\(sender) b"]
        case .changes(let changes): Self.payloads(changes, from: sender)
        case .anything: ["\(sender) *"]
        }
    }

    /// Reads a payload; whatever it says is some notice.
    static func read(_ payload: String) -> (sender: String, notice: ChangeNotice) {
        let words = payload.pieces(at: " ")
        guard let sender = words.first, words.count > 1 else { return ("", .anything) }
        let notice: ChangeNotice
        switch words[1] {
        case "h":
            notice =
                words.count == 3
                ? UInt64(words[2], radix: 10).map { .heartbeat(nanoseconds: $0) } ?? .anything : .anything
        case "b": notice = .goodbye
        case "c":
            let changes = words.dropFirst(2).map { change($0) }
            notice = changes.contains { $0 == nil } ? .anything : .changes(changes.compactMap { $0 })
        default: notice = .anything
        }
        return (String(sender), notice)
    }

    /// `nil` for what concerns no other node.
    private static func word(_ change: Change) -> String? {
        func text(_ bytes: some Sequence<UInt8>) -> String { "." + Base64URL.text(of: Array(bytes)) }
        return switch change {
        case .application(let id): "a" + text(id.rawValue.utf8)
        case .user(let application, let id): "u" + text(application.rawValue.utf8) + text(id.rawValue.utf8)
        case .session(let application, let token): "s" + text(application.rawValue.utf8) + text(token.bytes)
        case .signingKeys: "k"
        // The node that queued a mail or wrote an event sends it; the others look now and then.
        // So does the one at which a user was there.
        case .userPresent, .mailQueued, .eventsWritten: nil
        }
    }

    private static func change(_ word: Substring) -> Change? {
        let parts = word.pieces(at: ".", keepsEmpty: true)
        let values = parts.dropFirst().compactMap { Base64URL.bytes(of: $0.utf8) }
        guard values.count == parts.count - 1 else { return nil }
        let texts = values.map { String(decoding: $0, as: UTF8.self) }
        switch (parts.first, values.count) {
        case ("a", 1): return .application(Identifier(rawValue: texts[0]))
        case ("u", 2): return .user(Identifier(rawValue: texts[0]), Identifier(rawValue: texts[1]))
        case ("s", 2): return SecretDigest(stored: values[1]).map { .session(Identifier(rawValue: texts[0]), $0) }
        case ("k", 0): return .signingKeys
        default: return nil
        }
    }
}
