import Foundation
import Okaeri
import OkaeriWire
import Synchronization

/// First launches on many connections at once, without end, and what became of each. One in eight logs out again.
final class SignUpLoad: Sendable {
    /// One first launch.
    struct SignUp: Sendable {
        let node: Int
        let begin: ContinuousClock.Instant
        let end: ContinuousClock.Instant
        /// The status of the answer; 0 without one.
        let status: Int
        /// Whether the answer says when to come again.
        let tellsWhen: Bool
        /// The user whom the answer acknowledged.
        let user: String?
        /// What became of the session.
        var logOut = LogOut.none

        enum LogOut: Hashable {
            case none
            /// It may be over: no answer said so.
            case tried
            /// The session of this id is over.
            case acknowledged(String)
        }
    }

    private let servers: [TestServer]
    private let application: String
    private let isOver = Atomic<Bool>(false)
    private let signUps = Mutex<[SignUp]>([])

    init(on servers: [TestServer], application: String) {
        self.servers = servers
        self.application = application
    }

    /// What was answered until now, in the order of the answers.
    var soFar: [SignUp] { signUps.withLock { $0 } }

    /// Keeps connections busy until `stop`, each with one request under way, shared among the servers.
    func run(connections: Int) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for connection in 0..<connections {
                group.addTask { try await self.keepBusy(node: connection % self.servers.count) }
            }
            try await group.waitForAll()
        }
    }

    func stop() { isOver.store(true, ordering: .relaxed) }

    private func keepBusy(node: Int) async throws {
        while !isOver.load(ordering: .relaxed) {
            let signUp = try await signUp(node: node)
            signUps.withLock { $0.append(signUp) }
            // As a patient client does; at once again would only add to the count of refusals.
            if signUp.status != 201 { try await Task.sleep(for: .milliseconds(100)) }
        }
    }

    private func signUp(node: Int) async throws -> SignUp {
        let begin = ContinuousClock.now
        do {
            let answer = try await Phone().logIn(at: servers[node], application: application)
            let logIn = answer.status == 201 ? try JSONDecoder().decode(LogInResponse.self, from: answer.body) : nil
            var signUp = SignUp(
                node: node, begin: begin, end: .now, status: answer.status,
                tellsWhen: answer.headers["Retry-After"].flatMap { Int($0) } != nil, user: logIn?.user.id)
            if let logIn, logIn.user.id.utf8.last.map({ $0 % 8 == 0 }) == true {
                signUp.logOut = await logOut(logIn.session, node: node)
            }
            return signUp
        } catch is TransportError {
            return SignUp(node: node, begin: begin, end: .now, status: 0, tellsWhen: false, user: nil)
        }
    }

    private func logOut(_ session: NewSessionBody, node: Int) async -> SignUp.LogOut {
        // No answer is an answer here.
        let answer = try? await servers[node].send(
            "POST", "/v1/log-out", application: application, token: session.token)
        return answer?.status == 204 ? .acknowledged(session.id) : .tried
    }
}

/// Asks something again and again, and keeps the answers with their times.
final class Watch<Answer: Sendable>: Sendable {
    struct Sample: Sendable {
        let begin: ContinuousClock.Instant
        let end: ContinuousClock.Instant
        let answer: Answer
    }

    private let kept = Mutex<[Sample]>([])
    private let isOver = Atomic<Bool>(false)

    var samples: [Sample] { kept.withLock { $0 } }

    /// Asks until `stop`, with short pauses.
    func run(_ ask: () async -> Answer) async throws {
        while !isOver.load(ordering: .relaxed) {
            let begin = ContinuousClock.now
            let answer = await ask()
            kept.withLock { $0.append(Sample(begin: begin, end: .now, answer: answer)) }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    func stop() { isOver.store(true, ordering: .relaxed) }
}
