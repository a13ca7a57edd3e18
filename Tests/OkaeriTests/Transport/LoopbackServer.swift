import Dispatch
import Foundation
import Okaeri

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#endif

/// A server on the loopback interface that notes requests and answers each with the next planned text.
final class LoopbackServer: Sendable {
    let url: URL
    private let contents: Protected<(answers: [String], requests: [String])>

    private let arrival: AsyncStream<Void>

    struct Failure: Error {}

    /// A socket that is closed when nobody can use its number any more, which is another's then.
    private final class Listener: Sendable {
        let descriptor: Int32

        init(_ descriptor: Int32) { self.descriptor = descriptor }

        deinit { close(descriptor) }
    }

    /// Instead of a response: the connection stays open, and nothing comes.
    static let silence = "silence"

    /// Instead of a response: one whose body has not come after ten minutes, a byte every twenty milliseconds.
    static let drip = "drip"

    /// Starts on a free port. An empty answer closes the connection without one; after the last nothing is accepted.
    init(_ answers: [String]) throws {
        #if canImport(Darwin)
            let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #else
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        let listener = Listener(descriptor)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let port: UInt16? = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                guard bind(descriptor, generic, length) == 0, listen(descriptor, 8) == 0,
                    getsockname(descriptor, generic, &length) == 0
                else { return nil }
                return generic.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { $0.pointee.sin_port.bigEndian }
            }
        }
        guard let port, let url = URL(string: "http://127.0.0.1:\(port)") else { throw Failure() }
        self.url = url
        contents = Protected((answers, []))
        let (arrival, continuation) = AsyncStream<Void>.makeStream()
        self.arrival = arrival
        DispatchQueue(label: "loopback").async { [listener, contents] in
            for _ in answers {
                let connection = accept(listener.descriptor, nil, nil)
                guard connection >= 0 else { break }
                Self.serve(connection, contents) { continuation.yield() }
            }
        }
    }

    var requests: [String] { contents.withValue { $0.requests } }

    /// Waits for the first request.
    func waitForRequest() async {
        for await _ in arrival { return }
    }

    private static func serve(
        _ connection: Int32, _ contents: Protected<(answers: [String], requests: [String])>, onArrival: () -> Void
    ) {
        var received: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while !isComplete(received) {
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            received += buffer[..<count]
        }
        let answer = contents.withValue { contents in
            contents.requests.append(String(decoding: received, as: UTF8.self))
            return contents.answers.removeFirst()
        }
        onArrival()
        if answer == silence {
            // The other side closes; what it sends until then does not matter.
            while recv(connection, &buffer, buffer.count, 0) > 0 {}
            close(connection)
            return
        }
        if answer == drip {
            var isOpen = write(
                Array("HTTP/1.1 200 OK\r\nContent-Length: 30000\r\nConnection: close\r\n\r\n".utf8), to: connection)
            for _ in 0..<30_000 where isOpen {
                Thread.sleep(forTimeInterval: 0.02)
                isOpen = write([UInt8(ascii: "a")], to: connection)
            }
        } else {
            write(Array(answer.utf8), to: connection)
        }
        close(connection)
    }

    /// Sends everything, unless the other side closes before.
    ///
    /// - Returns: Whether it did not.
    @discardableResult
    private static func write(_ bytes: [UInt8], to connection: Int32) -> Bool {
        #if canImport(Glibc)
            let flags = Int32(MSG_NOSIGNAL)
        #else
            let flags: Int32 = 0
        #endif
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(connection, $0.baseAddress, $0.count, flags) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Whether the head is there and as much of a body as it announces.
    private static func isComplete(_ received: [UInt8]) -> Bool {
        let text = String(decoding: received, as: UTF8.self)
        guard let end = text.range(of: "\r\n\r\n") else { return false }
        let length = text[..<end.lowerBound].lowercased().components(separatedBy: "content-length: ").dropFirst().first
        let expected = length.flatMap { Int($0.prefix { $0.isNumber }) } ?? 0
        return text[end.upperBound...].utf8.count >= expected
    }
}
