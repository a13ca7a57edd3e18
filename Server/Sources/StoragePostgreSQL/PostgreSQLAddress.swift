import CLibPQ
import Foundation

/// Where a database is and how it is reached: a connection string in libpq's form,
/// `postgresql://user:password@host1,host2/database?sslmode=verify-full`.
package struct PostgreSQLAddress: Hashable, Sendable, CustomStringConvertible {
    /// What the string does not say and every connection of ours needs: a server that is gone is noticed in seconds,
    /// and of several hosts the one that takes writes is taken.
    private static let standard = [
        "connect_timeout": "3", "keepalives": "1", "keepalives_idle": "5", "keepalives_interval": "2",
        "keepalives_count": "3", "tcp_user_timeout": "10000", "target_session_attrs": "read-write",
        "fallback_application_name": "okaeri",
    ]

    /// libpq's keywords and values.
    let parameters: [String: String]

    /// `nil` unless the text is a connection string that libpq understands.
    package init?(_ text: String) {
        guard text.hasPrefix("postgresql://") || text.hasPrefix("postgres://"),
            let options = PQconninfoParse(text, nil)
        else { return nil }
        defer { PQconninfoFree(options) }
        var parameters = Self.standard
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val { parameters[String(cString: keyword)] = String(cString: value) }
            option += 1
        }
        // Texts are bound and read as UTF-8, whatever the machine's locale says.
        parameters["client_encoding"] = "UTF8"
        self.parameters = parameters
    }

    private init(parameters: [String: String]) {
        self.parameters = parameters
    }

    /// The name of the database; without one, libpq takes the user's.
    package var database: String { parameters["dbname"] ?? parameters["user"] ?? "" }

    /// The same server, reached also when it is a standby.
    var forReading: PostgreSQLAddress {
        PostgreSQLAddress(parameters: parameters.merging(["target_session_attrs": "any"]) { $1 })
    }

    /// Hosts and database, never the password: `db1.example.com:5432,db2.example.com:5432/okaeri`.
    package var description: String {
        let names = (parameters["host"] ?? parameters["hostaddr"] ?? "localhost").split(separator: ",")
        let ports = (parameters["port"] ?? "5432").split(separator: ",")
        let hosts = names.enumerated().map { position, name in
            "\(name):\(position < ports.count ? ports[position] : ports.last ?? "5432")"
        }
        return "\(hosts.joined(separator: ","))/\(database)"
    }
}
