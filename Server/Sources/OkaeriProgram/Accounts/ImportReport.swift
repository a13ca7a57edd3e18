import ArgumentParser

/// A record that was not taken in.
struct ImportRefusal: Encodable {
    let line: Int
    let id: String?
    let reason: String
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
        var lines = refused.map { refusal in
            "line \(refusal.line)\(refusal.id.map { ", \($0)" } ?? ""): \(refusal.reason)"
        }
        if refusals > refused.count { lines.append("and \(refusals - refused.count) more") }
        lines += writableLines
        lines.append(
            """
            \(records) records: \(imported) \(isRehearsal ? "would be imported" : "imported"), \(present) there \
            already, \(refusals) refused
            """)
        return lines.joined(separator: "\n")
    }

    private var writableLines: [String] {
        let (count, ids) = (writableByEverybody.count, writableByEverybody.ids)
        guard count > 0 else { return [] }
        let more = count > ids.count ? " and \(count - ids.count) more" : ""
        return [
            """
            \(count) have access lists that let everybody write: anybody can change their fields, though nothing that \
            leads to them. Change the lists, unless the app needs them: \(ids.joined(separator: ", "))\(more)
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

    mutating func refuse(_ line: Int, _ id: String?, _ reason: String) {
        refusals += 1
        if refused.count < Self.keptRefusals { refused.append(ImportRefusal(line: line, id: id, reason: reason)) }
    }
}
