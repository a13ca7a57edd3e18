public import Foundation
import OkaeriWire

/// Something that happened to the user and that the person should know.
public struct Notice: Hashable, Sendable, Identifiable {
    /// The notice's id.
    public let id: String
    /// What happened.
    public let kind: Kind
    /// When.
    public let createdAt: Date
    /// For ``Kind/deviceAdded``: the new device as it described itself.
    public let device: DeviceInfo
    /// For ``Kind/deviceAdded``: the network address that it joined from.
    public let address: String?
    /// Until when ``OkaeriClient/undoTransfer(_:)`` can undo it; `nil` when it cannot be undone.
    public let undoUntil: Date?

    /// A kind of notice. An open set: a newer server may send others.
    public struct Kind: RawRepresentable, Hashable, Sendable {
        /// The word as the server sends it.
        public let rawValue: String

        /// Makes a kind from its word.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// A device joined the user by a transfer code.
        public static let deviceAdded = Kind(rawValue: NoticeBody.deviceAdded)
    }

    init(_ body: NoticeBody) {
        id = body.id
        kind = Kind(rawValue: body.kind)
        createdAt = Date(body.createdAt)
        device = DeviceInfo(
            name: body.device?.name, model: body.device?.model, system: body.device?.system,
            appVersion: body.device?.appVersion)
        address = body.address
        undoUntil = body.undoUntil.map(Date.init(_:))
    }
}

/// The notices of a client, each once. The sequence never ends by itself, only with the iterating task or the client.
public struct OkaeriNotices: AsyncSequence, Sendable {
    /// What the sequence yields.
    public typealias Element = Notice
    /// The sequence never fails.
    public typealias Failure = Never

    let broadcaster: NoticeBroadcaster
    let start: @Sendable () -> Void

    /// Begins an iteration with the notices that wait.
    public func makeAsyncIterator() -> Iterator {
        let stream = broadcaster.subscribe()
        start()
        return Iterator(base: stream.makeAsyncIterator())
    }

    /// One iteration.
    public struct Iterator: AsyncIteratorProtocol {
        var base: AsyncStream<Notice>.Iterator

        /// The next notice.
        public mutating func next() async -> Notice? {
            await base.next()
        }

        /// The next notice.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> Notice? {
            await base.next(isolation: actor)
        }
    }
}

/// Hands notices to listeners, each notice once to each of them.
final class NoticeBroadcaster: Sendable {
    private struct Contents {
        /// What was published, and is published again to a later listener.
        var pending: [Notice] = []
        var listeners: [Int: Listener] = [:]
        var nextListener = 0
    }

    private struct Listener {
        let continuation: AsyncStream<Notice>.Continuation
        var known: Set<Notice.ID> = []

        mutating func tell(_ notices: [Notice]) {
            for notice in notices where known.insert(notice.id).inserted { continuation.yield(notice) }
        }
    }

    private let contents = Protected(Contents())

    deinit {
        for listener in contents.withValue({ Array($0.listeners.values) }) { listener.continuation.finish() }
    }

    var hasListeners: Bool { contents.withValue { !$0.listeners.isEmpty } }

    /// Tells what waits, and forgets what does not any more.
    func publish(_ notices: [Notice]) {
        contents.withValue { contents in
            contents.pending = notices
            for number in contents.listeners.keys { contents.listeners[number]?.tell(notices) }
        }
    }

    /// Forgets a notice of which the person has taken note.
    func forget(_ id: Notice.ID) {
        contents.withValue { $0.pending.removeAll { $0.id == id } }
    }

    /// What waits, and all that follows.
    func subscribe() -> AsyncStream<Notice> {
        let (stream, continuation) = AsyncStream<Notice>.makeStream()
        let number = contents.withValue { contents in
            contents.nextListener += 1
            var listener = Listener(continuation: continuation)
            listener.tell(contents.pending)
            contents.listeners[contents.nextListener] = listener
            return contents.nextListener
        }
        continuation.onTermination = { [weak self] _ in
            self?.contents.withValue { _ = $0.listeners.removeValue(forKey: number) }
        }
        return stream
    }
}
