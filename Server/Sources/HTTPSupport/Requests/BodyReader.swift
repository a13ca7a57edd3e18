package import Domain
import HTTPTypes
package import Hummingbird
package import NIOCore
import Synchronization

/// Reads request bodies within limits.
package struct BodyReader: Sendable {
    /// 1 MiB (requirement 44).
    package static let maximumBytes = 1024 * 1024
    /// The longest body that is read on an event loop, where all of a loop's connections wait for it (requirement 47). Longer ones take
    /// some milliseconds.
    static let maximumBytesOnLoop = 4096

    private let maximumBytes: Int
    private let timeLimit: Duration
    private let memory: BodyMemory
    private let proxies: TrustedProxies

    /// - Parameters:
    ///   - maximumBytes: The longest body that is read.
    ///   - timeLimit: How long a whole body may take, so that a client that sends a byte now and then is cut off.
    ///   - memory: What the bodies of all connections may take together.
    ///   - proxies: Who is believed whose a body is.
    package init(
        maximumBytes: Int = BodyReader.maximumBytes, timeLimit: Duration = .seconds(10),
        memory: BodyMemory = BodyMemory(), proxies: TrustedProxies = TrustedProxies([])
    ) {
        self.maximumBytes = maximumBytes
        self.timeLimit = timeLimit
        self.memory = memory
        self.proxies = proxies
    }

    /// The whole body. One of more than 16 KiB counts among those of all requests until its request has its response.
    ///
    /// - Returns: the bytes; none when the request has no body.
    /// - Throws: `RequestError.bodyTooLarge`, `bodyTooSlow`, also for one that had to give way to others, `bodyMalformed` when its
    ///   framing is broken; `busy` when the bodies of others, of its own network or of its application leave it no room.
    package func callAsFunction(_ request: Request, _ context: ServerContext) async throws -> ByteBuffer {
        guard let progress = context.body else { return ByteBuffer() }
        try announcedBytes(of: request, upTo: maximumBytes)
        progress.begin()
        if let whole = context.wholeBody {
            guard whole.readableBytes <= maximumBytes else {
                throw RequestError.bodyTooLarge(maximumBytes: maximumBytes)
            }
            // One that came whole can be read again, and counts once.
            if whole.readableBytes > BodyMemory.Limits.freeBytes, !progress.isFinished {
                let network = proxies.client(of: request, context).network
                try progress.keep(memory.hold(whole.readableBytes, of: network))
            }
            progress.finish()
            return whole
        }
        let network = proxies.client(of: request, context).network
        let body = try await read(request.body, of: network, keepsBytes: true)
        progress.finish()
        try progress.keep(memory.hold(body.readableBytes, of: network))
        return body
    }

    /// How long a body is announced to be; `nil` for one in chunks.
    ///
    /// - Throws: `RequestError.bodyTooLarge` for one that is announced as too long.
    @discardableResult
    private func announcedBytes(of request: Request, upTo maximumBytes: Int) throws(RequestError) -> Int? {
        let announced = request.headers.value(of: .contentLength).flatMap { Int($0, radix: 10) }
        if let announced, announced > maximumBytes { throw .bodyTooLarge(maximumBytes: maximumBytes) }
        return announced
    }

    /// The next piece of a body; `nil` at its end.
    ///
    /// - Throws: `RequestError.bodyMalformed`.
    private static func nextPiece(
        _ iterator: inout RequestBody.AsyncIterator
    ) async throws(RequestError) -> ByteBuffer? {
        do {
            return try await iterator.next()
        } catch {
            throw .bodyMalformed(reason: "The body's framing is broken.")
        }
    }

    /// How many pieces any body may come in, and how long those beyond are on the average.
    private static let (freePieces, pieceBytes) = (24 * 1024, 256)

    /// Each piece takes a microsecond, however short it is: a mebibyte in chunks of one byte took a second of a processor.
    ///
    /// - Throws: `RequestError.bodyMalformed` for a body that comes in more pieces than any client cuts it into.
    private static func check(_ pieces: Int, ofBytes bytes: Int) throws(RequestError) {
        guard pieces <= freePieces + bytes / pieceBytes else {
            throw .bodyMalformed(reason: "The body comes in too many pieces.")
        }
    }

    /// Reads a body to its end.
    ///
    /// - Parameters:
    ///   - body: What is on its way.
    ///   - network: Whose it is.
    ///   - keepsBytes: Whether its bytes are wanted.
    /// - Returns: the bytes; none when they are not wanted.
    /// - Throws: `RequestError`.
    private func read(_ body: RequestBody, of network: String?, keepsBytes: Bool) async throws -> ByteBuffer {
        let (limit, time, arrival) = (maximumBytes, timeLimit, memory.begin(of: network))
        defer { arrival.end() }
        return try await withThrowingTaskGroup(of: ByteBuffer?.self) { group in
            group.addTask {
                var (iterator, bytes, count, pieces) = (body.makeAsyncIterator(), ByteBuffer(), 0, 0)
                while true {
                    guard let piece = try await Self.nextPiece(&iterator) else { return bytes }
                    count += piece.readableBytes
                    pieces += 1
                    guard count <= limit else { throw RequestError.bodyTooLarge(maximumBytes: limit) }
                    try Self.check(pieces, ofBytes: count)
                    guard keepsBytes else { continue }
                    bytes.writeImmutableBuffer(piece)
                    arrival.note(count)
                }
            }
            group.addTask {
                try await Task.sleep(for: time)
                return nil
            }
            group.addTask {
                await arrival.waitForCut()
                return nil
            }
            defer { group.cancelAll() }
            guard let first = try await group.next(), let bytes = first else { throw RequestError.bodyTooSlow }
            return bytes
        }
    }

    /// The body piece by piece, no faster than it is taken: memory holds one.
    ///
    /// - Parameters:
    ///   - request: Whose body.
    ///   - context: What travels with it.
    ///   - maximumBytes: The longest body that is read.
    ///   - take: Takes a piece. In each span of the time limit `slowestBytes` must go through, whichever side is slow.
    /// - Throws: `RequestError.bodyTooLarge`, `bodyTooSlow`, `bodyMalformed`, and what `take` throws.
    package func pieces(
        of request: Request, _ context: ServerContext, maximumBytes: Int,
        _ take: @escaping @Sendable (ByteBuffer) async throws -> Void
    ) async throws {
        guard let progress = context.body else { return }
        let announced = try announcedBytes(of: request, upTo: maximumBytes)
        progress.begin()
        let (body, time, taken) = (request.body, timeLimit, TakenBytes())
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                var (iterator, pieces) = (body.makeAsyncIterator(), 0)
                while true {
                    guard let piece = try await Self.nextPiece(&iterator) else { break }
                    let total = taken.add(piece.readableBytes)
                    pieces += 1
                    guard total <= maximumBytes else { throw RequestError.bodyTooLarge(maximumBytes: maximumBytes) }
                    try Self.check(pieces, ofBytes: total)
                    try await take(piece)
                    // The response may be there before the end is read, which holds nothing.
                    if total == announced { break }
                }
                if let announced, taken.count != announced {
                    throw RequestError.bodyMalformed(reason: "The body's framing is broken.")
                }
                progress.finish()
            }
            group.addTask {
                var before = 0
                while true {
                    try await Task.sleep(for: time)
                    let now = taken.count
                    guard now - before >= Self.slowestBytes else { throw RequestError.bodyTooSlow }
                    before = now
                }
            }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    /// What a body that is read piece by piece moves within the time limit, at least.
    private static let slowestBytes = 16 * 1024

    /// Reads and forgets what no route wanted, so that the connection can be used again.
    ///
    /// - Returns: `false` when the body does not end as it should: then the connection is of no use.
    func drain(_ request: Request, _ context: ServerContext) async -> Bool {
        guard let progress = context.body, !progress.isFinished, context.wholeBody == nil else { return true }
        guard !progress.isBegun else { return false }
        do {
            try announcedBytes(of: request, upTo: maximumBytes)
            progress.begin()
            _ = try await read(request.body, of: nil, keepsBytes: false)
            progress.finish()
            return true
        } catch {
            // Whatever it was, the answer is the same.
            return false
        }
    }
}

