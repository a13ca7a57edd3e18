import Domain
import HTTPSupport
import HTTPTypes
import Hummingbird
import NIOCore
import OkaeriWire

extension AdminCall {
    /// The longest time that a request waits for an event, in seconds.
    private static let longestWaitSeconds = 25

    /// A page of the stream, or the stream itself for who takes `text/event-stream`. With `wait` an empty page comes only when
    /// nothing has happened for so many seconds.
    func readEvents() async throws -> Response {
        let query = try AdminQuery(self, "after", "types", "limit", "wait")
        let application = try targetApplication()
        let after = Int64(clamping: try query.number("after", in: 0...Int.max) ?? 0)
        let limit = try query.number("limit", in: 1...ReadEvents.maximumPageSize) ?? 100
        let types = Set(
            (query.text("types") ?? "").pieces(at: ",").map { EventType(rawValue: String($0)) })
        let wait = try query.number("wait", in: 0...Self.longestWaitSeconds) ?? 0
        if wantsEventStream {
            return try EventStream(
                call: self, application: application.id, types: types, limit: limit,
                after: try lastEventPosition() ?? after
            ).response()
        }
        var page = try await modules.events.readEvents(in: application.id, after: after, types: types, limit: limit)
        guard wait > 0, modules.events.readers.enter(application.id) else {
            return try answer(EventsBody(page, of: application))
        }
        defer { modules.events.readers.leave(application.id) }
        let end = ContinuousClock.now + .seconds(wait)
        var position = after
        while page.events.isEmpty, ContinuousClock.now < end, !modules.events.readers.isClosed, !context.isAbandoned {
            // Behind what the types leave out there may be more already.
            if page.next == position { try await Task.sleep(for: .seconds(1)) }
            position = page.next
            page = try await modules.events.readEvents(
                in: application.id, after: position, types: types, limit: limit)
        }
        // After what is shown was read: who may no longer read events gets none of those that the wait was for.
        try await requireStill(.readEvents)
        return try answer(EventsBody(page, of: application))
    }

    private var wantsEventStream: Bool {
        (request.headers.value(of: .accept) ?? "").pieces(at: ",").contains { range in
            range.before(";").filter { $0 != " " && $0 != "\t" }.lowercased() == EventStream.mediaType
        }
    }

    /// The position in `Last-Event-ID`, which a client sends when it comes back; it counts more than the query, which is that of
    /// its first request.
    private func lastEventPosition() throws(RequestError) -> Int64? {
        guard let text = request.headers.value(of: .lastEventID), !text.isEmpty else { return nil }
        guard let position = Int64(text, radix: 10), position >= 0 else {
            throw AdminQuery.malformed("Last-Event-ID", .form("A position as the stream sent it."))
        }
        return position
    }
}

extension HTTPField.Name {
    fileprivate static let lastEventID = HTTPField.Name(known: "Last-Event-ID")
    /// By it nginx, and proxies that keep to its word, pass on what comes at once instead of gathering some kilobytes.
    fileprivate static let accelBuffering = HTTPField.Name(known: "X-Accel-Buffering")
}

/// An application's events as server-sent events (WHATWG HTML §9.2): each with its position for an id, so that a client that comes
/// back reads on.
///
/// Nothing is kept for a client: a page is read when the one before was taken. The stream ends when its client has gone, when the
/// server stops, when its key or its permission ends, and after an hour; clients come back by themselves.
struct EventStream: Sendable {
    static let mediaType = "text/event-stream"
    /// A comment after so many seconds of silence, by which both sides notice a connection that is gone.
    private static let heartbeatSeconds = 15
    private static let longestSeconds = 3600

    let call: AdminCall
    let application: Identifier<Domain.Application>
    let types: Set<EventType>
    let limit: Int
    let after: Int64

    /// - Throws: `rateLimited` when there are enough streams.
    func response() throws(DomainError) -> Response {
        let readers = call.modules.events.readers
        guard readers.beginStream(of: application) else { throw .rateLimited(retryAfter: .seconds(30)) }
        let slot = StreamSlot(readers, application)
        let body = ResponseBody { writer in
            defer { withExtendedLifetime(slot) {} }
            try await write(to: &writer)
            try await writer.finish(nil)
        }
        return Response(
            status: .ok,
            headers: [.contentType: Self.mediaType, .cacheControl: "no-store", .accelBuffering: "no"], body: body)
    }

    private func write(to writer: inout any ResponseBodyWriter) async throws {
        let events = call.modules.events
        var (position, silence) = (after, 0)
        // How long a client waits before it comes back, in milliseconds.
        try await writer.write(ByteBuffer(string: "retry: 2000\n\n"))
        for _ in 0..<Self.longestSeconds {
            guard !events.readers.isClosed, !call.context.isAbandoned, try await call.stillAllows(.readEvents) else {
                return
            }
            let page = try await events.readEvents(in: application, after: position, types: types, limit: limit)
            if !page.events.isEmpty {
                try await writer.write(Self.text(of: page.events))
                silence = 0
            }
            guard page.next == position else {
                position = page.next
                continue
            }
            try await Task.sleep(for: .seconds(1))
            silence += 1
            if silence >= Self.heartbeatSeconds {
                try await writer.write(ByteBuffer(string: ":\n\n"))
                silence = 0
            }
        }
    }

    /// JSON of one line each: it holds no line break outside of its escapes.
    private static func text(of events: [Event]) throws -> ByteBuffer {
        var text = ByteBuffer()
        for event in events {
            text.writeString("id: \(event.position ?? 0)\nevent: \(event.type.rawValue)\ndata: ")
            text.writeImmutableBuffer(try JSONBytes.buffer(of: EventBody(event)))
            text.writeString("\n\n")
        }
        return text
    }
}

/// One of the streams that may be open: given back once, also when the body is never written or its client
/// goes away.
private final class StreamSlot: Sendable {
    private let readers: WaitingReaders
    private let application: Identifier<Domain.Application>

    init(_ readers: WaitingReaders, _ application: Identifier<Domain.Application>) {
        self.readers = readers
        self.application = application
    }

    deinit { readers.endStream(of: application) }
}
