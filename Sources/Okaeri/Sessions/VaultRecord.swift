import Foundation
@_spi(Base64URL) import OkaeriWire

#if canImport(CryptoKit)
    import CryptoKit
#else
    import Crypto
#endif

/// What a client keeps in its vault beside the device's key. All of it can be lost without losing the account.
struct VaultRecord: Codable, Hashable, Sendable {
    /// Counts every log-in and log-out: a log-in that began at another count is late and does not count.
    var generation: Int64 = 0
    /// Counts every change of *who* is logged in: a request of another epoch must not touch the user's copy.
    var epoch: Int64 = 0
    /// Counts the log-outs that a person asked for: no log-in that began before, however it was proved, undoes one.
    var departures: Int64 = 0
    /// The live session.
    var session: StoredSession?
    /// The copy of the user.
    var user: UserBody? { didSet { noteGuest() } }
    /// How the log-in that opened the session ended.
    var welcome: StoredWelcome?
    /// Whether the person logged out: then nothing but a wanted log-in opens a session again.
    var isLoggedOut = false
    /// Why nobody is logged in; `nil` before the first log-in.
    var logOutReason: OkaeriState.LogOutReason?
    /// The registered user who logged out while the key in use led to that user, or ``stranger``: it opens an account only after
    /// another log-in by other means.
    var lockedKeyUser: String?
    /// The passkeys of that user, as far as this device knew of them; `nil` where an older version wrote who it is.
    var lockedKeyPasskeys: [String]?
    /// What is kept of that user's mail address.
    var lockedKeyAddress: String?
    /// Whether the application wants a proof with every request.
    var proofRequired = false
    /// Which of the device's keys is in use: a device that changes hands makes a new one and keeps the old.
    var keySlot = 0 {
        didSet {
            guard keySlot < oldValue else { return }
            formerKeys.takeUpAgain(after: oldValue)
            // An older version knows by this alone that the later key has a user.
            triedKeySlot = max(triedKeySlot, oldValue)
        }
    }
    /// The keys of registered users who have left.
    private(set) var formerKeys = FormerKeys()
    /// The last of the device's keys with which somebody logged in by other means, or tried to: where no response came, the
    /// server may know it all the same as a way into that account.
    var triedKeySlot = 0
    /// The user to whom the key in use leads, as far as this device knows.
    var keyUser: String? { didSet { noteGuest() } }
    /// The guest who was last here with the key in use: who logs in beside that key does not make it a registered user's.
    private(set) var keyGuest: String?
    /// The guest to whom the key of a registered user was found to lead: nobody has been this guest here.
    private(set) var unwantedGuest: String?
    /// Tokens of log-outs that the server does not know of yet, oldest first.
    var pendingRevocations: [Secret] = []

    /// Whether the device's key leads to another user than the one who is logged in: then it must renew nothing.
    var keyLeadsElsewhere = false
    /// The provider that the person logged in with, also once the key has renewed that log-in; `nil` after any other.
    var loggedInWith: String?
    /// Names from a provider that no server has taken yet, by provider and person. They go with a user who
    /// logs out.
    private(set) var pendingNames: [String: String] = [:]

    struct StoredSession: Codable, Hashable, Sendable {
        var id: String
        var token: Secret
    }

    /// What a log-in that replaces every earlier one compares when its response comes.
    struct Counts: Hashable, Sendable {
        let generation: Int64
        let departures: Int64
    }

    struct StoredWelcome: Codable, Hashable, Sendable {
        var isNew: Bool
        var previousLogInAt: WireTime?
    }

    init() {}

