import Foundation
import OkaeriWire
import Testing

@testable import Okaeri

@Suite("What a device remembers of those who left it")
struct KeySlotTests {
    /// Hana's key, after she has logged out.
    private static let left = Samples.changed(Samples.registered) {
        $0.user?.username = "hana"
        $0.user?.email = "hana@example.com"
        $0.user?.phone = "+819012345678"
        $0.logOut()
    }

    private static let identifiers = ["hana", "Hana@example.com", "+819012345678"]

    @Test("is so little of what they type that many others type the same", arguments: identifiers)
    func little(identifier: String) {
        let stored = String(decoding: Self.left.written(), as: UTF8.self)
        let digest = VaultRecord.digest(of: identifier)
        #expect(stored.contains("\"\(digest.prefix(3))\"") && !stored.contains("\"\(digest.prefix(4))"))
        #expect(VaultRecord.read(Self.left.written()) == Self.left)
    }

    @Test("counts also while they are logged in beside the key of a stranger, whose record names nobody")
    func besideStranger() {
        var record = Self.left
        var response = Samples.response("hana", session: "by the pages")
        response.user.isAnonymous = false
        let logIn = RecordChange.replace(
            response, after: record.counts, keySlot: 1, abandoned: [], leadsHere: false)
        logIn.apply(to: &record)
        let stored = VaultRecord.read(record.written())
        #expect(record.isKeyOfStranger && stored.isKeyOfStranger)
        #expect(record.formerKeySlot(of: "hana@example.com") == 0 && stored.formerKeySlot(of: "hana@example.com") == 0)
    }

    @Test("counts the same where an older version has stored more", arguments: identifiers)
    func more(identifier: String) {
        var stored = String(decoding: Self.left.written(), as: UTF8.self)
        let digest = VaultRecord.digest(of: identifier)
        stored = stored.replacing("\"\(digest.prefix(3))\"", with: "\"\(digest)\"")
        var record = VaultRecord.read(Data(stored.utf8))
        #expect(record == Self.left && record.isKeyLocked(of: "Hana@example.com"))
        #expect(!record.isKeyLocked(of: "taro@example.com"))
        record.keyUser = "taro"
        #expect(record.formerKeySlot(of: identifier) == 0 && record.formerKeySlot(of: "taro") == nil)
    }
}