extension Request {
    /// Whether reading the body may take a while: then it is looked at last.
    package var hasLongBody: Bool {
        guard let length = headers.value(of: .contentLength) else { return headers.contains(.transferEncoding) }
        return Int(length, radix: 10).map { $0 > BodyReader.maximumBytesOnLoop } ?? true
    }
}

extension ServerContext {
    /// Notes whose application a request is for: what that waits for may not take all room for bodies.
    ///
    /// - Throws: `busy` when the bodies of that application leave this one no room.
    package func note(_ application: Domain.Application) throws(DomainError) {
        try body?.count(for: application.id)
    }
}

/// How far a request's body was read.
package final class BodyProgress: Sendable {
    private let begun = Atomic(false)
    private let finished = Atomic(false)
    private let held = Mutex<(whole: BodyMemory.Whole?, application: Identifier<Domain.Application>?)>((nil, nil))

    /// A new record for a request that has a body (RFC 9112 §6.3); `nil` for all others.
    init?(_ request: Request) {
        let length = request.headers.value(of: .contentLength)
        guard length.map({ $0 != "0" }) ?? request.headers.contains(.transferEncoding) else { return nil }
    }

    func begin() {
        begun.store(true, ordering: .relaxed)
    }

    /// Bodies can be read once.
    var isBegun: Bool { begun.load(ordering: .relaxed) }

    func finish() {
        finished.store(true, ordering: .relaxed)
    }

    var isFinished: Bool { finished.load(ordering: .relaxed) }

    /// Keeps what lets the body count, for as long as the request lasts.
    ///
    /// - Throws: `busy` when the bodies of the request's application leave it no room.
    fileprivate func keep(_ whole: BodyMemory.Whole?) throws(DomainError) {
        guard let whole else { return }
        let application = held.withLock { held -> Identifier<Domain.Application>? in
            held.whole = whole
            return held.application
        }
        if let application { try Self.count(whole, for: application) }
    }

    /// Lets the body count for an application, also when it is read later.
    ///
    /// - Throws: `busy` when the bodies of that application leave it no room.
    fileprivate func count(for application: Identifier<Domain.Application>) throws(DomainError) {
        let whole = held.withLock { held -> BodyMemory.Whole? in
            held.application = application
            return held.whole
        }
        if let whole { try Self.count(whole, for: application) }
    }

    private static func count(
        _ whole: BodyMemory.Whole, for application: Identifier<Domain.Application>
    ) throws(DomainError) {
        guard whole.count(for: application) else { throw .busy(retryAfter: BodyMemory.retry) }
    }
}

/// How much of a body was read, for the task that watches the time.
private final class TakenBytes: Sendable {
    private let bytes = Atomic(0)

    var count: Int { bytes.load(ordering: .relaxed) }

    /// - Returns: how many it is with these.
    func add(_ more: Int) -> Int { bytes.add(more, ordering: .relaxed).newValue }
}
