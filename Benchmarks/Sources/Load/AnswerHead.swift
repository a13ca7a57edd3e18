import NIOCore

/// As much of an HTTP/1.1 answer as a load generator needs.
struct AnswerHead {
    let status: Int
    /// Bytes before the body.
    let headBytes: Int
    let bodyBytes: Int

    /// Reads the head at the buffer's start.
    ///
    /// - Parameter buffer: What arrived so far.
    /// - Returns: The head; `nil` when it is not complete yet.
    /// - Throws: `AnswerFault` when the answer is none that this generator understands.
    static func read(from buffer: ByteBuffer) throws(AnswerFault) -> AnswerHead? {
        let result: Result<AnswerHead?, AnswerFault> = buffer.withUnsafeReadableBytes { bytes in
            guard let headBytes = endOfHead(bytes) else { return .success(nil) }
            // `HTTP/1.1 200 OK`: the status stands at bytes 9 to 11.
            guard headBytes > 12, let status = number(bytes[9..<12]) else { return .failure(.malformed) }
            guard let bodyBytes = contentLength(bytes[..<headBytes]) else {
                return status == 204
                    ? .success(AnswerHead(status: status, headBytes: headBytes, bodyBytes: 0))
                    : .failure(.noLength)
            }
            return .success(AnswerHead(status: status, headBytes: headBytes, bodyBytes: bodyBytes))
        }
        return try result.get()
    }

    private static func endOfHead(_ bytes: UnsafeRawBufferPointer) -> Int? {
        let lineFeed = UInt8(ascii: "\n")
        var index = 3
        while index < bytes.count {
            // Most bytes are no line feeds: look at the fourth first.
            if bytes[index] == lineFeed, bytes[index - 2] == lineFeed { return index + 1 }
            index += 1
        }
        return nil
    }

    private static let lengthName = Array("\ncontent-length:".utf8)

    private static func contentLength(_ head: Slice<UnsafeRawBufferPointer>) -> Int? {
        let name = lengthName
        var index = head.startIndex
        while index + name.count < head.endIndex {
            var matched = 0
            while matched < name.count, head[index + matched] | 0x20 == name[matched] | 0x20 { matched += 1 }
            if matched == name.count {
                return number(head[(index + matched)...].drop { $0 == UInt8(ascii: " ") }.prefix { $0 >= 0x30 })
            }
            index += 1
        }
        return nil
    }

    private static func number(_ digits: some Collection<UInt8>) -> Int? {
        guard !digits.isEmpty, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1) - 0x30 }
    }
}

/// Why an answer cannot be counted.
enum AnswerFault: Error {
    case malformed
    /// No `Content-Length`; chunked bodies are not understood.
    case noLength
}
