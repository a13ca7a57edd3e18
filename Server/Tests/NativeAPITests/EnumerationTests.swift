import Domain
import HTTPSupport
import OkaeriWire
import PasswordHashes
import Testing

/// Whether time tells known users from unknown ones (requirement 10).
///
/// Two hundred log-ins of each kind take turns, so that whatever else the machine does meets both alike. What must
/// never differ is counted, not timed; of the times only what noise cannot explain is a fault.
@Suite("Enumeration of users", .serialized)
struct EnumerationTests {
    @Test("takes as long for unknown users as for wrong passwords, over 200 tries each")
    func times() async throws {
        let passwords = CountedPasswords(
            PasswordThreads(count: 1, maximumWaiting: 8, strength: Argon2id(memoryKiB: 8192, passes: 1)))
        let server = try await TestServer(
            settings: ["password-failures": "1000000", "first-launches": "1000000"], passwords: passwords)
        // A name each, so that no delay is reached; the known ones exist.
        for number in 0..<200 { _ = try await server.signUp("known\(number)") }
        let before = passwords.comparisons
        var (known, unknown): ([Duration], [Duration]) = ([], [])
        for number in 0..<200 {
            // In turns the one and the other first.
            if number % 2 == 0 { known.append(try await time(server, "known\(number)")) }
            unknown.append(try await time(server, "other\(number)"))
            if number % 2 == 1 { known.append(try await time(server, "known\(number)")) }
        }
        #expect(passwords.comparisons - before == 400)
        // Of all pairs about half have the known one faster. Were the kinds alike, less than 0.35 or more than 0.65
        // would come by chance once in ten million runs (rank-sum, 200 each: standard deviation 0.029).
        let faster = known.reduce(0) { sum, time in sum + unknown.count { time < $0 } }
        let share = Double(faster) / Double(known.count * unknown.count)
        #expect((0.35...0.65).contains(share), "\(share) of the pairs: known users are told apart")
    }

    private func time(_ server: TestServer, _ name: String) async throws -> Duration {
        let start = ContinuousClock.now
        let answer = try await server.logIn(name, "a wrong password")
        let duration = start.duration(to: .now)
        expect(answer, 401, .credentialRefused)
        return duration
    }
}

/// Counts what others do.
private final class CountedPasswords: PasswordHashing {
    private let base: PasswordThreads
    private let counter = Counter()

    init(_ base: PasswordThreads) { self.base = base }

    var comparisons: UInt64 { counter.value }
    var waiting: Int { base.waiting }

    func hash(_ password: Password) async throws(DomainError) -> PasswordHash { try await base.hash(password) }

    func compare(_ password: Password, with hash: PasswordHash?) async throws(DomainError) -> PasswordVerdict {
        counter.add()
        return try await base.compare(password, with: hash)
    }
}
