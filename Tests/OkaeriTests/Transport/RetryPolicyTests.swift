import Foundation
import OkaeriWire
import Testing

@testable import Okaeri

@Suite("The pauses between tries")
struct RetryPolicyTests {
    private static let policy = RetryPolicy(firstDelay: .milliseconds(100), maximumDelay: .seconds(10))

    @Test("are those of the documentation, unless an app says otherwise")
    func standard() {
        let policy = RetryPolicy()
        #expect(policy.maximumTries == 4 && policy.firstDelay == .milliseconds(500))
        #expect(policy.maximumDelay == .seconds(10) && policy.maximumBackgroundDelay == .seconds(300))
    }

    @Test(
        "double with each failure up to their limit",
        arguments: [
            (Int.min, 100), (-1, 100), (0, 100), (1, 100), (2, 200), (3, 400), (7, 6400), (8, 10_000), (9, 10_000),
            (21, 10_000), (22, 10_000), (100, 10_000), (.max, 10_000),
        ])
    func doubled(failures: Int, milliseconds: Int) {
        let longest = Self.policy.delay(afterFailures: failures, limit: Self.policy.maximumDelay, fraction: 1)
        #expect(longest == .milliseconds(milliseconds))
        let shortest = Self.policy.delay(afterFailures: failures, limit: Self.policy.maximumDelay, fraction: 0)
        #expect(shortest == .milliseconds(milliseconds / 2))
    }

    @Test("never double more than twenty times, whatever the limit", arguments: [21, 22, 1000])
    func bounded(failures: Int) {
        let delay = Self.policy.delay(afterFailures: failures, limit: .seconds(1 << 40), fraction: 1)
        #expect(delay == .milliseconds(100) * (1 << 20))
    }

    @Test("are between the half and the whole", arguments: [(0.0, 50), (0.5, 75), (1.0, 100)])
    func spread(fraction: Double, milliseconds: Int) {
        let delay = Self.policy.delay(afterFailures: 1, limit: .seconds(10), fraction: fraction)
        #expect(delay == .milliseconds(milliseconds))
    }
}

@Suite("What an answer says of trying again")
struct RefusalPatienceTests {
    private static func response(_ status: Int, _ headers: HeaderFields = [:]) -> TransportResponse {
        TransportResponse(status: status, headers: headers, body: Data())
    }

    @Test("is to try again where it is the server's trouble and passes", arguments: 100..<600)
    func temporary(status: Int) {
        #expect(Self.response(status).isTemporaryRefusal == [408, 429, 502, 503, 504].contains(status))
    }

    @Test(
        "is read from whole numbers of seconds, and counts for a day at the most",
        arguments: [
            ("0", 0), ("1", 1), ("86399", 86_399), ("86400", 86_400), ("86401", 86_400),
            ("9223372036854775807", 86_400), ("9223372036854775808", 86_400), ("00060", 60), ("", nil), ("-1", nil),
            ("+1", nil), ("1.5", nil), ("1 ", nil), (" 1", nil), ("1s", nil), ("１", nil),
            ("Sun, 06 Nov 1994 08:49:37 GMT", nil),
        ] as [(String, Int?)])
    func retryAfter(text: String, seconds: Int?) {
        #expect(Self.response(503, ["Retry-After": text]).retryAfter == seconds.map { .seconds($0) })
        #expect(Self.response(503).retryAfter == nil)
    }

    @Test(
        "is a problem only where it says that it is one",
        arguments: [
            ("application/problem+json", true), ("application/problem+json; charset=utf-8", true),
            ("Application/Problem+JSON", true), ("application/json", false), ("text/html", false), ("", false),
        ])
    func problem(type: String, isOne: Bool) {
        let body = Data(#"{"type":"about:blank","title":"t","status":404,"code":"session_invalid"}"#.utf8)
        let response = TransportResponse(status: 404, headers: ["Content-Type": type], body: body)
        #expect((response.problem?.code.rawValue == "session_invalid") == isOne)
        #expect(TransportResponse(status: 404, headers: [:], body: body).problem == nil)
    }

    @Test(
        "has the server's time in the form of RFC 9110, and no other",
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
            ("Tue, 29 Feb 2000 00:00:00 GMT", 951_782_400), ("Sat, 01 Oct 2022 12:00:00 GMT", 1_664_625_600),
            ("Sun, 06 Nov 1994 08:49:37 CET", nil), ("Sun, 06 nov 1994 08:49:37 GMT", nil),
            ("Sunday, 06-Nov-94 08:49:37 GMT", nil), ("Sun Nov  6 08:49:37 1994", nil), ("", nil),
            ("Sun, 32 Nov 1994 08:49:37 GMT", nil), ("Sun, 06 Nov 1994 24:49:37 GMT", nil),
            ("Sun, 06 Nov 1994 08:49:37 GMT more", nil),
        ] as [(String, Double?)])
    func date(text: String, seconds: Double?) {
        #expect(HTTPDate.read(text) == seconds.map { Date(timeIntervalSince1970: $0) })
    }

