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

    /// - Parameters:
    ///   - maximumBytes: The longest body that is read.
    ///   - timeLimit: How long a whole body may take, so that a client that sends a byte now and then is cut off.
    package init(maximumBytes: Int = BodyReader.maximumBytes, timeLimit: Duration = .seconds(10)) {
        self.maximumBytes = maximumBytes
        self.timeLimit = timeLimit
    }

    /// The whole body.
    ///
    /// - Returns: the bytes; none when the request has no body.
    /// - Throws: `RequestError.bodyTooLarge`, `bodyTooSlow`, `bodyMalformed` when its framing is broken.
    package func callAsFunction(_ request: Request, _ context: ServerContext) async throws -> ByteBuffer {
        guard let progress = context.body else { return ByteBuffer() }
        if let announced = request.headers.value(of: .contentLength).flatMap({ Int($0, radix: 10) }),
            announced > maximumBytes
        {
            throw RequestError.bodyTooLarge(maximumBytes: maximumBytes)
        }
        progress.begin()
        if let whole = context.wholeBody {
            guard whole.readableBytes <= maximumBytes else {
                throw RequestError.bodyTooLarge(maximumBytes: maximumBytes)
            }
            progress.finish()
            return whole
        }
        let (body, limit, time) = (request.body, maximumBytes, timeLimit)
        return try await withThrowingTaskGroup(of: ByteBuffer?.self) { group in
            group.addTask {
                do {
                    return try await body.collect(upTo: limit)
                } catch is NIOTooManyBytesError {
                    throw RequestError.bodyTooLarge(maximumBytes: limit)
                } catch {
                    throw RequestError.bodyMalformed(reason: "The body's framing is broken.")
                }
            }
            group.addTask {
                try await Task.sleep(for: time)
                return nil
            }
            defer { group.cancelAll() }
            guard let first = try await group.next(), let body = first else { throw RequestError.bodyTooSlow }
            progress.finish()
            return body
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
        let announced = request.headers.value(of: .contentLength).flatMap { Int($0, radix: 10) }
        if let announced, announced > maximumBytes { throw RequestError.bodyTooLarge(maximumBytes: maximumBytes) }
        progress.begin()
        let (body, time, taken) = (request.body, timeLimit, TakenBytes())
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                var iterator = body.makeAsyncIterator()
                while true {
                    let piece: ByteBuffer?
                    do {
                        piece = try await iterator.next()
                    } catch {
                        throw RequestError.bodyMalformed(reason: "The body's framing is broken.")
                    }
                    guard let piece else { break }
                    let total = taken.add(piece.readableBytes)
                    guard total <= maximumBytes else { throw RequestError.bodyTooLarge(maximumBytes: maximumBytes) }
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
            _ = try await callAsFunction(request, context)
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

/// How far a request's body was read.
package final class BodyProgress: Sendable {
    private let begun = Atomic(false)
    private let finished = Atomic(false)

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
}

/// How much of a body was read, for the task that watches the time.
private final class TakenBytes: Sendable {
    private let bytes = Atomic(0)

    var count: Int { bytes.load(ordering: .relaxed) }

    /// - Returns: how many it is with these.
    func add(_ more: Int) -> Int { bytes.add(more, ordering: .relaxed).newValue }
}
