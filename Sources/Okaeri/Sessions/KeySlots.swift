import OkaeriWire

/// Which of the device's keys is whose, and which one signs the next log-in.
extension VaultRecord {
    /// Whether the device's key leads to a registered user who has logged out, or to a stranger beside whom somebody has.
    var isKeyLocked: Bool { keyUser != nil && keyUser == lockedKeyUser }

    /// Whether the device's key leads to a registered user who has logged out, and this passkey to somebody else.
    func isKeyLocked(against passkey: String) -> Bool {
        isKeyLocked && lockedKeyPasskeys?.contains(passkey) == false
    }

    /// Whether the device's key leads to a registered user who has logged out, and whose mail address this is.
    func isKeyLocked(of address: String) -> Bool {
        isKeyLocked && lockedKeyAddress == Self.shortDigest(of: address)
    }

    /// Stands for the user to whom a key leads that leads to somebody of whom this device does not know. No user has this name.
    static let stranger = ""

    /// Whether the device's key leads to somebody of whom this device does not know, and not to the user who is or was logged in:
    /// the response to a log-in with it got lost. Who logs in by what counts once gets another.
    var isKeyOfStranger: Bool {
        if keyUser == Self.stranger { return true }
        guard keyLeadsElsewhere, let user else { return false }
        // A record that was stored without its user names the one who is logged in.
        return keyUser ?? user.id == user.id
    }

    /// To whom one of the keys leads, as far as this device knows.
    func user(ofKey slot: Int) -> String? { slot == keySlot && !isKeyOfStranger ? keyUser : nil }

    /// Whether the device's key leads to a guest, who may have logged out, or beside whom somebody is or was logged in, as far as this
    /// device knows.
    var isKeyOfGuest: Bool {
        guard let keyUser, !isKeyLocked, !isKeyOfStranger else { return false }
        if keyUser == keyGuest { return true }
        // What an older version has stored does not name the guest.
        if let user { return user.id == keyUser && user.isAnonymous }
        if isKeyOfUnwantedGuest { return true }
        // The key of a registered user who left would be locked: that one was not remembered, or had another key.
        return logOutReason == .guestLoggedOut || logOutReason == .registeredUserLoggedOut
    }

    /// Whether the device's key leads to a guest whom nobody has been here.
    var isKeyOfUnwantedGuest: Bool { keyUser != nil && keyUser == unwantedGuest }

    /// The key for a log-in by a provider. It stays with a guest of this device, but not with one whom nobody has been, nor with a
    /// stranger.
    var keySlotOfProvider: Int { isKeyOfUnwantedGuest || isKeyOfStranger ? nextKeySlot : keySlot }

    /// The key for a log-in of somebody who is no guest, by what counts once. The guest of this device keeps the key, and so
    /// does a registered user who has logged out; somebody else gets one of their own. Of whom the pages logged in that cannot
    /// be known before: as a rule somebody who comes back, unless a new account was asked for.
    ///
    /// - Parameters:
    ///   - passkey: The passkey that proves the user, if one does.
    ///   - isSignUp: Whether the person asked for a new account.
    /// - Returns: Which of the device's keys.
    func keySlotOfMember(passkey: String?, isSignUp: Bool) -> Int {
        if isSignUp, keyUser != nil { return lastKeySlot + 1 }
        let isSomebodyElse =
            isKeyOfGuest || isKeyOfStranger || passkey.map { isKeyLocked(against: $0) } ?? false
        guard isSomebodyElse else { return keySlot }
        return passkey.flatMap { formerKeys.key(ofPasskey: $0)?.slot } ?? nextKeySlot
    }

    /// The key of a registered user who has left and types this now, unless the key in use is that user's.
    func formerKeySlot(of identifier: String) -> Int? {
        guard let former = formerKeys.key(of: identifier), former.user != user(ofKey: keySlot) else { return nil }
        return former.slot
    }

    /// Whether the device's key was found to be unusable for good, and nobody has logged in since.
    var isKeyLost: Bool { loggedInUser == nil && logOutReason == .keyLost }

    /// The key after all that have been in use. With it somebody may have tried to log in.
    var nextKeySlot: Int { max(keySlot, formerKeys.last) + 1 }

    /// The last of the keys that may lead to somebody.
    var lastKeySlot: Int { max(keySlot, triedKeySlot) }

    /// The key for an automatic log-in when it is not the one in use: a guest's own, beside the locked one.
    var freshKeySlot: Int? { isKeyLocked ? lastKeySlot + 1 : nil }
}

extension UserBody {
    /// Whether a device's key leads to the user; one that can never be used again (`nil`) leads nowhere.
    func hasDeviceKey(_ thumbprint: String?) -> Bool {
        identities.contains { $0.provider == "device" && $0.subject == thumbprint }
    }
}
