import Domain
import HTTPSupport
import HTTPTypes
import OkaeriWire
import Testing

@testable import NativeAPI

/// A rotation whose response was lost is sent again: the receiver still has the secret of before both.
@Suite("The secrets of event endpoints and hooks")
struct SecretRotationTests {
    enum Kind: CaseIterable {
        case endpoint, hook
    }

    private let world: HookWorld
    /// Of a program, which needs no proof of presence however late it is.
    private let key: String

    init() async throws {
        world = try await HookWorld()
        key = try await world.world.key([.changeSettings, .readUsers, .changeUsers, .readPersonalData])
    }

    private func secret(_ answer: Answer) throws -> Secret { Secret(try #require(try answer.json["secret"]?.text)) }

    /// Where one is, and its first secret.
    private func made(_ kind: Kind) async throws -> (path: String, secret: Secret) {
        guard kind == .endpoint else {
            return (world.world.path("/hooks/sign-up"), try await world.set(.signUp))
        }
        let path = world.world.path("/event-endpoints")
        let answer = try await world.world.send("owner", .post, path, body: #"{"url": "\#(world.url)"}"#)
        let id = try #require(try answer.json["id"]?.text)
        return ("\(path)/\(id)", try secret(answer))
    }

    private func rotate(_ path: String, hours: Int, attempt: String? = nil) async throws -> Answer {
        let headers = attempt.map { [("Idempotency-Key", $0)] } ?? []
        return try await world.world.send(
            key, .post, "\(path)/rotate", headers, body: #"{"overlapHours": \#(hours)}"#)
    }

    /// Which of some secrets sign a call of now.
    private func signing(_ path: String, _ secrets: Secret...) async throws -> [Bool] {
        try await signing(path, secrets)
    }

    private func signing(_ path: String, _ secrets: [Secret]) async throws -> [Bool] {
        let tested = try await world.world.send(key, .post, "\(path)/test")
        #expect(tested.status == 200, "\(tested.text)")
        let sent = try #require(world.hook.requests.last)
        return secrets.map { sent.isSigned(by: $0) }
    }

    @Test(
        "sign until the end of their own overlap, also when there was another rotation meanwhile",
        arguments: Kind.allCases)
    func again(kind: Kind) async throws {
        let (path, first) = try await made(kind)
        let second = try secret(try await rotate(path, hours: 1))
        world.server.clock.advance(by: .seconds(1800))
        let answer = try await rotate(path, hours: 3)
        let third = try secret(answer)
        let until = world.server.clock.now + .seconds(3 * 3600)
        #expect(try answer.json["formerSecretUntil"]?.text == until.wire.description)
        #expect(try await signing(path, first, second, third) == [true, true, true])
        world.server.clock.advance(by: .seconds(1800))
        #expect(try await signing(path, first, second, third) == [false, true, true])
        world.server.clock.advance(by: .seconds(5 * 1800))
        #expect(try await signing(path, first, second, third) == [false, false, true])
    }

    @Test(
        "sign for no longer than the overlap that was named last, and without one not at all",
        arguments: Kind.allCases)
    func shorter(kind: Kind) async throws {
        let (path, first) = try await made(kind)
        let second = try secret(try await rotate(path, hours: 24))
        let third = try secret(try await rotate(path, hours: 1))
        #expect(try await signing(path, first, second, third) == [true, true, true])
        world.server.clock.advance(by: .seconds(3600))
        #expect(try await signing(path, first, second, third) == [false, false, true])
        let fourth = try secret(try await rotate(path, hours: 24))
        let last = try secret(try await rotate(path, hours: 0))
        #expect(try await signing(path, first, third, fourth, last) == [false, false, false, true])
    }

    @Test(
        "are five at the most: none goes before its time, and without an overlap there is always a way",
        arguments: Kind.allCases)
    func bounded(kind: Kind) async throws {
        let (path, first) = try await made(kind)
        var secrets = [first]
        for _ in 0..<4 { secrets.append(try secret(try await rotate(path, hours: 24))) }
        let refused = try await rotate(path, hours: 24)
        expect(refused, 400, .invalidMember)
        let errors = try refused.read(Problem.self).errors ?? []
        #expect(errors.map(\.field) == ["secrets"] && errors.map(\.code) == ["too_many"])
        #expect(try await signing(path, secrets) == Array(repeating: true, count: 5))
        let last = try secret(try await rotate(path, hours: 0))
        #expect(try await signing(path, secrets + [last]) == Array(repeating: false, count: 5) + [true])
    }

    @Test("are replaced once under the name of an attempt", arguments: Kind.allCases)
    func attempt(kind: Kind) async throws {
        let (path, first) = try await made(kind)
        let second = try secret(try await rotate(path, hours: 24, attempt: "one"))
        expect(try await rotate(path, hours: 24, attempt: "one"), 409, .idempotencyKeyReused)
        #expect(try await signing(path, first, second) == [true, true])
        let third = try secret(try await rotate(path, hours: 24, attempt: "two"))
        #expect(try await signing(path, first, second, third) == [true, true, true])
    }

    @Test("are replaced one after the other under one name, each once, which makes something beside them, too")
    func oneName() async throws {
        let made = try await [self.made(.endpoint), self.made(.endpoint), self.made(.hook)]
        for (path, first) in made {
            let second = try secret(try await rotate(path, hours: 24, attempt: "run"))
            #expect(try await signing(path, first, second) == [true, true])
        }
        for (path, _) in made { expect(try await rotate(path, hours: 24, attempt: "run"), 409, .idempotencyKeyReused) }
        let created = try await world.world.send(
            key, .post, world.world.path("/event-endpoints"), [("Idempotency-Key", "run")],
            body: #"{"url": "\#(world.url)"}"#)
        #expect(created.status == 201, "\(created.text)")
    }

    @Test("that are answered by rotations at the same time sign all", arguments: Kind.allCases)
    func together(kind: Kind) async throws {
        let (path, first) = try await made(kind)
        async let one = rotate(path, hours: 24)
        async let other = rotate(path, hours: 24)
        let answers = try await [one, other]
        var secrets = [first]
        for answer in answers where answer.status == 200 { secrets.append(try secret(answer)) }
        for answer in answers where answer.status != 200 { expect(answer, 412, .changedMeanwhile) }
        #expect(secrets.count > 1)
        #expect(try await signing(path, secrets).allSatisfy(\.self))
    }
}
