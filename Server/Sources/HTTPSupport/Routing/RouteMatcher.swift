import Domain
import HTTPTypes
import OkaeriWire

/// Finds the pipeline of a request by its method and path.
///
/// A path without names in braces is found by itself, the others segment by segment. A segment that is spelled out goes
/// before a name, and a name before `**`.
struct RouteMatcher: Sendable {
    /// The pipeline of a request, and what the names in its path stand for.
    struct Match: Sendable {
        var pipeline: RoutePipeline
        var parameters: [(name: Substring, value: Substring)] = []
    }

    private struct Node: Sendable {
        var spelledOut: [Substring: Int] = [:]
        var named: Int?
        /// Routes that end here.
        var leaves: [Leaf] = []
        /// Routes that end with `**` behind this segment.
        var wildcards: [Leaf] = []
    }

    private struct Leaf: Sendable {
        var part: Int
        var method: HTTPRequest.Method
        /// In the order of their segments.
        var names: [Substring]
        var pipeline: RoutePipeline
    }

    private struct Search {
        var values: [Substring] = []
        /// Whether all segments were found, but no route of the method ends there. No `**` takes such a path.
        var hasReachedEnd = false
    }

    private static let slash = UInt8(ascii: "/")
    private static let wildcard: Substring = "**"

    private var exact: [String: [HTTPRequest.Method: RoutePipeline]] = [:]
    /// The root is the first.
    private var nodes = [Node()]

    /// - Parameters:
    ///   - pipeline: What answers its requests.
    ///   - route: The route.
    ///   - part: The number of the protocol that it is of.
    mutating func add(_ pipeline: RoutePipeline, for route: Route, of part: Int) {
        var node = 0
        var names: [Substring] = []
        let segments = route.path.pieces(at: "/")
        let hasWildcard = segments.last == Self.wildcard
        for segment in hasWildcard ? segments.dropLast() : segments[...] {
            let isName = segment.hasPrefix("{")
            if isName { names.append(segment.dropFirst().dropLast()) }
            if let next = isName ? nodes[node].named : nodes[node].spelledOut[segment] {
                node = next
                continue
            }
            let next = nodes.endIndex
            nodes.append(Node())
            if isName { nodes[node].named = next } else { nodes[node].spelledOut[segment] = next }
            node = next
        }
        let leaf = Leaf(part: part, method: route.method, names: names, pipeline: pipeline)
        if hasWildcard {
            nodes[node].wildcards.append(leaf)
        } else {
            nodes[node].leaves.append(leaf)
            if names.isEmpty { exact[route.path, default: [:]][route.method] = pipeline }
        }
    }

    /// - Parameters:
    ///   - method: The request's method.
    ///   - path: The path without its query; stream-safe text, because it is hashed.
    /// - Returns: the match; `nil` when no route fits.
    func match(_ method: HTTPRequest.Method, _ path: String) -> Match? {
        // A path that a route without names has belongs to that route, whatever its methods.
        if let methods = exact[path] { return methods[method].map { Match(pipeline: $0) } }
        var search = Search()
        guard let leaf = leaf(method, path.utf8[...], from: 0, &search) else { return nil }
        return Match(pipeline: leaf.pipeline, parameters: Array(zip(leaf.names, search.values)))
    }

    /// The methods of the routes that end at a path, whichever of them goes first. What `**` takes is no path of its own:
    /// it adds nothing.
    ///
    /// - Parameters:
    ///   - path: The path without its query; any text.
    ///   - isVisible: Whether the routes of the protocol with a number count.
    /// - Returns: none when no route ends there.
    func methods(at path: String, where isVisible: (_ part: Int) -> Bool) -> Set<HTTPRequest.Method> {
        var ends = [0]
        for bytes in path.utf8.split(separator: Self.slash) {
            let segment = Substring(bytes)
            // What must not be hashed is spelled out nowhere.
            let isHashed = StreamSafeText.contains(String(segment))
            ends = ends.flatMap { end in
                [isHashed ? nodes[end].spelledOut[segment] : nil, nodes[end].named].compactMap { $0 }
            }
        }
        let leaves = ends.flatMap { nodes[$0].leaves }
        return Set(leaves.filter { isVisible($0.part) }.map(\.method))
    }

    private func leaf(
        _ method: HTTPRequest.Method, _ path: Substring.UTF8View, from node: Int, _ search: inout Search
    ) -> Leaf? {
        let path = path.drop { $0 == Self.slash }
        guard !path.isEmpty else {
            let found = nodes[node].leaves.first { $0.method == method }
            if found == nil { search.hasReachedEnd = true }
            return found
        }
        let end = path.firstIndex(of: Self.slash) ?? path.endIndex
        let (segment, rest) = (Substring(path[..<end]), path[end...])
        if let next = nodes[node].spelledOut[segment], let found = leaf(method, rest, from: next, &search) {
            return found
        }
        if let next = nodes[node].named {
            search.values.append(segment)
            if let found = leaf(method, rest, from: next, &search) { return found }
            search.values.removeLast()
        }
        guard !search.hasReachedEnd else { return nil }
        return nodes[node].wildcards.first { $0.method == method }
    }
}
