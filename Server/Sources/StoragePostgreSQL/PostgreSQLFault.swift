import Domain

/// What a server, or the way to it, answered instead of a result.
struct PostgreSQLFault: Error {
    /// What an engine can do about it.
    enum Kind: Hashable {
        /// Another transaction was in the way; run again, it succeeds.
        case collision
        /// A row with the same key is there; where the rule is "look, then insert", the next look finds it.
        case duplicate
        /// The connection is gone, or leads to a server that takes no writes. Another one may do.
        case lost
        /// A closure that may read with one statement only wanted a second one.
        case secondStatement
        /// A value of the request is none that the database takes (class 22, data exception).
        case badValue
        /// The server stopped the statement: at a time limit, or because an operator wanted it.
        case stopped
        /// Everything else.
        case other
    }

    let kind: Kind
    /// For the log: SQLSTATE and the server's words.
    let words: String

    /// Whether another transaction held what a change of the tables needs alone, and it can be tried again.
    var isOfAnother: Bool { kind == .collision || words.hasPrefix("55P03") }

    /// Duplicates carry the colliding values in their detail, which is not read; the message names the constraint.
    init(state: String, message: String) {
        kind =
            switch state {
            case "40001", "40P01": .collision
            case "23505": .duplicate
            case "57014": .stopped
            // The server ends, takes no writes any more, or has forgotten or changed what was prepared.
            case "57P01", "57P02", "57P03", "57P05", "25006", "25P03", "26000", "0A000": .lost
            default: state.hasPrefix("08") ? .lost : state.hasPrefix("22") ? .badValue : .other
            }
        words = "\(state) (\(Self.oneLine(message)))"
    }

    init(_ kind: Kind, _ words: String) {
        self.kind = kind
        self.words = Self.oneLine(words)
    }

    static func oneLine(_ text: String) -> String {
        text.split(whereSeparator: \.isNewline).map(\.withoutBlanks).joined(separator: "; ")
    }
}

/// Why a database cannot be used, in words for the person who runs the server.
package struct PostgreSQLOpenFault: Error, Hashable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }

    /// What libpq says of a connection that could not be made, and what to do about it.
    init(_ address: PostgreSQLAddress, message: String) {
        description = "The database \(address) cannot be used: \(Self.advised(message))"
    }

    /// What the server says of a statement of a command, and what to do about it.
    init(_ address: PostgreSQLAddress, _ verb: String, _ fault: PostgreSQLFault) {
        description = "The database \(address) \(verb): \(Self.advised(fault.words))"
    }

    private static func advised(_ message: String) -> String {
        let words = PostgreSQLFault.oneLine(message)
        let advice = known.first { words.contains($0.words) }.map { " \($0.advice)" } ?? ""
        // libpq ends some of what it says with a question.
        let end = words.last == "?" || words.last == "." ? "" : "."
        return "\(words)\(end)\(advice)"
    }

    private static let known: [(words: String, advice: String)] = [
        ("password authentication failed", "Check user and password in the connection string."),
        ("no password supplied", "Put the password into the connection string, or into libpq's password file."),
        ("could not translate host name", "Check the host in the connection string."),
        ("too many clients", tooFewConnections), ("connection slots", tooFewConnections),
        ("too many connections", tooFewConnections),
        (
            "read-only",
            "It is a standby, or has default_transaction_read_only: name the primary, or all hosts with commas "
                + "between, so that the one that takes writes is found."
        ),
        ("hot standby", "It is a standby: name the primary, or all hosts with commas between."),
        ("does not exist", "Create what is missing, or correct the connection string."),
        ("starting up", "Try again in a moment."), ("shutting down", "Try again when it is back."),
        (
            "permission denied for schema",
            "A node needs USAGE on it; “okaeri migrate”, “okaeri backup” and “okaeri restore” need the role that the "
                + "tables belong to, or one that may act as it."
        ),
        (
            "permission denied",
            "Let the role of the connection string own Okaeri's tables, or grant it SELECT, INSERT, UPDATE and DELETE "
                + "on all of them, and USAGE on revocations_id_seq where backups have made it; “okaeri migrate” is "
                + "best run as that role."
        ),
        ("lock timeout", "Another program holds a table, such as pg_dump: try again when it has ended."),
        ("Connection refused", "See whether PostgreSQL runs there, and listens on that address."),
        ("pg_hba.conf", "Allow this machine and user in the server's pg_hba.conf."),
        ("certificate", "Check sslmode and sslrootcert in the connection string."),
        ("does not support SSL", "Switch TLS on there, or check sslmode in the connection string."),
    ]

    private static let tooFewConnections =
        "Raise max_connections there, or lower OKAERI_DATABASE_CONNECTIONS here; each node needs that many, one "
        + "more, and OKAERI_SEARCH_READERS."
}
