import OkaeriWire

/// A change of the stored record, as a value: it is applied in memory, and again on what other processes stored meanwhile.
enum RecordChange: Hashable, Sendable {
    /// A log-in that began when the record had this generation, and a copy of the user of that time, with the key if it is another
    /// than before. Of a late one only the token is kept, to be revoked.
    case logIn(LogInResponse, generation: Int64, keySlot: Int? = nil, over: WireTime? = nil)
    /// A log-in that replaces every earlier one, with the key that signed it, which may lead to somebody else; the
    /// abandoned sessions are revoked. Of one that began before a person's log-out, or before the device was forgotten, in
    /// whichever process, only the tokens are kept, to be revoked.
    case replace(
        LogInResponse, after: VaultRecord.Counts, keySlot: Int, abandoned: [Secret], leadsHere: Bool = true)
    /// The person's log-out, or with an epoch, only while the same user is logged in, one that nobody asked for.
    case logOut(epoch: Int64?, OkaeriState.LogOutReason = .ended)
    /// The log-out of a registered user whose key was found to lead to this guest, whose session is given up.
    case giveWay(toGuest: String, Secret, epoch: Int64)
    /// The log-out after a deletion: the server has ended the session already.
    case forgetDeleted(epoch: Int64)
    /// The end of a log-in that was not to be remembered; the vault's record counts again. With a reason it is one that
    /// nobody asked for.
    case endTemporary(VaultRecord, OkaeriState.LogOutReason? = nil)
    /// A session's token to revoke at the server.
    case revoke(Secret)
    /// A token that the server knows as revoked.
    case revoked(Secret)
    /// To whom the key leads after a log-in by other means.
    case assignKey(KeyAssignment)
    /// The user who was chosen in a merge; in another epoch only the token is kept, to be revoked.
    case merge(LogInResponse, leadsHere: Bool, epoch: Int64)
    /// A session's new token; of a session that is here no more it is kept only to be revoked.
    case renewToken(session: String, Secret, epoch: Int64)
    /// The user's values; with a time, in any case over a copy of that time.
    case take(UserBody, epoch: Int64, over: WireTime? = nil)
    /// A name from a provider that no server has taken yet; `nil` forgets it.
    case pendingName(String?, of: String)
    case requireProof
    /// Another key than the one in use goes to the server with a log-in by other means.
    case tryKey(Int)
    case useNextKey
    /// Several as one: a vault has all of them or none.
    case each([RecordChange])
    /// What many changes made of one record. Of a record that another process has changed meanwhile only the log-out counts,
    /// and the sessions are given up.
    case become(Outcome)

    /// What many changes made of the record that had these counts.
    struct Outcome: Hashable, Sendable {
        let generation: Int64
        let epoch: Int64
        let record: VaultRecord
        /// Whether the person logged out among them.
        let hasLogOut: Bool
    }

    /// To whom the device's key leads after a log-in with this token.
    struct KeyAssignment: Hashable, Sendable {
        let token: Secret
        var provider: String?
        /// The key that was used; `nil` leaves the slot as it is.
        var keySlot: Int?
        let leadsHere: Bool
        /// The user to whom the key leads when it is not this one.
        let otherUser: String?
        /// The session before this one, which is revoked.
        let formerToken: Secret?
    }

    /// Changes a record.
    func apply(to record: inout VaultRecord) {
        switch self {
        case .logIn(let response, let generation, let keySlot, let copy):
            logIn(response, at: generation, keySlot, over: copy, in: &record)
        case .replace(let response, let began, let slot, let abandoned, let leadsHere):
            // Only a device that was forgotten begins to count anew.
            guard record.departures <= began.departures, record.generation >= began.generation else {
                for token in abandoned + [Secret(response.session.token)] { record.revokeLater(token) }
                return
            }
            if let session = record.session { record.revokeLater(session.token) }
            for token in abandoned { record.revokeLater(token) }
            replace(with: response, slot, leadsHere: leadsHere, in: &record)
        case .logOut(let epoch, let reason):
            guard let epoch else { return record.logOut() }
            if record.epoch == epoch { record.logOut(because: reason) }
        case .giveWay(let guest, let token, let epoch):
            record.revokeLater(token)
            if record.epoch == epoch { record.giveWay(toGuest: guest) }
        case .forgetDeleted(let epoch):
            if record.epoch == epoch { record.forgetDeleted() }
        case .endTemporary(let leaving, let reason):
            end(leaving, because: reason, in: &record)
        case .revoke(let token):
            record.revokeLater(token)
        case .revoked(let token):
            record.pendingRevocations.removeAll { $0 == token }
        case .assignKey(let assignment):
            assign(assignment, in: &record)
        case .merge(let response, let leadsHere, let epoch):
            guard record.epoch == epoch else { return record.revokeLater(Secret(response.session.token)) }
            record.logIn(response)
            record.keyLeadsElsewhere = !leadsHere
            if leadsHere { record.giveKey(to: response.user.id) }
        case .renewToken(let session, let token, let epoch):
            guard record.epoch == epoch, record.session?.id == session else { return record.revokeLater(token) }
            record.session?.token = token
        case .take(let user, let epoch, let copy):
            record.take(user, epoch: epoch, over: copy)
        case .pendingName(let name, let identity):
            record.keepName(name, of: identity)
        case .requireProof:
            record.proofRequired = true
        case .tryKey(let slot):
            record.triedKeySlot = max(record.triedKeySlot, slot)
        case .useNextKey:
            record.keySlot = record.lastKeySlot + 1
            record.keyUser = nil
            // A log-in under way has the key of before: its response would be of a user to whom the next key does not lead.
            record.generation += 1
            if record.logOutReason == .keyLost { record.logOutReason = .ended }
        case .each(let changes):
            for change in changes { change.apply(to: &record) }
        case .become(let outcome):
            become(outcome, &record)
        }
    }

