import ArgumentParser
import Crypto
import Foundation
import Measuring
import ServerDatabase

/// Fills a database that the server has made with users, as if each had launched the app before.
@main
struct SeedCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "seed",
        abstract: "Fill the server's database with users, and note the keys and sessions of some of them.")

    @Option(help: "The data folder, with the schema and the application; no server may be running on it.")
    var data: String
    @Option(help: "The application's id.")
    var application: String
    @Option(help: "How many users.")
    var users: Int
    @Flag(help: "Make no users, but sessions of foreign protocols for so many of those that are there.")
    var foreignSessions = false
    @Flag(help: "Make no users, but a passkey for so many of those that are there.")
    var passkeys = false
    @Option(help: "How many of them get a real key and a session whose token is known.")
    var devices = 2_000
    @Option(help: "Where to note those.")
    var side: String

    func validate() throws {
        guard (1...10_000_000).contains(users), (0...users).contains(devices) else {
            throw ValidationError("a number is outside its bounds")
        }
    }

    func run() throws {
        let database = try Database(path: data + "/okaeri.sqlite")
        // Nothing is lost if this breaks off: the folder is then made again.
        try database.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA cache_size = -1048576")
        let rows = try ServerRows(database, application: application)
        if foreignSessions { return try addForeignSessions(to: database, rows) }
        if passkeys { return try addPasskeys(to: database, rows) }
        let known = try insert(into: database, rows)
        try database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        // In no order, so that neighbours in the file are no neighbours in the database.
        try Data(known.shuffled().joined().utf8).write(to: URL(filePath: side))
    }

    /// - Returns: the lines of the side file.
    private func insert(into database: Database, _ rows: ServerRows) throws -> [String] {
        let now = Int64(Date.now.timeIntervalSince1970 * 1000)
        // The first user came 300 days ago, the last an hour ago; all logged in once within the last month.
        let (oldest, newest, month) = (now - 300 * 86_400_000, now - 3_600_000, 30 * 86_400_000 as Int64)
        var known: [String] = []
        try database.execute("BEGIN")
        for number in 0..<users {
            let created = oldest + (newest - oldest) * Int64(number) / Int64(users)
            var logIn = LogInRows(
                userCreated: created, at: Int64.random(in: max(created, newest - month)...newest))
            // The others' can be computed from their number; pgbench does (Benchmarks/PostgreSQL).
            logIn.thumbprint = Self.thumbprint(ofUser: number)
            // Spread evenly: a user is known where the count of known ones takes a step.
            if (number + 1) * devices / users > number * devices / users {
                let owner = Base64URL.text(of: Array(logIn.user.utf8))
                let secret = RandomText.base64URL(characterCount: 42) + "A"
                let device = KnownDevice(key: DeviceKey(), token: "oks_\(owner).\(secret)")
                logIn.thumbprint = device.key.thumbprint
                logIn.tokenDigest = Array(SHA256.hash(data: Data(device.token.utf8)))
                known.append(device.line)
            }
            try rows.insertUser(logIn)
            try rows.insertSession(logIn)
            if number < KnownPassword.userCount {
                try rows.insertPassword(KnownPassword.hash, userName: KnownPassword.userName(number), logIn)
            }
            if number % 50_000 == 49_999 { try database.execute("COMMIT; BEGIN") }
        }
        try database.execute("COMMIT")
        return known
    }

    /// One session of each foreign protocol for each of the first users.
    private func addForeignSessions(to database: Database, _ rows: ServerRows) throws {
        let now = Int64(Date.now.timeIntervalSince1970 * 1000)
        var lines = ""
        try database.execute("BEGIN")
        for user in rows.users(users) {
            let session = ForeignSession(
                user: user, ncmbToken: RandomText.base62(characterCount: 25),
                parseToken: "r:" + RandomText.hexadecimal(characterCount: 32),
                kiiToken: RandomText.base64URL(characterCount: 43),
                envelopeToken: RandomText.base64URL(characterCount: 43))
            for (name, token) in [
                ("ncmb", session.ncmbToken), ("parse", session.parseToken), ("kii", session.kiiToken),
                ("envelope", session.envelopeToken),
            ] {
                var logIn = LogInRows(user: user, at: now)
                logIn.tokenDigest = Array(SHA256.hash(data: Data(token.utf8)))
                try rows.insertForeignSession(logIn, of: name)
            }
            lines += session.line
        }
        try database.execute("COMMIT")
        try Data(lines.utf8).write(to: URL(filePath: side))
    }

    /// A passkey for each of the first users.
    private func addPasskeys(to database: Database, _ rows: ServerRows) throws {
        let now = Int64(Date.now.timeIntervalSince1970 * 1000)
        var lines: [String] = []
        try database.execute("BEGIN")
        for user in rows.users(users) {
            let passkey = KnownPasskey()
            try rows.insertPasskey(passkey.id, handle: passkey.handle, key: passkey.cose, of: user, at: now)
            lines.append(passkey.line)
        }
        try database.execute("COMMIT")
        try Data(lines.shuffled().joined().utf8).write(to: URL(filePath: side))
    }

    /// A thumbprint without a key: the digest of the number.
    private static func thumbprint(ofUser number: Int) -> String {
        Base64URL.text(of: SHA256.hash(data: Data(String(number).utf8)))
    }
}
