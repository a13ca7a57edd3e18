import Foundation
import OkaeriWire
import Testing

@testable import Okaeri

@Suite("Changes of the record")
struct RecordChangeTests {
    static let later = WireTime(millisecondsSince1970: 1_795_220_143_000)

    private static func assignment(
        _ session: String, leadsHere: Bool, slot: Int? = nil, provider: String? = nil
    ) -> RecordChange {
        .assignKey(
            RecordChange.KeyAssignment(
                token: Samples.token(session), provider: provider, keySlot: slot, leadsHere: leadsHere,
                otherUser: "somebody", formerToken: Samples.token("former")))
    }

    /// A change for each case and each condition in it.
    static let all: [RecordChange] = [
        .logIn(Samples.response(), generation: 0), .logIn(Samples.response(), generation: 1),
        .logIn(Samples.response("taro"), generation: 1), .logIn(Samples.response(session: "old"), generation: 7),
        .replace(
            Samples.response("taro"), after: Samples.empty.counts, keySlot: 1, abandoned: [Samples.token("first try")]),
        .replace(Samples.response(), after: Samples.empty.counts, keySlot: 0, abandoned: []),
        .logOut(epoch: nil), .logOut(epoch: 1), .logOut(epoch: 9),
        .forgetDeleted(epoch: 1), .forgetDeleted(epoch: 9),
        .endTemporary(Samples.loggedIn), .endTemporary(Samples.empty), .endTemporary(Samples.loggedOut),
        .revoke(Samples.token("lost")), .revoked(Samples.token("old")), .revoked(Samples.token("lost")),
        assignment("old", leadsHere: true), assignment("old", leadsHere: false, slot: 3, provider: "apple"),
        assignment("another", leadsHere: false),
        .merge(Samples.response("taro"), leadsHere: true, epoch: 1),
        .merge(Samples.response("taro"), leadsHere: false, epoch: 1),
        .merge(Samples.response("taro"), leadsHere: true, epoch: 9),
        .renewToken(session: "old", Samples.token("renewed"), epoch: 1),
        .renewToken(session: "another", Samples.token("renewed"), epoch: 1),
        .renewToken(session: "old", Samples.token("renewed"), epoch: 9),
        .take(Samples.user("hana", at: later), epoch: 1), .take(Samples.user("taro", at: later), epoch: 1),
        .take(Samples.user("hana", at: WireTime(millisecondsSince1970: 0)), epoch: 1),
        .pendingName("Hana", of: "apple:1"), .pendingName(nil, of: "apple:1"), .requireProof, .useNextKey,
        .logOut(epoch: 1, .keyLost), .logIn(Samples.response("guest"), generation: 1, keySlot: 1),
        .tryKey(1), .tryKey(4),
        .replace(Samples.response("taro"), after: Samples.empty.counts, keySlot: 1, abandoned: [], leadsHere: false),
        .each([.logIn(Samples.response("taro"), generation: 1), assignment("new", leadsHere: false)]),
        .giveWay(toGuest: "guest", Samples.token("guest's"), epoch: 1),
        .giveWay(toGuest: "guest", Samples.token("guest's"), epoch: 9),
    ]

    private func changed(_ record: VaultRecord, by change: RecordChange) -> VaultRecord {
        Samples.changed(record) { change.apply(to: &$0) }
    }