    /// Whether the person logs out by it.
    var hasLogOut: Bool {
        switch self {
        case .logOut(epoch: nil, _): true
        case .each(let changes): changes.contains(where: \.hasLogOut)
        case .become(let outcome): outcome.hasLogOut
        default: false
        }
    }

    /// Whether it is about a name that a provider gave, which says nothing of who is logged in.
    var isName: Bool {
        if case .pendingName = self { true } else { false }
    }

    /// Whether it ends a log-in that is not remembered.
    var endsTemporary: Bool {
        switch self {
        case .endTemporary: true
        case .each(let changes): changes.contains(where: \.endsTemporary)
        default: false
        }
    }

    private func logIn(
        _ response: LogInResponse, at generation: Int64, _ keySlot: Int?, over copy: WireTime?,
        in record: inout VaultRecord
    ) {
        let token = Secret(response.session.token)
        if record.generation == generation {
            if let keySlot { record.keySlot = keySlot }
            record.logIn(response, over: copy)
            record.keyUser = response.user.id
            // One that was not named may not be the one that signed.
            if keySlot != nil { record.giveKey(to: response.user.id) }
        } else if record.session?.token != token {
            record.revokeLater(token)
        }
    }

    private func replace(
        with response: LogInResponse, _ slot: Int, leadsHere: Bool, in record: inout VaultRecord
    ) {
        let otherUser = record.user(ofKey: slot)
        record.logIn(response)
        record.loggedInWith = nil
        record.keySlot = slot
        record.keyLeadsElsewhere = !leadsHere
        record.keyUser = otherUser
        if leadsHere {
            record.giveKey(to: response.user.id)
        } else {
            record.takeKey(slot, from: response.user.id)
        }
    }

    /// Ends a log-in that is not remembered.
    private func end(
        _ leaving: VaultRecord, because reason: OkaeriState.LogOutReason?, in record: inout VaultRecord
    ) {
        record.epoch = max(record.epoch, leaving.epoch) + 1
        record.generation = max(record.generation, leaving.generation) + 1
        record.proofRequired = record.proofRequired || leaving.proofRequired
        let tokens = leaving.pendingRevocations + (leaving.session.map { [$0.token] } ?? [])
        for token in tokens where !record.pendingRevocations.contains(token) { record.revokeLater(token) }
        if record.loggedInUser == nil, leaving.loggedInUser?.isAnonymous == false {
            record.logOutReason = reason ?? .registeredUserLoggedOut
        }
    }

    private func become(_ outcome: Outcome, _ record: inout VaultRecord) {
        let before = record
        if before.generation == outcome.generation, before.epoch == outcome.epoch {
            record = outcome.record
        } else {
            if outcome.hasLogOut { record.logOut() }
            let sessions = outcome.record.pendingRevocations + [outcome.record.session?.token].compactMap(\.self)
            for token in sessions where token != record.session?.token && !record.pendingRevocations.contains(token) {
                record.revokeLater(token)
            }
        }
        record.proofRequired = before.proofRequired || outcome.record.proofRequired
        record.triedKeySlot = max(before.triedKeySlot, outcome.record.lastKeySlot)
    }

    private func assign(_ key: KeyAssignment, in record: inout VaultRecord) {
        guard record.session?.token == key.token else { return }
        if let slot = key.keySlot { record.keySlot = slot }
        record.loggedInWith = key.provider
        record.keyLeadsElsewhere = !key.leadsHere
        if !key.leadsHere {
            if let user = record.user { record.takeKey(record.keySlot, from: user.id) }
            record.keyUser = key.otherUser
        } else if let user = record.keyUser {
            record.giveKey(to: user)
        }
        if let former = key.formerToken, former != key.token { record.revokeLater(former) }
    }
}