    /// Reads a record; members that an older or newer version did not write have their first value.
    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        generation = Self.count(try members.decodeIfPresent(Int64.self, forKey: .generation))
        epoch = Self.count(try members.decodeIfPresent(Int64.self, forKey: .epoch))
        departures = Self.count(try members.decodeIfPresent(Int64.self, forKey: .departures))
        session = try members.decodeIfPresent(StoredSession.self, forKey: .session)
        user = try members.decodeIfPresent(UserBody.self, forKey: .user)
        welcome = try members.decodeIfPresent(StoredWelcome.self, forKey: .welcome)
        isLoggedOut = try members.decodeIfPresent(Bool.self, forKey: .isLoggedOut) ?? false
        // A newer version may know more reasons.
        logOutReason = try members.decodeIfPresent(String.self, forKey: .logOutReason).flatMap {
            OkaeriState.LogOutReason(rawValue: $0)
        }
        lockedKeyUser = try members.decodeIfPresent(String.self, forKey: .lockedKeyUser)
        lockedKeyPasskeys = try members.decodeIfPresent([String].self, forKey: .lockedKeyPasskeys)
        lockedKeyAddress = try members.decodeIfPresent(String.self, forKey: .lockedKeyAddress).map(Self.shortened)
        proofRequired = try members.decodeIfPresent(Bool.self, forKey: .proofRequired) ?? false
        keySlot = Self.slot(try members.decodeIfPresent(Int.self, forKey: .keySlot))
        triedKeySlot = Self.slot(try members.decodeIfPresent(Int.self, forKey: .triedKeySlot))
        formerKeys = try members.decodeIfPresent(FormerKeys.self, forKey: .formerKeys) ?? FormerKeys()
        keyUser = try members.decodeIfPresent(String.self, forKey: .keyUser) ?? user?.id
        keyGuest = try members.decodeIfPresent(String.self, forKey: .keyGuest)
        unwantedGuest = try members.decodeIfPresent(String.self, forKey: .unwantedGuest)
        pendingRevocations = try members.decodeIfPresent([Secret].self, forKey: .pendingRevocations) ?? []
        keyLeadsElsewhere = try members.decodeIfPresent(Bool.self, forKey: .keyLeadsElsewhere) ?? false
        loggedInWith = try members.decodeIfPresent(String.self, forKey: .loggedInWith)
        pendingNames = try members.decodeIfPresent([String: String].self, forKey: .pendingNames) ?? [:]
    }

    /// The most keys that a device is believed to have made: forgetting the device looks for each, and a damaged record must
    /// not make that endless.
    private static let maximumKeySlot = 100_000

    static func slot(_ stored: Int?) -> Int { min(max(stored ?? 0, 0), maximumKeySlot) }

    /// A count that was stored, from 0 to 2^60: with room to count on, whatever damage has made of it.
    private static func count(_ stored: Int64?) -> Int64 { min(max(stored ?? 0, 0), 1 << 60) }

    var counts: Counts { Counts(generation: generation, departures: departures) }

    /// The user, when somebody is logged in.
    var loggedInUser: UserBody? { isLoggedOut ? nil : user }

    /// Whether a registered user is logged in, and not this one.
    func isMember(otherThan user: String?) -> Bool {
        loggedInUser.map { !$0.isAnonymous && $0.id != user } ?? false
    }

    /// What is kept of a passkey's name.
    static func digest(of text: String) -> String {
        Base64URL.text(of: SHA256.hash(data: Data(text.lowercased().utf8)))
    }

    /// What is kept of a name, an address or a number that itself leaves the device with its user: 18 bits of its digest. Who reads
    /// the record and tries all numbers that there are finds a thousand that fit. A newcomer who types what fits is asked for with
    /// another's key, once.
    static func shortDigest(of identifier: String) -> String { shortened(digest(of: identifier)) }

    /// An older version kept all of a digest.
    static func shortened(_ digest: String) -> String { String(digest.prefix(3)) }

    /// Why nobody is logged in. A record of an older version does not say; its key leads to whom it led before.
    var reasonLoggedOut: OkaeriState.LogOutReason {
        logOutReason ?? (isLoggedOut && keyUser != nil ? .guestLoggedOut : .firstLaunch)
    }

    /// Takes over a log-in. A registered user who was logged in before is logged out by it. Where the copy of the user is not of the
    /// time any more that is named, and newer than the response, a change came in between whose response was faster.
    mutating func logIn(_ response: LogInResponse, over copy: WireTime? = nil) {
        let isSomebodyElse = response.user.id != loggedInUser?.id
        let isNewer = loggedInUser.map { $0.updatedAt != copy && $0.updatedAt > response.user.updatedAt } ?? false
        if isSomebodyElse { lockKey() }
        if response.user.id == lockedKeyUser {
            (lockedKeyUser, lockedKeyPasskeys, lockedKeyAddress) = (nil, nil, nil)
        } else if let email = response.user.email, lockedKeyAddress == Self.shortDigest(of: email) {
            lockedKeyAddress = nil
        }
        formerKeys.giveIdentifiers(to: response.user)
        (logOutReason, unwantedGuest) = (nil, nil)
        if isSomebodyElse {
            epoch += 1
            loggedInWith = nil
        }
        generation += 1
        session = StoredSession(id: response.session.id, token: Secret(response.session.token))
        if copy == nil || isSomebodyElse || !isNewer { user = response.user }
        user?.lastLogInAt = response.user.lastLogInAt
        user?.previousLogInAt = response.user.previousLogInAt
        welcome = StoredWelcome(isNew: response.isNew, previousLogInAt: response.previousLogInAt)
        isLoggedOut = false
        keyLeadsElsewhere = false
    }

    /// Forgets the session and the user, and remembers to tell the server.
    ///
    /// - Parameter reason: Why, when it was not the person who wanted it.
    mutating func logOut(because reason: OkaeriState.LogOutReason? = nil) {
        if let reason {
            logOutReason = reason
        } else if let user {
            lockKey()
            logOutReason = user.isAnonymous ? .guestLoggedOut : .registeredUserLoggedOut
        } else {
            // Who wants to be logged out has been here.
            logOutReason = reasonLoggedOut == .firstLaunch ? .ended : reasonLoggedOut
        }
        // A stranger's key may open an account that nobody logged in to here.
        if isKeyOfStranger { lockKey() }
        if let session { revokeLater(session.token) }
        generation += 1
        epoch += 1
        if reason == nil {
            departures += 1
            // An app may log out before each try to log in, when nobody is there.
            if user != nil { pendingNames = [:] }
        }
        session = nil
        user = nil
        welcome = nil
        isLoggedOut = true
        keyLeadsElsewhere = false
        loggedInWith = nil
    }

    /// Takes over to whom the key in use leads. Who had it before is forgotten.
    mutating func giveKey(to user: String) {
        keyUser = user
        formerKeys.give(keySlot, to: user)
    }

    /// Takes over that a key does not lead to this user, to whom it led when the user left.
    mutating func takeKey(_ slot: Int, from user: String) {
        formerKeys.take(slot, from: user)
    }

    /// Logs out a registered user whose key was found to lead to this guest.
    mutating func giveWay(toGuest guest: String) {
        if let user { formerKeys.forget(user.id) }
        logOut(because: .ended)
        keyUser = guest
        unwantedGuest = guest
    }

    /// Remembers a guest who is logged in with the key in use, and forgets one who is registered by now.
    private mutating func noteGuest() {
        guard let user, user.id == keyUser, !keyLeadsElsewhere else { return }
        if user.isAnonymous {
            keyGuest = user.id
        } else if keyGuest == user.id {
            keyGuest = nil
        }
    }

    /// Keeps automatic log-ins from the account of a registered user who leaves, or of a stranger.
    private mutating func lockKey() {
        if isKeyOfStranger {
            keyUser = Self.stranger
            (lockedKeyUser, lockedKeyPasskeys, lockedKeyAddress) = (Self.stranger, nil, nil)
        }
        guard let user = loggedInUser, !user.isAnonymous, user.id == keyUser else { return }
        formerKeys.remember(user, slot: keySlot)
        lockedKeyUser = user.id
        lockedKeyPasskeys = user.identities.filter { $0.provider == "passkey" }.map(\.subject)
        lockedKeyAddress = user.email.map(Self.shortDigest(of:))
    }

    /// Forgets the user who asked to be deleted.
    mutating func forgetDeleted() {
        session = nil
        if let user { formerKeys.forget(user.id) }
        logOut(because: .ended)
    }

    /// Remembers to tell the server that a session has ended. Of more than 32 the oldest run out by themselves.
    mutating func revokeLater(_ token: Secret) {
        pendingRevocations.append(token)
        if pendingRevocations.count > 32 { pendingRevocations.removeFirst() }
    }

    /// The most people whose names wait for a server. One more takes the place of all: none of their log-ins came to anything.
    private static let maximumPendingNames = 8

    /// Keeps a name until a server has taken it; `nil` forgets it.
    mutating func keepName(_ name: String?, of identity: String) {
        if name != nil, pendingNames[identity] == nil, pendingNames.count >= Self.maximumPendingNames {
            pendingNames = [:]
        }
        pendingNames[identity] = name
    }

    /// Takes over the user's values, unless the copy is of another user or newer. One of the time that is named is older.
    mutating func take(_ newer: UserBody, epoch began: Int64, over copy: WireTime? = nil) {
        guard epoch == began, let present = loggedInUser, present.id == newer.id,
            present.updatedAt <= newer.updatedAt || present.updatedAt == copy
        else { return }
        user = newer
    }
}

