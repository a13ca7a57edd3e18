import ArgumentParser
import Domain

/// A record that was not taken in, or not whole. It is kept for the report, so whatever an export holds, it is short.
struct ImportRefusal: Encodable {
    static let maximumIdBytes = 128
    static let maximumFaults = 10
    /// Of one fault, whose field may be a name of the export.
    private static let maximumSentenceBytes = 512

    let line: Int
    /// Which record of the file it is, from 1: many exports are one line.
    let index: Int
    /// Its first 128 bytes.
    let id: String?
    /// The first ten rules that it breaks.
    let reason: String

    init(line: Int, index: Int, id: String?, reason: String) {
        self.line = line
        self.index = index
        self.id = id.map { Self.cut($0, to: Self.maximumIdBytes) }
        self.reason = reason
    }

    init(line: Int, index: Int, id: String?, faults: [Domain.ValidationError]) {
        var sentences = faults.prefix(Self.maximumFaults).map { Self.cut($0.sentence, to: Self.maximumSentenceBytes) }
        if faults.count > Self.maximumFaults { sentences.append("And \(faults.count - Self.maximumFaults) more.") }
        self.init(line: line, index: index, id: id, reason: sentences.joined(separator: " "))
    }

    /// A text without what does not fit. The text itself may be of any length, and is not kept.
    private static func cut(_ text: String, to maximumBytes: Int) -> String {
        guard text.utf8.count > maximumBytes else { return text }
        return String(decoding: text.utf8.prefix(maximumBytes), as: UTF8.self) + "…"
    }

    /// One line, whatever the export holds.
    var text: String { "line \(line), record \(index)\(id.map { ", \($0)" } ?? ""): \(reason)".printable }
}

/// What became of an export's records.
struct ImportReport: Encodable {
    /// Refusals that are kept for the report; all of them are counted.
    private static let keptRefusals = 10_000

    var isRehearsal: Bool
    var records = 0
    var imported = 0
    /// Those that an earlier run has taken in.
    var present = 0
    var refusals = 0
    /// The first of them.
    var refused: [ImportRefusal] = []
    /// Those that were taken in without something; they count as imported too.
    var partial = 0
    /// The first of them, and what they are without.
    var leftOut: [ImportRefusal] = []
    /// Users whose access lists let everybody write, new ones and those who were there: anybody changes their fields.
    var writableByEverybody = WritableUsers()

    struct WritableUsers: Encodable {
        /// Users that are named in the report; all of them are counted.
        static let keptIds = 100

        var count = 0
        /// The first of them.
        var ids: [String] = []
    }

    var text: String {
        var lines = refused.map(\.text)
        if refusals > refused.count { lines.append("and \(refusals - refused.count) more") }
        lines += leftOut.map { "\($0.text) Taken in without it." }
        if partial > leftOut.count { lines.append("and \(partial - leftOut.count) more") }
        lines += writableLines
        lines.append(
            """
            \(records.counted("record")): \(imported) \(isRehearsal ? "would be imported" : "imported")\(partial > 0 ? " (\(partial) in part)" : ""), \
            \(present) there already, \(refusals) refused
            """)
        return lines.joined(separator: "\n")
    }

    private var writableLines: [String] {
        let (count, ids) = (writableByEverybody.count, writableByEverybody.ids)
        guard count > 0 else { return [] }
        let more = count > ids.count ? " and \(count - ids.count) more" : ""
        return [
            """
            The access lists of \(count.counted("user")) let everybody write: anybody can change their fields, though nothing \
            that leads to them. Change the lists, unless the app needs them: \(ids.joined(separator: ", ").printable)\(more)
            """
        ]
    }

    /// - Throws: exit status 1, when a record was refused.
    func requireNoRefusals() throws(ExitCode) {
        guard refused.isEmpty else { throw ExitCode(1) }
    }

    mutating func noteWritable(_ id: String) {
        writableByEverybody.count += 1
        if writableByEverybody.ids.count < WritableUsers.keptIds { writableByEverybody.ids.append(id) }
    }

    mutating func refuse(_ refusal: ImportRefusal) {
        refusals += 1
        if refused.count < Self.keptRefusals { refused.append(refusal) }
    }

    mutating func notePart(_ refusal: ImportRefusal) {
        partial += 1
        if leftOut.count < Self.keptRefusals { leftOut.append(refusal) }
    }
}