    @Test("is read up to a mebibyte, 32 levels deep")
    func size() throws {
        func text(_ count: Int) -> Data { Data(("\"" + String(repeating: "x", count: count - 2) + "\"").utf8) }
        #expect(throws: Never.self) { try UntrustedJSON.value(text(UntrustedJSON.maximumBytes)) }
        #expect(throws: JSONSyntaxError.unexpected(offset: 1_048_576)) {
            try UntrustedJSON.value(text(UntrustedJSON.maximumBytes + 1))
        }
        func nested(_ levels: Int) -> Data {
            Data((String(repeating: "[", count: levels) + String(repeating: "]", count: levels)).utf8)
        }
        #expect(throws: Never.self) { try UntrustedJSON.value(nested(32)) }
        #expect(throws: JSONSyntaxError.self) { try UntrustedJSON.value(nested(33)) }
    }
}

@Suite("The record in a vault")
struct VaultRecordBoundTests {
    private static func record(_ members: String) -> VaultRecord { VaultRecord.read(Data(members.utf8)) }

    @Test(
        "has counts from 0 to 2^60, whatever is stored",
        arguments: [
            (-1, 0), (0, 0), (1, 1), ((1 << 60) - 1, (1 << 60) - 1), (1 << 60, 1 << 60), ((1 << 60) + 1, 1 << 60),
            (.max, 1 << 60), (.min, 0),
        ] as [(Int64, Int64)])
    func counts(stored: Int64, read: Int64) {
        #expect(Self.record(#"{"generation":\#(stored)}"#).generation == read)
        #expect(Self.record(#"{"epoch":\#(stored)}"#).epoch == read)
    }

    @Test(
        "has a key's slot from 0 to 100000",
        arguments: [(-1, 0), (0, 0), (1, 1), (99_999, 99_999), (100_000, 100_000), (100_001, 100_000), (.max, 100_000)])
    func slots(stored: Int, read: Int) { #expect(Self.record(#"{"keySlot":\#(stored)}"#).keySlot == read) }

    @Test("that cannot be read says that a log-in ended", arguments: ["", "{", "[]", "1", #"{"generation":"1"}"#])
    func unreadable(text: String) {
        let ended = Samples.changed(VaultRecord()) {
            $0.isLoggedOut = true
            $0.logOutReason = .ended
        }
        #expect(Self.record(text) == ended)
        #expect(VaultRecord.read(nil) == VaultRecord())
    }

    @Test(
        "that cannot be read keeps which key is in use, and its lock, by the copy or by what can be read still",
        arguments: [true, false])
    func unreadableWithKeys(hasCopy: Bool) {
        var record = Samples.registered
        record.keySlot = 2
        record.triedKeySlot = 4
        record.logOut()
        #expect(Samples.registered.keysToCopy == nil)
        let copy = record.keysToCopy?.written()
        let rest = #"{"generation":"1","keySlot":2,"triedKeySlot":4,"keyUser":"hana","lockedKeyUser":"hana"}"#
        let read = hasCopy ? VaultRecord.read(Data("{".utf8), keys: copy) : Self.record(rest)
        #expect(read.keySlot == 2 && read.isKeyLocked && read.freshKeySlot == 5)
        #expect(read.isLoggedOut && read.reasonLoggedOut == .registeredUserLoggedOut)
    }

    @Test("names the device's first key like its application, and later ones by their slot")
    func keyNames() {
        #expect(VaultRecord.keyName(of: "app", slot: 0) == "app")
        #expect(VaultRecord.keyName(of: "app", slot: 1) == "app.1")
        #expect(VaultRecord.keyName(of: "app", slot: 12) == "app.12")
    }

    @Test(
        "takes a user's values that are no older, of the same user and epoch",
        arguments: [(-1, false), (0, true), (1, true)])
    func take(milliseconds: Int64, isTaken: Bool) {
        var record = Samples.loggedIn
        guard let present = record.user else {
            Issue.record("nobody is logged in")
            return
        }
        let time = WireTime(millisecondsSince1970: present.updatedAt.millisecondsSince1970 + milliseconds)
        var newer = Samples.user(present.id, at: time)
        newer.displayName = "another name"
        record.take(newer, epoch: record.epoch)
        #expect((record.user?.displayName == "another name") == isTaken)
        for (epoch, id) in [(record.epoch + 1, present.id), (record.epoch - 1, present.id), (record.epoch, "somebody")]
        {
            var other = Samples.user(id, at: WireTime(millisecondsSince1970: time.millisecondsSince1970 + 1000))
            other.displayName = "not to be taken"
            let before = record
            record.take(other, epoch: epoch)
            #expect(record == before)
        }
    }
}