extension VaultRecord {
    /// The record as it was stored; an empty one when nothing was.
    ///
    /// When what was stored is damaged, nobody is logged in, and that is no first launch: the device's key, which is what
    /// counts, is stored apart. Which one it is, and whether it is locked, says the copy, or what can be read still.
    ///
    /// - Parameters:
    ///   - stored: The record.
    ///   - copy: The copy of what it says of keys; `nil` when there is none.
    /// - Returns: What counts.
    static func read(_ stored: Data?, keys copy: Data? = nil) -> VaultRecord {
        guard let stored else { return VaultRecord() }
        return undamaged(stored) ?? VaultRecord(keys(in: copy) ?? keys(in: stored) ?? Keys())
    }

    /// The record as it was stored; `nil` when that is damaged.
    static func undamaged(_ stored: Data) -> VaultRecord? {
        try? UntrustedJSON.decode(
            VaultRecord.self, from: stored, maximumBytes: UntrustedJSON.maximumRecordBytes,
            maximumDepth: UntrustedJSON.maximumRecordDepth)
    }

    private static func keys(in stored: Data?) -> Keys? {
        guard let stored else { return nil }
        return try? UntrustedJSON.decode(
            Keys.self, from: stored, maximumBytes: UntrustedJSON.maximumRecordBytes,
            maximumDepth: UntrustedJSON.maximumRecordDepth)
    }

