/// The rows that the server writes for a log-in, in its own schema, without what it does beside writing them.
///
/// When a migration changes these tables, change these statements too.
package struct ServerRows {
    private let user: Statement
    private let identity: Statement
    private let session: Statement
    private let foreignSession: Statement
    private let userIds: Statement
    private let logInTimes: Statement
    private let replacedSession: Statement
    private let passkeyIdentity: Statement
    private let passkey: Statement
    private let userName: Statement
    private let identifier: Statement
    private let password: Statement
    private let application: Value
    /// A day in milliseconds.
    private static let day: Int64 = 86_400_000

    /// - Parameters:
    ///   - database: A database that the server has made.
    ///   - application: The application's id.
    /// - Throws: `DatabaseFault` when the schema is another one.
    package init(_ database: Database, application: String) throws {
        self.application = .text(application)
        user = try database.prepare(
            """
            INSERT INTO users (application_id, id, locale, created_at, updated_at, last_log_in_at, seen_day)
            VALUES (?, ?, 'ja', ?, ?, ?, ?)
            """)
        identity = try database.prepare(
            """
            INSERT INTO identities (application_id, provider, subject, user_id, linked_at)
            VALUES (?, 'device', ?, ?, ?)
            """)
        session = try database.prepare(
            """
            INSERT INTO sessions (application_id, token_digest, id, slot, user_id, device_key, device_name,
                device_model, device_system, device_app_version, address, protocol, method, created_at, last_used_at,
                expires_at, authenticated_at)
            VALUES (?1, ?2, ?3, ?3, ?4, ?5, 'Hana''s iPhone', 'iPhone17,1', 'iOS 19.1', '2.4.0 (311)', '127.0.0.1',
                'native', 'automatic', ?6, ?7, ?8, ?9)
            """)
        foreignSession = try database.prepare(
            """
            INSERT INTO sessions (application_id, token_digest, token_lookup, id, slot, user_id, address, protocol,
                method, created_at, last_used_at, expires_at)
            VALUES (?1, ?2, ?2, ?3, ?3, ?4, '127.0.0.1', ?5, 'password', ?6, ?7, ?8)
            """)
        userIds = try database.prepare("SELECT id FROM users WHERE application_id = ? ORDER BY id LIMIT ?")
        logInTimes = try database.prepare(
            """
            UPDATE users SET last_log_in_at = ?, previous_log_in_at = last_log_in_at
            WHERE application_id = ? AND id = ?
            """)
        userName = try database.prepare(
            "UPDATE users SET username = ?, password_set_at = ? WHERE application_id = ? AND id = ?")
        identifier = try database.prepare(
            "INSERT INTO identifiers (application_id, kind, value, user_id) VALUES (?, 'username', ?, ?)")
        password = try database.prepare("INSERT INTO passwords (application_id, user_id, hash) VALUES (?, ?, ?)")
        passkeyIdentity = try database.prepare(
            """
            INSERT INTO identities (application_id, provider, subject, user_id, linked_at)
            VALUES (?, 'passkey', ?, ?, ?)
            """)
        passkey = try database.prepare(
            """
            INSERT INTO passkeys (application_id, credential_id, user_handle, public_key, name, aaguid, sign_count,
                transports, is_backup_eligible, is_backed_up, created_at)
            VALUES (?, ?, ?, ?, 'Hana''s iPhone', 'fbfc3007-154e-4ecc-8c0b-6e020557d7bd', 0, 'hybrid internal', 1, 1, ?)
            """)
        replacedSession = try database.prepare(
            """
            UPDATE sessions SET token_digest = ?, id = ?, device_key = ?, device_name = 'Hana''s iPhone',
                device_model = 'iPhone17,1', device_system = 'iOS 19.1', device_app_version = '2.4.0 (311)',
                address = '127.0.0.1', protocol = 'native', method = 'automatic', created_at = ?, last_used_at = ?,
                expires_at = ?, authenticated_at = ?, token_lookup = NULL
            WHERE application_id = ? AND user_id = ? AND slot = ?
            """)
    }

    /// A new user and the device key that leads to it.
    package func insertUser(_ logIn: LogInRows) throws {
        let created = Value.integer(logIn.userCreated)
        try user.run([
            application, .text(logIn.user), created, created, .integer(logIn.now), .integer(logIn.now / Self.day),
        ])
        try identity.run([application, .text(logIn.thumbprint), .text(logIn.user), created])
    }

    /// The user name and the password of a user.
    package func insertPassword(_ hash: String, userName name: String, _ logIn: LogInRows) throws {
        try userName.run([.text(name), .integer(logIn.userCreated), application, .text(logIn.user)])
        try identifier.run([application, .text(name), .text(logIn.user)])
        try password.run([application, .text(logIn.user), .text(hash)])
    }

    /// The times of a user's last log-ins. The day, which has an index, is written later by the server, with those of others.
    package func updateLogInTimes(_ logIn: LogInRows) throws {
        try logInTimes.run([.integer(logIn.now), application, .text(logIn.user)])
    }

    /// A session in the slot of the one that the device had before.
    package func replaceSession(in slot: String, _ logIn: LogInRows) throws {
        let now = Value.integer(logIn.now)
        try replacedSession.run([
            .bytes(logIn.tokenDigest), .text(logIn.session), .text(logIn.thumbprint), now, now,
            .integer(logIn.now + 400 * Self.day), now, application, .text(logIn.user), .text(slot),
        ])
    }

    /// A session.
    package func insertSession(_ logIn: LogInRows) throws {
        let now = Value.integer(logIn.now)
        try session.run([
            application, .bytes(logIn.tokenDigest), .text(logIn.session), .text(logIn.user), .text(logIn.thumbprint),
            now, now, .integer(logIn.now + 400 * Self.day), now,
        ])
    }

    /// A session of a foreign protocol, opened just now.
    package func insertForeignSession(_ logIn: LogInRows, of protocolName: String) throws {
        let now = Value.integer(logIn.now)
        try foreignSession.run([
            application, .bytes(logIn.tokenDigest), .text(logIn.session), .text(logIn.user), .text(protocolName), now,
            now, .integer(logIn.now + 400 * Self.day),
        ])
    }

    /// A passkey of a user.
    ///
    /// - Parameters:
    ///   - id: The credential's id, base64url.
    ///   - handle: The user's handle for authenticators, base64url.
    ///   - key: The public key in the form of COSE.
    ///   - user: Whose.
    ///   - time: When it was added, in milliseconds since 1970.
    /// - Throws: `DatabaseFault`.
    package func insertPasskey(_ id: String, handle: String, key: [UInt8], of user: String, at time: Int64) throws {
        try passkeyIdentity.run([application, .text(id), .text(user), .integer(time)])
        try passkey.run([application, .text(id), .text(handle), .bytes(key), .integer(time)])
    }

    /// The ids of the oldest users.
    package func users(_ count: Int) -> [String] {
        userIds.texts([application, .integer(Int64(count))])
    }
}