    @Test("keep the counts, and change them with who is logged in", arguments: SampleRecord.allCases)
    func counts(sample: SampleRecord) {
        for change in Self.all {
            let (before, after) = (sample.record, changed(sample.record, by: change))
            #expect(after.generation >= before.generation && after.epoch >= before.epoch, "\(change)")
            #expect(after.keySlot >= before.keySlot || sample.record.keySlot == after.keySlot || change.setsSlot)
            if before.loggedInUser?.id != after.loggedInUser?.id {
                #expect(after.epoch > before.epoch, "\(change)")
            }
            #expect(after.epoch == before.epoch || after.generation > before.generation, "\(change)")
            if before.session?.id != after.session?.id { #expect(after.generation > before.generation, "\(change)") }
        }
    }

    @Test("leave no session without a user, and no user who is logged out", arguments: SampleRecord.allCases)
    func shape(sample: SampleRecord) {
        for change in Self.all {
            let after = changed(sample.record, by: change)
            #expect(after.session == nil || after.loggedInUser != nil, "\(change)")
            #expect(!after.isLoggedOut || (after.user == nil && after.welcome == nil), "\(change)")
            #expect(after.loggedInUser != nil || !after.keyLeadsElsewhere, "\(change)")
        }
    }

    @Test("lose no session: one that a log-out ends is revoked", arguments: SampleRecord.allCases)
    func revocation(sample: SampleRecord) throws {
        for change in [RecordChange.logOut(epoch: nil), Self.all[4], Self.all[5]] {
            let after = changed(sample.record, by: change)
            guard let session = sample.record.session else { continue }
            #expect(after.pendingRevocations.contains(session.token), "\(change)")
        }
    }

    @Test("revoke the session of a response that comes late", arguments: SampleRecord.allCases)
    func late(sample: SampleRecord) {
        let response = Samples.response(session: "late")
        let late = changed(sample.record, by: .logIn(response, generation: sample.record.generation + 1))
        #expect(late.pendingRevocations.last == Samples.token("late") && late.session == sample.record.session)
        let merged = changed(sample.record, by: .merge(response, leadsHere: true, epoch: sample.record.epoch + 1))
        #expect(merged.pendingRevocations.last == Samples.token("late") && merged.user == sample.record.user)
        for change: RecordChange in [
            .renewToken(session: "old", Samples.token("late"), epoch: sample.record.epoch + 1),
            .renewToken(session: "another", Samples.token("late"), epoch: sample.record.epoch),
        ] {
            let renewed = changed(sample.record, by: change)
            #expect(renewed.pendingRevocations.last == Samples.token("late"), "\(change)")
            #expect(renewed.session == sample.record.session, "\(change)")
        }
        let inTime = changed(sample.record, by: .logIn(response, generation: sample.record.generation))
        #expect(inTime.session?.id == "late" && inTime.keyUser == "hana")
        #expect(inTime.pendingRevocations == sample.record.pendingRevocations)
    }

    @Test("of a typed log-in hold after a log-out that nobody asked for, and not after a person's")
    func replacementAfterLogOut() {
        let replacement = RecordChange.replace(
            Samples.response("taro"), after: Samples.empty.counts, keySlot: 1, abandoned: [Samples.token("first try")])
        for logOut in Self.unasked {
            let after = changed(changed(Samples.registered, by: logOut), by: replacement)
            #expect(after.loggedInUser?.id == "taro" && after.keySlot == 1, "\(logOut)")
        }
        let left = changed(Samples.registered, by: .logOut(epoch: nil))
        let late = changed(left, by: replacement)
        #expect(late.isLoggedOut && late.session == nil && late.keySlot == left.keySlot)
        #expect(late.pendingRevocations.suffix(2) == [Samples.token("first try"), Samples.token("new")])
        // A device that was forgotten counts from the beginning.
        let begun = RecordChange.replace(
            Samples.response("taro"), after: Samples.registered.counts, keySlot: 1, abandoned: [])
        #expect(changed(Samples.empty, by: begun).pendingRevocations == [Samples.token("new")])
        #expect(changed(Samples.registered, by: begun).loggedInUser?.id == "taro")
    }

    @Test("of a log-out or a user's values hold for their epoch alone", arguments: SampleRecord.allCases)
    func otherEpoch(sample: SampleRecord) {
        let other = sample.record.epoch + 5
        for change: RecordChange in [
            .logOut(epoch: other), .forgetDeleted(epoch: other),
            .take(Samples.user("hana", at: Self.later), epoch: other),
        ] {
            #expect(changed(sample.record, by: change) == sample.record, "\(change)")
        }
    }

    @Test("remember the keys of the last eight people who left, and not that of one who was deleted")
    func formerKeys() {
        var record = VaultRecord()
        for number in 0..<9 {
            record.keySlot = number
            record.user = Samples.user("u\(number)")
            record.user?.isAnonymous = false
            record.user?.username = "name\(number)"
            record.keyUser = "u\(number)"
            record.isLoggedOut = false
            record.logOut()
        }
        #expect(record.formerKeySlot(of: "name8") == nil)
        record.keyUser = nil
        #expect(record.formerKeySlot(of: "name0") == nil)
        for number in 1..<9 { #expect(record.formerKeySlot(of: "NAME\(number)") == number) }
        record.keySlot = 2
        // The later ones have users.
        #expect(record.nextKeySlot == 9 && record.lastKeySlot == 8 && record.keysToCopy?.triedKeySlot == 8)
        #expect(VaultRecord.read(record.written()) == record)
        record.user = Samples.user("u2")
        record.isLoggedOut = false
        record.forgetDeleted()
        #expect(record.formerKeySlot(of: "name2") == nil && record.formerKeySlot(of: "name3") == 3)
        let damaged = #"{"formerKeys":{"last":-5,"keys":[{"user":"u","slot":-1,"identifiers":[],"passkeys":[]}]}}"#
        #expect(VaultRecord.read(Data(damaged.utf8)) == VaultRecord())
    }

    @Test("leave a key to the guest to whom it was found to lead: the next log-in by other means has another")
    func unwantedGuest() {
        var record = Samples.registered
        record.user?.username = "hana"
        // Somebody who left and came back has an entry.
        record.logOut()
        record.logIn(Samples.response())
        record.user?.isAnonymous = false
        record = changed(record, by: .giveWay(toGuest: "guest", Samples.token("guest's"), epoch: record.epoch))
        #expect(record.isLoggedOut && record.reasonLoggedOut == .ended && !record.isKeyLocked)
        #expect(record.pendingRevocations.contains(Samples.token("guest's")))
        #expect(record.keySlotOfProvider == 1 && record.keySlotOfMember(passkey: "hers", isSignUp: false) == 1)
        #expect(record.formerKeySlot(of: "hana") == nil)
        #expect(VaultRecord.read(record.written()) == record)
        // Who goes on as the guest has the key.
        record = changed(record, by: .logIn(Samples.response("guest"), generation: record.generation))
        #expect(record.keySlot == 0 && record.keySlotOfProvider == 0)
    }

    @Test("take nobody for a guest made for the key but one who was made since the user was last heard of")
    func displacement() {
        var made = Samples.response("guest")
        made.user.createdAt = Self.later
        made.user.identities = [IdentityBody(provider: "device", subject: "key", linkedAt: Self.later)]
        #expect(Samples.registered.isMember(displacedBy: made))
        // A guest follows a guest, and nobody follows without a log-in.
        #expect(!Samples.loggedIn.isMember(displacedBy: made) && !Samples.empty.isMember(displacedBy: made))
        var before = made
        before.user.createdAt = Samples.instant
        before.user.identities[0].linkedAt = Samples.instant
        var joined = made
        joined.user.identities[0].linkedAt = WireTime(millisecondsSince1970: Self.later.millisecondsSince1970 + 1)
        var shared = made
        shared.user.identities.append(IdentityBody(provider: "device", subject: "another", linkedAt: Self.later))
        var registered = made
        registered.user.isAnonymous = false
        for other in [before, joined, shared, registered] {
            #expect(!Samples.registered.isMember(displacedBy: other))
        }
        before.isNew = true
        #expect(Samples.registered.isMember(displacedBy: before))
        made.user.id = "hana"
        #expect(!Samples.registered.isMember(displacedBy: made))
    }

    @Test("after a deletion revoke nothing: the server has ended the session")
    func deletion() {
        let after = changed(Samples.loggedIn, by: .forgetDeleted(epoch: 1))
        #expect(after.isLoggedOut && after.session == nil && after.pendingRevocations.isEmpty)
        let earlier = Samples.changed(Samples.loggedIn) { $0.revokeLater(Secret("earlier")) }
        #expect(changed(earlier, by: .forgetDeleted(epoch: 1)).pendingRevocations == [Secret("earlier")])
    }

    @Test("that assign the key hold for their session alone")
    func assignment() {
        let change = Self.assignment("old", leadsHere: false, slot: 3, provider: "apple")
        let after = changed(Samples.loggedIn, by: change)
        #expect(after.keySlot == 3 && after.keyLeadsElsewhere && after.keyUser == "somebody")
        #expect(after.loggedInWith == "apple" && after.pendingRevocations == [Samples.token("former")])
        #expect(changed(Samples.loggedOut, by: change) == Samples.loggedOut)
        let here = changed(Samples.loggedIn, by: Self.assignment("old", leadsHere: true))
        #expect(!here.keyLeadsElsewhere && here.keyUser == Samples.loggedIn.keyUser && here.keySlot == 0)
    }

    @Test("lock the key of a registered user who logs out, also while somebody else is logged in beside it")
    func lock() {
        let leaving = changed(Samples.registered, by: .logOut(epoch: nil))
        #expect(leaving.isKeyLocked && leaving.freshKeySlot == 1)
        let taro = changed(
            leaving, by: .logIn(Samples.response("taro", session: "taro's"), generation: leaving.generation))
        let gone = changed(changed(taro, by: Self.besideHana), by: .logOut(epoch: nil))
        #expect(gone.isKeyLocked && gone.freshKeySlot == 1)
        let back = changed(gone, by: .logIn(Samples.response("hana"), generation: gone.generation))
        #expect(!back.isKeyLocked && back.freshKeySlot == nil)
    }

    @Test("lock the key of a registered user whom another one follows without a log-out")
    func lockByReplacement() {
        let taro = changed(Samples.registered, by: .logIn(Samples.response("taro", session: "taro's"), generation: 1))
        #expect(changed(taro, by: Self.besideHana).isKeyLocked)
    }

    @Test("lock a key that leads to somebody unknown, whyever the log-in beside it ends", arguments: [true, false])
    func lockOfUnknown(isStored: Bool) {
        let beside = changed(
            Samples.empty,
            by: .replace(
                Samples.response("taro"), after: Samples.empty.counts, keySlot: 1, abandoned: [], leadsHere: false))
        #expect(beside.keyLeadsElsewhere && !beside.isKeyLocked && beside.freshKeySlot == nil)
        let read = isStored ? VaultRecord.read(beside.written()) : beside
        for change: RecordChange in [
            .logOut(epoch: nil), .logOut(epoch: beside.epoch), .forgetDeleted(epoch: beside.epoch),
        ] {
            let after = changed(read, by: change)
            #expect(after.isKeyLocked && after.freshKeySlot == 2, "\(change)")
            #expect(VaultRecord.read(after.written()) == after)
            for record in [read, after] {
                // What counts once is not signed with it again, and what can be sent again tries it.
                #expect(record.keySlotOfProvider == 2 && record.user(ofKey: 1) == nil)
                #expect([nil, "hers"].allSatisfy { record.keySlotOfMember(passkey: $0, isSignUp: false) == 2 })
                let code = TypedLogIn.code(LogInCodeBody(ticket: "ticket", code: "code"), email: "taro@example.com")
                let password = TypedLogIn.password(PasswordLogInBody(identifier: "taro", password: "secret"))
                #expect(code.firstKeySlot(in: record) == 2 && password.firstKeySlot(in: record) == 1)
            }
        }
        let next = Samples.response("hana", session: "next")
        let replaced = changed(
            read, by: .replace(next, after: read.counts, keySlot: 1, abandoned: [], leadsHere: false))
        #expect(replaced.isKeyOfStranger && changed(replaced, by: .logOut(epoch: nil)).isKeyLocked)
    }

    @Test("lock no key of a guest who logs out")
    func noLockOfGuest() {
        let guest = Samples.changed(Samples.loggedIn) { $0.keyUser = "hana" }
        let after = changed(guest, by: .logOut(epoch: nil))
        #expect(after.isLoggedOut && !after.isKeyLocked && after.freshKeySlot == nil)
    }

    @Test("lock no key when nobody asked for the log-out", arguments: Self.unasked)
    func noLock(change: RecordChange) {
        let after = changed(Samples.registered, by: change)
        #expect(after.isLoggedOut && !after.isKeyLocked && after.freshKeySlot == nil)
    }

    static let unasked: [RecordChange] = [
        .logOut(epoch: 1), .logOut(epoch: 1, .keyLost), .forgetDeleted(epoch: 1),
    ]

    /// Taro's session beside the key, which stays Hana's.
    private static let besideHana = RecordChange.assignKey(
        RecordChange.KeyAssignment(
            token: Samples.token("taro's"), keySlot: 0, leadsHere: false, otherUser: "hana", formerToken: nil))

    @Test("that begin with the next key make a log-in by the key of before come late")
    func nextKey() {
        let next = changed(Samples.loggedOut, by: .useNextKey)
        let late = changed(next, by: .logIn(Samples.response(), generation: Samples.loggedOut.generation))
        #expect(late.session == nil && late.keyUser == nil && late.keySlot == 1)
        #expect(late.pendingRevocations.last == Samples.token("new"))
    }

    @Test("give a guest no key with which somebody has tried to log in")
    func triedKey() {
        let tried = changed(Samples.registered, by: .tryKey(2))
        #expect(tried.keySlot == 0 && tried.freshKeySlot == nil)
        #expect(changed(tried, by: .tryKey(1)) == tried)
        #expect(changed(tried, by: .logOut(epoch: nil)).freshKeySlot == 3)
        #expect(changed(tried, by: .useNextKey).keySlot == 3)
        #expect(VaultRecord.read(tried.written()) == tried)
    }

    static let storedReasons: [(stored: String, reason: OkaeriState.LogOutReason)] = [
        (#"{}"#, .firstLaunch), (#"{"isLoggedOut":true}"#, .firstLaunch),
        (#"{"isLoggedOut":true,"keyUser":"hana"}"#, .guestLoggedOut),
        (#"{"isLoggedOut":true,"keyUser":"hana","logOutReason":"of tomorrow"}"#, .guestLoggedOut),
        (#"{"isLoggedOut":true,"logOutReason":"keyLost"}"#, .keyLost),
    ]

    @Test("say why nobody is logged in, also in a record that does not say it", arguments: Self.storedReasons)
    func reasons(stored: String, reason: OkaeriState.LogOutReason) {
        #expect(VaultRecord.read(Data(stored.utf8)).reasonLoggedOut == reason)
    }

    @Test("end a log-in that is not remembered after every count that it had", arguments: SampleRecord.allCases)
    func temporary(sample: SampleRecord) {
        let after = changed(sample.record, by: .endTemporary(Samples.otherUser))
        #expect(after.epoch > max(sample.record.epoch, Samples.otherUser.epoch))
        #expect(after.generation > max(sample.record.generation, Samples.otherUser.generation))
        #expect(after.pendingRevocations.contains(Samples.token("taro's")) && after.user == sample.record.user)
        let again = changed(after, by: .endTemporary(Samples.otherUser))
        #expect(again.pendingRevocations == after.pendingRevocations)
    }

    @Test("remember 32 tokens to revoke, of more the newest", arguments: [0, 1, 31, 32, 33, 100])
    func manyRevocations(count: Int) {
        var record = VaultRecord()
        for number in 0..<count { RecordChange.revoke(Secret("t\(number)")).apply(to: &record) }
        #expect(record.pendingRevocations.count == min(count, 32))
        if count > 0 { #expect(record.pendingRevocations.last == Secret("t\(count - 1)")) }
        for number in 0..<count { RecordChange.revoked(Secret("t\(number)")).apply(to: &record) }
        #expect(record.pendingRevocations.isEmpty)
    }

    @Test("keep the names of eight people until a server takes them, and of a ninth that one alone")
    func manyNames() {
        var record = VaultRecord()
        for number in 1...8 { RecordChange.pendingName("Hana", of: "apple:\(number)").apply(to: &record) }
        RecordChange.pendingName("Hanako", of: "apple:8").apply(to: &record)
        #expect(record.pendingNames.count == 8 && record.pendingNames["apple:8"] == "Hanako")
        RecordChange.pendingName("Taro", of: "apple:9").apply(to: &record)
        #expect(record.pendingNames == ["apple:9": "Taro"])
    }

    @Test("leave a record that can be read with the largest user that a response can bring", arguments: ["a", "/"])
    func largeUser(character: String) {
        let largest = String(repeating: character, count: 1024 * 1024)
        let record = Samples.changed(Samples.loggedIn) {
            $0.user?.displayName = largest
            $0.keyUser = "hana"
            $0.keySlot = 3
        }
        #expect(VaultRecord.read(record.written()) == record)
    }

    @Test("in any order keep the record readable from its stored form", arguments: 0..<40 as Range<UInt64>)
    func walks(seed: UInt64) {
        var random = SeededGenerator(state: seed)
        var record = VaultRecord()
        for _ in 0..<100 {
            let change = Self.all[Int.random(in: 0..<Self.all.count, using: &random)]
            let before = record
            change.apply(to: &record)
            #expect(record.generation >= before.generation && record.epoch >= before.epoch)
            #expect(record.pendingRevocations.count <= 32)
        }
        // A key whose user is not known counts as that of the user in the record.
        if record.keyUser == nil { record.keyUser = record.user?.id }
        #expect(VaultRecord.read(record.written()) == record)
    }
}

extension RecordChange {
    /// Whether it names the key to use.
    fileprivate var setsSlot: Bool {
        switch self {
        case .replace, .assignKey, .useNextKey, .logIn(_, generation: _, keySlot: .some, over: _): true
        default: false
        }
    }
}