    private init(_ keys: Keys) {
        keySlot = Self.slot(keys.keySlot)
        triedKeySlot = Self.slot(keys.triedKeySlot)
        (keyUser, lockedKeyUser) = (keys.keyUser, keys.lockedKeyUser)
        isLoggedOut = true
        logOutReason = isKeyLocked ? .registeredUserLoggedOut : .ended
    }

    /// What a record says of the device's keys. There is a copy of it beside the record, where it is more than that the first
    /// key is in use: with another key a guest would be made beside the user, or let into a closed account.
    struct Keys: Codable, Hashable {
        var keySlot: Int?
        var triedKeySlot: Int?
        var keyUser: String?
        var lockedKeyUser: String?

        /// For storing.
        func written() -> Data { VaultRecord.json(of: self) }
    }

    /// What there must be a copy of; `nil` when it goes without saying.
    var keysToCopy: Keys? {
        guard lastKeySlot > 0 || lockedKeyUser != nil else { return nil }
        return Keys(keySlot: keySlot, triedKeySlot: triedKeySlot, keyUser: keyUser, lockedKeyUser: lockedKeyUser)
    }

    /// The name under which a vault keeps the copy, as a record of its own.
    static func copyName(of application: String) -> String { "\(application).keys" }

    /// The name under which a vault keeps one of the keys of an application.
    static func keyName(of application: String, slot: Int) -> String {
        slot == 0 ? application : "\(application).\(slot)"
    }

    /// The record for storing.
    func written() -> Data { Self.json(of: self) }

    private static func json(of value: some Encodable) -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        do {
            return try encoder.encode(value)
        } catch {
            // Only a number that JSON does not have could stand in the way, and the server's JSON held none.
            preconditionFailure("the record cannot be written: \(type(of: error))")
        }
    }
}
