package import Domain
import Synchronization

/// Documents of other servers, read seldom and kept: key sets and descriptions of OpenID Connect providers.
///
/// However many ask, one call is under way for an address at a time, and its answer is everybody's who needs one: what is known
/// and has what is looked for serves meanwhile. A document is read again when it is an hour old, or when it lacks what somebody
/// looks for, then at most twice a minute: a stranger who invents key ids cannot make this server flood a provider. Nor does
/// one who invents addresses in one application keep another application from its own.
package final class RemoteDocuments<Document: Sendable>: Sendable {
    private let call: any WebCaller
    private let clock: any WallClock
    private let parse: @Sendable (_ bytes: [UInt8], _ url: String) -> Document?
    private let bounds: Bounds
    private let state = Mutex(State())

    /// How much strangers can make this server keep and ask.
    package struct Bounds: Sendable {
        package var documents: Int
        /// Addresses that were never asked before, in a minute and an application.
        package var newAddressesPerMinute: Int

        package init(documents: Int = 1000, newAddressesPerMinute: Int = 1000) {
            self.documents = documents
            self.newAddressesPerMinute = newAddressesPerMinute
        }
    }

    private struct State: Sendable {
        /// By the bytes of their addresses: two of them that mean the same to people are two to their server.
        var entries: [[UInt8]: Entry] = [:]
        var minuteStartedAt = Timestamp.earliest
        var newAddresses: [Identifier<Application>?: Int] = [:]

        /// Whether an address may be asked; makes room for a new one.
        mutating func admits(
            _ url: String, for application: Identifier<Application>?, at now: Timestamp, _ bounds: Bounds
        ) -> Bool {
            if entries[Array(url.utf8)] != nil { return true }
            if !minuteStartedAt.isWithin(.seconds(60), before: now) { (minuteStartedAt, newAddresses) = (now, [:]) }
            guard newAddresses[application, default: 0] < bounds.newAddressesPerMinute else { return false }
            newAddresses[application, default: 0] += 1
            guard entries.count >= bounds.documents else { return true }
            // First those that led to nothing, then the oldest.
            let idle = entries.filter { $0.value.reading == nil && !$0.value.isKept(at: now) }
            let least = idle.min { left, right in
                let (isLeft, isRight) = (left.value.document != nil, right.value.document != nil)
                if isLeft != isRight { return isRight }
                return (left.value.triedAt ?? .earliest) < (right.value.triedAt ?? .earliest)
            }
            guard let least else { return false }
            entries[least.key] = nil
            return true
        }
    }

    private struct Entry: Sendable {
        var document: Document?
        var readAt: Timestamp?
        var triedAt: Timestamp?
        var reading: Task<Document?, Never>?
        /// Whether what it says was proved to be true.
        var isProved = false

        func isKept(at now: Timestamp) -> Bool {
            guard isProved, let readAt else { return false }
            return readAt.isWithin(lifeWhenUnreachable, before: now)
        }

        /// A clock that was put back does not say how old the document is: it is to be read again, now.
        mutating func settle(at now: Timestamp) {
            if let readAt, now < readAt { self.readAt = now - life }
            if let triedAt, now < triedAt { self.triedAt = nil }
        }
    }

    /// When a document is read again, and for how long it counts when it cannot be.
    private static var life: Duration { .seconds(3600) }
    private static var lifeWhenUnreachable: Duration { .days(1) }
    private static var shortestPause: Duration { .seconds(30) }
    /// After a failed call the next one comes sooner: the provider may be back.
    private static var pauseAfterFailure: Duration { .seconds(2) }

    package init(
        call: any WebCaller, clock: any WallClock, bounds: Bounds = Bounds(),
        parse: @escaping @Sendable (_ bytes: [UInt8], _ url: String) -> Document?
    ) {
        self.call = call
        self.clock = clock
        self.bounds = bounds
        self.parse = parse
    }

    /// The document at an address.
    ///
    /// - Parameters:
    ///   - url: Where.
    ///   - application: Whose client names the address; `nil` when no client does.
    ///   - isEnough: Whether a kept document has what is looked for; else it may be read again.
    /// - Returns: the document, which lacks what is looked for only where its server says so now, or said so just before.
    /// - Throws: `providerUnavailable` when there is none, or none with what is looked for and its server says nothing.
    package func document(
        at url: String, for application: Identifier<Application>? = nil, isEnough: (Document) -> Bool = { _ in true }
    ) async throws(DomainError) -> Document {
        let now = clock.now
        let step = state.withLock { state in
            state.admits(url, for: application, at: now, bounds)
                ? Self.step(&state.entries[Array(url.utf8), default: Entry()], at: now, isEnough) : .refuse
        }
        switch step {
        case .use(let document):
            return document
        case .refuse:
            throw .providerUnavailable
        case .wait(let reading):
            guard let document = await reading.value else { throw .providerUnavailable }
            return document
        case .read(let fallback):
            guard let document = await startReading(url, at: now).value ?? fallback else { throw .providerUnavailable }
            return document
        }
    }

    /// Notes that documents say the truth: for a day none of them goes for what somebody else names.
    func prove(_ urls: [String]) {
        state.withLock { state in
            for url in urls { state.entries[Array(url.utf8)]?.isProved = true }
        }
    }

    private enum Step {
        case use(Document)
        case wait(Task<Document?, Never>)
        case read(fallback: Document?)
        case refuse
    }

    private static func step(_ entry: inout Entry, at now: Timestamp, _ isEnough: (Document) -> Bool) -> Step {
        entry.settle(at: now)
        var known: Document?
        var enough: Document?
        if let document = entry.document, let readAt = entry.readAt, now < readAt + lifeWhenUnreachable {
            known = document
            if isEnough(document) { enough = document }
            if now < readAt + life, let enough { return .use(enough) }
        }
        if let reading = entry.reading {
            // One waits for the answer, which a provider can delay, and not everybody.
            return enough.map { .use($0) } ?? .wait(reading)
        }
        if let triedAt = entry.triedAt {
            let hasFailed = entry.readAt.map { $0 < triedAt } ?? true
            if now < triedAt + (hasFailed ? pauseAfterFailure : shortestPause) {
                // What is known lacks it, and whether there is something newer nobody says.
                return (hasFailed ? enough : known).map { .use($0) } ?? .refuse
            }
        }
        return .read(fallback: enough)
    }

    /// Begins the one call, unless somebody was faster.
    private func startReading(_ url: String, at now: Timestamp) -> Task<Document?, Never> {
        state.withLock { state in
            if let reading = state.entries[Array(url.utf8)]?.reading { return reading }
            // Not a part of the caller's task: others wait for it too. It ends with its one call, which has limits.
            let reading = Task { await self.read(url, startedAt: now) }
            state.entries[Array(url.utf8), default: Entry()].reading = reading
            return reading
        }
    }

    private func read(_ url: String, startedAt: Timestamp) async -> Document? {
        var document: Document?
        do {
            let answer = try await call(WebCall(.get, url))
            if answer.status == 200 { document = parse(answer.body, url) }
        } catch {
            // The answer is that there is none.
        }
        let read = document
        state.withLock { state in
            var entry = state.entries[Array(url.utf8)] ?? Entry()
            (entry.reading, entry.triedAt) = (nil, startedAt)
            if let read { (entry.document, entry.readAt) = (read, startedAt) }
            state.entries[Array(url.utf8)] = entry
        }
        return document
    }
}

extension Timestamp {
    /// Whether it is at an instant, or before it by less than a span; one that is still to come is not.
    fileprivate func isWithin(_ span: Duration, before now: Timestamp) -> Bool { self <= now && now < self + span }
}
