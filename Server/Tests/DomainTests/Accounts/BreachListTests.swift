import Synchronization
import TestWorld
import Testing

@testable import Domain

@Suite("Lists of leaked passwords")
struct BreachListTests {
    private enum Answer: Hashable, Sendable {
        case known, unknown, silent
    }

    /// Answers so, and counts how often it was asked.
    private final class List: BreachedPasswords {
        private let answer: Answer
        private let count = Mutex(0)

        init(_ answer: Answer) { self.answer = answer }

        var asked: Int { count.withLock { $0 } }

        func contain(_ password: Password) async throws(BreachListUnavailable) -> Bool {
            count.withLock { $0 += 1 }
            if answer == .silent { throw BreachListUnavailable(reason: "the list is away") }
            return answer == .known
        }
    }

    /// The lines of the log.
    private final class Log: Sendable {
        private let lines = Mutex<[String]>([])

        var written: [String] { lines.withLock { $0 } }

        func write(_ line: String) { lines.withLock { $0.append(line) } }
    }

    private static let breached = DomainError.fieldsRefused([ValidationError(field: "newPassword", rule: .breached)])
    private static let busy = DomainError.busy(retryAfter: .seconds(5))

    private static let rows:
        [(String, [Answer], BreachCheckedPasswords.Failure, refusal: DomainError?, asked: [Int], faults: Int)] = [
            ("no list", [], .refuse, nil, [], 0), ("a list without it", [.unknown], .refuse, nil, [1], 0),
            ("a list with it", [.known], .accept, breached, [1], 0),
            ("the second list", [.unknown, .known], .refuse, breached, [1, 1], 0),
            ("the first list, and no other is asked", [.known, .silent], .refuse, breached, [1, 0], 0),
            ("a silent list, where that matters", [.silent, .known], .refuse, busy, [1, 0], 1),
            ("a silent list, where it does not", [.silent, .known], .accept, breached, [1, 1], 1),
            ("silent lists alone, where it does not", [.silent, .silent], .accept, nil, [1, 1], 2),
            ("a silent one behind", [.unknown, .silent], .refuse, busy, [1, 1], 1),
        ]

    @Test("are asked in order until one has a new password; what has no answer is noted", arguments: rows.indices)
    func order(index: Int) async throws {
        let (name, answers, failure, refusal, asked, faults) = Self.rows[index]
        let (lists, counting, log) = (answers.map { List($0) }, CountingPasswords(), Log())
        let passwords = BreachCheckedPasswords(counting, lists: lists, failure: failure)
        passwords.observeFaults { log.write($0) }
        let password = try #require(Password("a long enough secret"))
        var refused: DomainError?
        do throws(DomainError) {
            let new = NewPassword(password, field: "newPassword", mustBeUnknown: true)
            let hash = try await passwords.hash(new: new, for: .admins)
            #expect(hash == CountingPasswords.hash(password), "\(name)")
        } catch {
            refused = error
        }
        #expect(refused == refusal, "\(name)")
        #expect(lists.map(\.asked) == asked, "\(name)")
        #expect(log.written == Array(repeating: "the list is away", count: faults), "\(name)")
        // What is refused costs no hash.
        #expect(counting.counted.hashes == (refusal == nil ? 1 : 0), "\(name)")
    }

    @Test("are asked about no password that need not be unknown, nor at any log-in")
    func notAsked() async throws {
        let (list, counting) = (List(.known), CountingPasswords())
        let passwords = BreachCheckedPasswords(counting, lists: [list], failure: .refuse)
        let password = try #require(Password("a long enough secret"))
        let old = NewPassword(password, field: "newPassword", mustBeUnknown: false)
        let hash = try await passwords.hash(new: old, for: .imports)
        #expect(counting.counted.share == .imports)
        #expect(try await passwords.hash(password, for: .admins) == hash)
        #expect(counting.counted.share == .admins && counting.counted.hashes == 2)
        let scheme = PasswordScheme(text: "$x$")
        let verdict = try await passwords.compare(password, with: hash, among: [scheme], for: .imports)
        #expect(verdict == .accepted(better: nil))
        #expect(counting.counted.schemes == [scheme] && counting.counted.hadHash)
        let fast = PasswordHash(text: "fast:x")
        #expect(passwords.isFast(fast) && !passwords.isFast(hash) && passwords.canTry(fast))
        #expect(try await passwords.wrap(fast, for: .admins).text == "wrapped:x")
        #expect(try await passwords.wrap(hash, for: .admins).text == hash.text)
        #expect(counting.counted.wraps == 1 && list.asked == 0)
        counting.set(isBusy: false, waiting: 7)
        #expect(passwords.waiting == 7)
    }
}
