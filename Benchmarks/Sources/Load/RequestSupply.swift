import NIOCore

/// Requests that were made before the run, so that making them costs the run nothing.
struct RequestSupply {
    private let requests: [ByteBuffer]
    /// Whether to begin again after the last one; not for proofs, which are good for one use.
    private let repeats: Bool
    private var next = 0

    init(_ requests: [ByteBuffer], repeats: Bool) {
        self.requests = requests
        self.repeats = repeats
    }

    /// The next request; `nil` when all were used.
    mutating func take() -> ByteBuffer? {
        if next == requests.count {
            guard repeats, next > 0 else { return nil }
            next = 0
        }
        defer { next += 1 }
        return requests[next]
    }
}

/// The server under load, and how to write a request to it.
struct Target {
    let port: Int
    let headers: [String]

    /// The address of a path, as a proof names it.
    func address(of path: String) -> String { "http://127.0.0.1:\(port)\(path)" }

    /// A request's bytes.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - path: The path.
    ///   - headers: Header lines beside those that all requests have.
    ///   - body: A body of JSON; `nil` for none.
    /// - Returns: The bytes to send.
    func request(_ method: String, _ path: String, headers: [String] = [], body: String? = nil) -> ByteBuffer {
        var lines = ["\(method) \(path) HTTP/1.1", "Host: 127.0.0.1:\(port)"] + self.headers + headers
        if let body { lines += ["Content-Type: application/json", "Content-Length: \(body.utf8.count)"] }
        return ByteBuffer(string: lines.joined(separator: "\r\n") + "\r\n\r\n" + (body ?? ""))
    }
}
