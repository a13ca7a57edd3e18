import HTTPTypes
import Hummingbird
import NIOCore

/// The routes whose requests can be answered on the event loop: answers without streams.
package struct WholeRequestRoutes: Sendable {
    private let endpoints: [String: [HTTPRequest.Method: Endpoint]]
    /// Paths with names in braces, by their number of segments; those with fewer names first.
    private let patterns: [Int: [Pattern]]
    private let date = HTTPDate()

    fileprivate struct Pattern: Sendable {
        let segments: [String]
        let methods: [HTTPRequest.Method: Endpoint]
    }

    /// An endpoint, and what stands in the path for the names in its own.
    struct Place {
        let endpoint: Endpoint
        var parameters: [(name: Substring, value: Substring)] = []
    }

    init(_ endpoints: [String: [HTTPRequest.Method: Endpoint]]) {
        self.endpoints = endpoints.filter { !$0.key.contains("{") }
        let patterns = endpoints.filter { $0.key.contains("{") }
            .map { Pattern(segments: Self.segments($0.key[...]).map(String.init), methods: $0.value) }
            .sorted { $0.segments.count { $0.hasPrefix("{") } < $1.segments.count { $0.hasPrefix("{") } }
        self.patterns = Dictionary(grouping: patterns, by: \.segments.count)
    }

    /// Who answers a request here; `nil` for what Hummingbird shall have: other routes, paths that need decoding, and
    /// requests that want more than an answer.
    func place(for head: HTTPRequest) -> Place? {
        guard let target = head.path, let place = place(of: target, head.method),
            !head.headerFields.contains(.expect), head.keepsConnection
        else { return nil }
        return place
    }

    private func place(of target: String, _ method: HTTPRequest.Method) -> Place? {
        if let known = endpoints[target] { return known[method].map { Place(endpoint: $0) } }
        let path = target.utf8.firstIndex(of: UInt8(ascii: "?")).map { target[..<$0] } ?? target[...]
        if path.utf8.count != target.utf8.count, let known = endpoints[String(path)] {
            return known[method].map { Place(endpoint: $0) }
        }
        guard !patterns.isEmpty, !path.utf8.contains(UInt8(ascii: "%")) else { return nil }
        let segments = Self.segments(path)
        for pattern in patterns[segments.count] ?? [] where pattern.fits(segments) {
            guard let endpoint = pattern.methods[method] else { return nil }
            return Place(endpoint: endpoint, parameters: pattern.parameters(segments))
        }
        return nil
    }

    private static func segments(_ path: Substring) -> [Substring] {
        path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map { Substring($0) }
    }

    /// - Returns: the answer; `nil` when its body broke off, so that the connection is of no use.
    func answer(to request: Request, _ context: ServerContext, _ place: Place) async -> WholeAnswer? {
        do {
            var context = context
            if !place.parameters.isEmpty {
                context.coreContext.parameters = Parameters(place.parameters.map { ($0.name, $0.value) })
            }
            let response = try await place.endpoint.respond(to: request, context: context)
            var head = response.head
            head.headerFields.append(HTTPField(name: .date, value: date.now))
            let body = BodyCollector()
            try await response.body.write(body)
            return WholeAnswer(head: head, body: body.bytes)
        } catch {
            // An endpoint answers its errors itself; only a body can fail here, after its head was made.
            return nil
        }
    }
}

extension WholeRequestRoutes.Pattern {
    fileprivate func fits(_ path: [Substring]) -> Bool {
        zip(segments, path).allSatisfy { $0.hasPrefix("{") ? !$1.isEmpty : $0.utf8.elementsEqual($1.utf8) }
    }

    fileprivate func parameters(_ path: [Substring]) -> [(name: Substring, value: Substring)] {
        zip(segments, path).compactMap { segment, value in
            segment.hasPrefix("{") ? (segment.dropFirst().dropLast(), value) : nil
        }
    }
}

/// An answer in one piece.
struct WholeAnswer: Sendable {
    let head: HTTPResponse
    let body: ByteBuffer
}

extension HTTPRequest {
    /// Whether nothing is said of the connection but that it stays, as Apple's systems do (RFC 9110 §7.6.1).
    fileprivate var keepsConnection: Bool {
        guard let options = headerFields.value(of: .connection) else { return true }
        return options.lowercased() == "keep-alive"
    }
}