/// The values of one log-in, drawn before time is measured.
package struct LogInRows {
    /// How many rows a log-in inserts or changes at the most: the user, the session, and of a new device the identity.
    package static let rowsOfALogIn = 3

    package var user: String
    package var session: String
    package var thumbprint: String
    package var tokenDigest: [UInt8]
    /// The slot of the session that this one replaces.
    package var slot: String?
    /// The time of the log-in, in milliseconds since 1970.
    package var now: Int64
    /// When the user was made, in milliseconds since 1970.
    package var userCreated: Int64

    /// Random values of the right form and length.
    ///
    /// - Parameters:
    ///   - user: The user's id; `nil` for a new one.
    ///   - userCreated: When the user was made, in milliseconds since 1970; `nil` for now.
    ///   - now: The time of the log-in, in milliseconds since 1970.
    package init(user: String? = nil, userCreated: Int64? = nil, at now: Int64) {
        self.userCreated = userCreated ?? now
        self.user = user ?? RandomText.identifier(at: userCreated ?? now)
        session = RandomText.identifier(at: now)
        thumbprint = RandomText.base64URL(characterCount: 43)
        tokenDigest = RandomBytes.some(32)
        self.now = now
    }
}

/// Keys as the server makes them.
package enum RandomBytes {
    package static func some(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8.random(in: 0...255) } }
}

/// Random texts in the server's alphabets.
package enum RandomText {
    private static let base62 = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)
    private static let hexadecimalDigits = Array("0123456789abcdef".utf8)
    private static let base64 = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// An id that grows with time: eight characters of time, eight random ones.
    package static func identifier(at milliseconds: Int64) -> String {
        var time = milliseconds
        var characters = [UInt8](repeating: base62[0], count: 16)
        for index in (0..<8).reversed() {
            characters[index] = base62[Int(time % 62)]
            time /= 62
        }
        for index in 8..<16 { characters[index] = base62[Int.random(in: 0..<62)] }
        return String(decoding: characters, as: UTF8.self)
    }

    /// Random letters and digits.
    package static func base62(characterCount: Int) -> String {
        String(decoding: (0..<characterCount).map { _ in base62[Int.random(in: 0..<62)] }, as: UTF8.self)
    }

    /// Random lower-case hexadecimal digits.
    package static func hexadecimal(characterCount: Int) -> String {
        String(decoding: (0..<characterCount).map { _ in hexadecimalDigits[Int.random(in: 0..<16)] }, as: UTF8.self)
    }

    /// Random characters of the alphabet for addresses.
    package static func base64URL(characterCount: Int) -> String {
        String(decoding: (0..<characterCount).map { _ in base64[Int.random(in: 0..<64)] }, as: UTF8.self)
    }
}
