import TestWorld
import Testing

@testable import Domain

@Suite("Wrong passwords in a row")
struct LogInFailureTests {
    private static let now = StandingClock().now

    /// Requirement 8: five are free; then a second, doubling to a quarter of an hour; from a hundred on a day.
    private static func delay(_ count: Int) -> Duration? {
        switch count {
        case ..<5: nil
        case 5...14: .seconds([1, 2, 4, 8, 16, 32, 64, 128, 256, 512][count - 5])
        case 15...99: .seconds(900)
        default: .days(1)
        }
    }

    @Test("make the next try wait, until the moment that is said", arguments: Array(0...120) + [1_000_000, .max])
    func wait(count: Int) {
        let row = LogInFailures(count: count, lastAt: Self.now)
        let delay = Self.delay(count)
        #expect(row.wait(at: Self.now) == delay)
        guard let delay else { return }
        #expect(row.wait(at: Self.now + delay - .milliseconds(1)) == .milliseconds(1))
        #expect(row.wait(at: Self.now + delay) == nil)
        #expect(row.wait(at: Self.now - .seconds(60)) == delay + .seconds(60), "a clock that was set back")
    }

    @Test("make nobody wait for a clock that was set back, and count on", arguments: [5, 99, 100, Int.max - 1])
    func setBack(count: Int) {
        let row = LogInFailures(count: count, lastAt: Self.now)
        for span in [Duration.milliseconds(900_001), .days(30)] {
            let now = Self.now - span
            #expect(row.wait(at: now) == nil)
            let next = LogInFailures.next(after: row, at: now)
            #expect(next == LogInFailures(count: count + 1, lastAt: now) && next.wait(at: now) != nil)
        }
        #expect(row.wait(at: Self.now - LogInFailures.longestDelay) != nil, "clocks of two nodes")
    }

    @Test("are forgotten a day after the last, and counted on until then", arguments: [1, 4, 5, 99, 100])
    func memory(count: Int) {
        let row = LogInFailures(count: count, lastAt: Self.now)
        for (span, wanted) in [(Duration.zero, count + 1), (.days(1) - .milliseconds(1), count + 1), (.days(1), 1)] {
            let next = LogInFailures.next(after: row, at: Self.now + span)
            #expect(next == LogInFailures(count: wanted, lastAt: Self.now + span))
        }
        #expect(LogInFailures.next(after: nil, at: Self.now) == LogInFailures(count: 1, lastAt: Self.now))
    }

    @Test("let nobody try more than a hundred passwords in a day")
    func day() {
        var (row, now, tries) = (LogInFailures?.none, Self.now, 0)
        while now < Self.now + .days(1) {
            guard let wait = row?.wait(at: now) else {
                row = LogInFailures.next(after: row, at: now)
                tries += 1
                continue
            }
            now = now + wait
        }
        #expect(tries == 100)
    }

    @Test(
        "are counted together for all that one person writes for one name",
        arguments: [("hana", " hana "), ("hana", "HANA"), ("hana", "\u{3000}Ｈａｎａ"), ("hana", "\u{a0}ha\u{200b}na\t")])
    func names(one: String, other: String) {
        let (one, other) = (LogInIdentifier(.username, shown: one), LogInIdentifier(.username, shown: other))
        #expect(one.failureSubject == other.failureSubject)
        #expect(one.nobodysFailureSubject == other.nobodysFailureSubject)
    }

    @Test("are counted apart for each kind of identifier, for users, and for whom nobody is")
    func apart() {
        var subjects: [SecretDigest] = []
        for kind in LogInIdentifier.Kind.allCases {
            for text in ["hana", "mika"] {
                let identifier = LogInIdentifier(kind, shown: text)
                subjects += [identifier.failureSubject, identifier.nobodysFailureSubject]
            }
        }
        subjects += ["hana", "username:hana", "nobody:username:hana"].map {
            Identifier<User>(rawValue: $0).failureSubject
        }
        #expect(Set(subjects).count == subjects.count)
    }
}
