package import Hummingbird
import HTTPTypes
package import NIOCore

/// Reads request bodies within limits.
package struct BodyReader: Sendable {
    /// 1 MiB (requirement 44).
    package static let maximumBytes = 1024 * 1024

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
    /// - Throws: `HTTPFault.bodyTooLarge`, `bodyTooSlow`, `bodyMalformed` when its framing is broken.
    package func callAsFunction(_ request: Request) async throws -> ByteBuffer {
        if let announced = request.headers[.contentLength].flatMap({ Int($0) }) {
            if announced > maximumBytes { throw HTTPFault.bodyTooLarge(maximumBytes: maximumBytes) }
            if announced == 0 { return ByteBuffer() }
        } else if !request.headers.contains(.transferEncoding) {
            // Without either header a request has no body (RFC 9112 §6.3).
            return ByteBuffer()
        }
        let (body, limit, time) = (request.body, maximumBytes, timeLimit)
        return try await withThrowingTaskGroup(of: ByteBuffer?.self) { group in
            group.addTask {
                do {
                    return try await body.collect(upTo: limit)
                } catch is NIOTooManyBytesError {
                    throw HTTPFault.bodyTooLarge(maximumBytes: limit)
                } catch {
                    throw HTTPFault.bodyMalformed(reason: "The body's framing is broken.")
                }
            }
            group.addTask {
                try await Task.sleep(for: time)
                return nil
            }
            defer { group.cancelAll() }
            guard let first = try await group.next(), let body = first else { throw HTTPFault.bodyTooSlow }
            return body
        }
    }
}
