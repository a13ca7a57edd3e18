import OkaeriWire

/// Which of the device's keys lead to registered users who have left it. Who comes back gets the same key again: people who use one
/// device in turn have one key each in their lists of devices, and not one more with each change.
struct FormerKeys: Codable, Hashable, Sendable {
    struct Key: Codable, Hashable, Sendable {
        let user: String
        let slot: Int
        /// What is kept of the names, addresses and numbers that the user types.
        var identifiers: [String]
        /// Digests of the user's passkeys, as far as this device knew of them.
        let passkeys: [String]
    }

    /// The users who left last, the latest at the end.
    private var keys: [Key] = []
    /// The last of the keys that were in use before an earlier one was taken up again.
    private(set) var last = 0

    /// The most users that a device remembers.
    private static let maximumKeys = 8
    /// The most passkeys of one user that are looked at.
    private static let maximumPasskeys = 64

    init() {}

    /// Reads what was stored, with numbers that can be gone on with.
    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        keys = try members.decodeIfPresent([Key].self, forKey: .keys) ?? []
        keys = keys.suffix(Self.maximumKeys).filter { $0.slot == VaultRecord.slot($0.slot) }
        for index in keys.indices { keys[index].identifiers = keys[index].identifiers.map(VaultRecord.shortened) }
        last = VaultRecord.slot(try members.decodeIfPresent(Int.self, forKey: .last))
    }

    /// Remembers the key of a user who leaves.
    mutating func remember(_ user: UserBody, slot: Int) {
        keys.removeAll { $0.user == user.id || $0.slot == slot }
        let passkeys = user.identities.filter { $0.provider == "passkey" }.prefix(Self.maximumPasskeys)
        keys.append(
            Key(
                user: user.id, slot: slot, identifiers: Self.identifiers(of: user),
                passkeys: passkeys.map { VaultRecord.digest(of: $0.subject) }))
        if keys.count > Self.maximumKeys { keys.removeFirst() }
    }

    private static func identifiers(of user: UserBody) -> [String] {
        [user.username, user.email, user.phone].compactMap { $0.map(VaultRecord.shortDigest(of:)) }
    }

    /// Takes what this user types from everybody else: a name, an address or a number that has changed hands.
    mutating func giveIdentifiers(to user: UserBody) {
        let own = Self.identifiers(of: user)
        for index in keys.indices where keys[index].user != user.id {
            keys[index].identifiers.removeAll { own.contains($0) }
        }
    }

    /// Forgets who had a key that leads to this user by now.
    mutating func give(_ slot: Int, to user: String) {
        keys.removeAll { $0.slot == slot && $0.user != user }
    }

    /// Forgets a user's key that was found to lead to somebody else.
    mutating func take(_ slot: Int, from user: String) {
        keys.removeAll { $0.slot == slot && $0.user == user }
    }

    /// Forgets a user.
    mutating func forget(_ user: String) {
        keys.removeAll { $0.user == user }
    }

    /// An earlier key than this one is in use again.
    mutating func takeUpAgain(after slot: Int) {
        last = max(last, slot)
    }

    /// The key of the user who types this.
    func key(of identifier: String) -> Key? {
        let digest = VaultRecord.shortDigest(of: identifier)
        return keys.last { $0.identifiers.contains(digest) }
    }

    /// The key of the user to whom this passkey leads.
    func key(ofPasskey passkey: String) -> Key? {
        let digest = VaultRecord.digest(of: passkey)
        return keys.last { $0.passkeys.contains(digest) }
    }
}
