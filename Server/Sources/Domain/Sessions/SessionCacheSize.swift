import enum OkaeriWire.JSONValue

/// How much the session cache may hold.
package enum SessionCacheSize: Hashable, Sendable {
    /// So many sessions, however large their users are.
    case sessions(Int)
    /// So many bytes, as `Authenticated.estimatedBytes` counts them.
    case bytes(Int)

    /// What each of the cache's two generations may hold, in units of `weight(of:)`.
    var half: Int {
        switch self {
        case .sessions(let count): max(1, count / 2)
        case .bytes(let count): max(0, count / 2)
        }
    }

    /// How much of it an entry takes.
    func weight(of entry: Authenticated) -> Int {
        switch self {
        case .sessions: 1
        case .bytes: entry.estimatedBytes
        }
    }
}

extension Authenticated {
    /// About how many bytes of memory the entry takes in the session cache: its types as they are laid out, the texts and
    /// tables they refer to, what the cache's own tables and the allocator add, and the response that is kept with it.
    ///
    /// The application's settings are shared by all entries and are not in it. The same entry always has the same estimate.
    package var estimatedBytes: Int {
        let types =
            Self.blockBytes + MemoryLayout<Application>.size + MemoryLayout<Session>.size + MemoryLayout<User>.size
            + MemoryLayout<SecretDigest>.size
        let texts: [String?] =
            [
                user.id.rawValue, user.username, user.email, user.phone, user.displayName, user.locale,
                session.id.rawValue, session.user.rawValue, session.deviceKey, session.address,
                session.protocolName.rawValue, session.method.rawValue, session.device.name, session.device.model,
                session.device.system, session.device.appVersion, session.device.installation,
            ] + user.identities.map(\.subject)
        let content =
            texts.reduce(0) { $0 + Self.bytes(of: $1) } + Self.blockBytes
            + user.identities.count * MemoryLayout<Identity>.stride
        let fields = Self.bytes(of: .object(user.fields)) + Self.bytes(of: .object(session.fields))
        // A slot for the token, one for the user and the list of its tokens; tables are two thirds full on average.
        let tables =
            3 * (MemoryLayout<SecretDigest>.size + MemoryLayout<Identifier<User>>.size + 3 * MemoryLayout<Int>.size) / 2
            + Self.blockBytes + MemoryLayout<SecretDigest>.size
        // The response writes every text once, with names of members, times and punctuation.
        let response = Self.blockBytes + 500 + content / 2 + ResponseSize.of(.object(user.fields))
        return types + content + fields + tables + response
    }

    /// The head of an object, an array or a long text, with what an allocator loses on it.
    private static let blockBytes = 48

    /// Texts of up to 15 bytes stand in their variable.
    private static func bytes(of text: String?) -> Int {
        guard let count = text?.utf8.count, count > 15 else { return 0 }
        return blockBytes + count
    }

    /// What a table of members has before its slots: its head, and what an allocator loses on it.
    private static let tableBytes = 80

    /// What a value takes beside its own variable. Arrays and tables count with the room that they have, not with what is in it:
    /// a table for one member takes ten times what the member is written with.
    static func bytes(of value: JSONValue) -> Int {
        switch value {
        case .null, .bool, .integer, .number: return 0
        case .string(let text): return bytes(of: text)
        case .array(let values):
            guard !values.isEmpty else { return 0 }
            return values.reduce(blockBytes + values.capacity * MemoryLayout<JSONValue>.stride) { $0 + bytes(of: $1) }
        case .object(let members):
            guard !members.isEmpty else { return 0 }
            // Three quarters of its slots are its capacity; their number is a power of two, and each has a bit.
            let slots = (members.capacity * 4 + 2) / 3
            let slotBytes = MemoryLayout<String>.stride + MemoryLayout<JSONValue>.stride
            let table = tableBytes + slots * slotBytes + (slots + 63) / 64 * 8
            return members.reduce(table) { $0 + bytes(of: $1.key) + bytes(of: $1.value) }
        }
    }
}
