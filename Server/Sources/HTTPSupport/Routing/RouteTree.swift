import HTTPTypes

/// Routes with names in braces, found segment by segment. A segment that is spelled out goes before a name.
struct RouteTree: Sendable {
    /// Who answers a request, and what the names in its path stand for.
    struct Found: Sendable {
        var endpoint: Endpoint
        var parameters: [(name: Substring, value: Substring)] = []
    }

    private struct Node: Sendable {
        var spelledOut: [Substring: Int] = [:]
        var named: Int?
        var leaves: [Leaf] = []
    }

    private struct Leaf: Sendable {
        var method: HTTPRequest.Method
        /// In the order of their segments.
        var names: [Substring]
        var endpoint: Endpoint
    }

    /// The root is the first.
    private var nodes = [Node()]

    mutating func add(_ endpoint: Endpoint, for route: Route) {
        var place = 0
        var names: [Substring] = []
        for segment in route.path.split(separator: "/") {
            let isName = segment.hasPrefix("{")
            if isName { names.append(segment.dropFirst().dropLast()) }
            if let next = isName ? nodes[place].named : nodes[place].spelledOut[segment] {
                place = next
                continue
            }
            let next = nodes.endIndex
            nodes.append(Node())
            if isName { nodes[place].named = next } else { nodes[place].spelledOut[segment] = next }
            place = next
        }
        nodes[place].leaves.append(Leaf(method: route.method, names: names, endpoint: endpoint))
    }

    func route(_ method: HTTPRequest.Method, _ path: Substring) -> Found? {
        var values: [Substring] = []
        guard let leaf = leaf(method, path.utf8, from: 0, &values) else { return nil }
        return Found(endpoint: leaf.endpoint, parameters: Array(zip(leaf.names, values)))
    }

    private func leaf(
        _ method: HTTPRequest.Method, _ path: Substring.UTF8View, from place: Int, _ values: inout [Substring]
    ) -> Leaf? {
        let path = path.drop { $0 == Self.slash }
        guard !path.isEmpty else { return nodes[place].leaves.first { $0.method == method } }
        let end = path.firstIndex(of: Self.slash) ?? path.endIndex
        let (segment, rest) = (Substring(path[..<end]), path[end...])
        if let next = nodes[place].spelledOut[segment], let found = leaf(method, rest, from: next, &values) {
            return found
        }
        guard let next = nodes[place].named else { return nil }
        values.append(segment)
        if let found = leaf(method, rest, from: next, &values) { return found }
        values.removeLast()
        return nil
    }

    private static let slash = UInt8(ascii: "/")
}
