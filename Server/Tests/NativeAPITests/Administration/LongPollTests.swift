import Domain
import Foundation
import HTTPTypes
import OkaeriWire
import Testing

/// `GET …/events` with `wait`. Time passes in earnest here, a second or two.
@Suite("A long poll of events", .timeLimit(.minutes(5)))
struct LongPollTests {
    private let world: AdminWorld

    init() async throws {
        world = try await AdminWorld(roles: [])
        let on = try await world.send("owner", .patch, world.path("/event-settings"), body: #"{"isStreamed": true}"#)
        try #require(on.status == 200)
    }

    private var readers: WaitingReaders { world.server.modules.events.readers }

    /// Waits until so many requests wait.
    private func untilWaiting(_ count: Int) async {
        while readers.waiting < count { await Task.yield() }
    }

    /// The response, and how long it took.
    private func poll(_ query: String) async throws -> (answer: Answer, time: Duration) {
        let begin = ContinuousClock.now
        let answer = try await world.send("owner", .get, world.path("/events?\(query)"))
        return (answer, ContinuousClock.now - begin)
    }

    @Test("ends with the event that happens while it waits")
    func event() async throws {
        async let polled = poll("after=0&wait=25")
        await untilWaiting(1)
        let person = try await world.server.person()
        let (answer, time) = try await polled
        let events = try #require(try answer.json["events"]?.list)
        #expect(events.map { $0["data"]?["user"]?.text } == [person.logIn.user.id])
        #expect(try answer.json["next"] == 1)
        #expect(time < .seconds(20) && readers.waiting == 0)
    }

    @Test("ends empty after its time, where it began")
    func empty() async throws {
        let (answer, time) = try await poll("after=0&wait=1")
        #expect(try answer.status == 200 && answer.json["events"]?.list == [] && answer.json["next"] == 0)
        #expect(time >= .seconds(1) && readers.waiting == 0)
    }

    /// Issue 24: it ended at once when anything was left out.
    @Test("is not ended by what its types leave out, and reads on behind that")
    func types() async throws {
        _ = try await world.server.person()
        let (answer, time) = try await poll("after=0&wait=1&types=user.merged")
        #expect(try answer.json["events"]?.list == [] && answer.json["next"] == 1)
        #expect(time >= .seconds(1))
    }

    @Test("ends when the server stops")
    func shutdown() async throws {
        async let polled = poll("after=0&wait=25")
        await untilWaiting(1)
        readers.close()
        let (answer, time) = try await polled
        #expect(try answer.status == 200 && answer.json["events"]?.list == [])
        #expect(time < .seconds(20) && readers.waiting == 0)
    }

    /// What ends a caller's right to read events.
    enum End: CaseIterable {
        case keyRemoved, roleChanged, adminDisabled, applicationTaken

        var status: Int {
            switch self {
            case .keyRemoved, .adminDisabled: 401
            case .roleChanged: 403
            case .applicationTaken: 404
            }
        }
    }

    @Test(
        "gives nothing of what happened meanwhile to a caller who may no longer read it by then",
        arguments: End.allCases)
    func ended(end: End) async throws {
        let rules = world.server.modules.administration
        let reader = try await rules.admins.create(name: "reader", role: .support, applications: nil, by: .local)
        let link = try await rules.admins.makeLink(for: reader.id, by: .local)
        let session = try await AdminWorld.setUp(link.token, name: nil, on: world.server)
        let caller = end == .keyRemoved ? try await world.key([.readUsers]) : session
        async let polled = world.send(caller, .get, world.path("/events?after=0&wait=25"))
        await untilWaiting(1)
        switch end {
        case .keyRemoved: for key in try await rules.keys.list() { try await rules.keys.remove(key.id, by: .local) }
        case .roleChanged:
            _ = try await rules.admins.change(reader.id, .init(role: .auditor), version: nil, by: .local)
        case .adminDisabled:
            _ = try await rules.admins.change(reader.id, .init(isDisabled: true), version: nil, by: .local)
        case .applicationTaken:
            let others: Set = [world.foreign.id]
            _ = try await rules.admins.change(reader.id, .init(applications: .set(others)), version: nil, by: .local)
        }
        let person = try await world.server.person()
        let answer = try await polled
        #expect(answer.status == end.status && !answer.text.contains(person.logIn.user.id), "\(answer.text)")
        #expect(readers.waiting == 0)
    }

    @Test("is answered at once when two hundred wait already, of which one application has half at the most")
    func bounded() async throws {
        let own = world.server.application.id
        let other = Identifier<Domain.Application>(rawValue: "other")
        let half = WaitingReaders.maximum / 2
        for _ in 0..<half { #expect(readers.enter(other)) }
        #expect(!readers.enter(other))
        for _ in 0..<half { #expect(readers.enter(own)) }
        let (answer, time) = try await poll("after=0&wait=25")
        #expect(try answer.status == 200 && answer.json["events"]?.list == [])
        #expect(time < .seconds(20) && readers.waiting == WaitingReaders.maximum)
        readers.leave(own)
        async let polled = poll("after=0&wait=25")
        await untilWaiting(WaitingReaders.maximum)
        _ = try await world.server.person()
        #expect(try await polled.answer.json["events"]?.list.count == 1)
    }
}
