import ArgumentParser
import Domain

/// `okaeri policy`
struct PolicyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "policy",
        abstract: "Print the tables of who may do what, as docs/threat-model.md shows them.",
        discussion: """
            Each table stands between two markers of its name. No data is opened.

            Example:
              okaeri policy
            """,
        shouldDisplay: false)

    /// The tables, by the names of their markers.
    static let tables = [("AccountChange", AccountChange.policyTable)]

    func run() {
        for (name, table) in Self.tables {
            Console.write("<!-- policy: \(name) -->\n\n\(table)\n\n<!-- end of policy -->")
        }
    }
}
