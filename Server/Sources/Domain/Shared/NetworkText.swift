import Foundation

/// Addresses and networks as operators write them: `192.0.2.7`, `10.0.0.0/8`, `2001:db8::/32`.
enum NetworkText {
    static func isNetwork(_ text: String) -> Bool {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        // `inet_pton` stops at a zero byte.
        guard let address = parts.first, text.utf8.count <= 64, !text.utf8.contains(0) else { return false }
        var place = in6_addr()
        let width =
            inet_pton(AF_INET, String(address), &place) == 1
            ? 32 : inet_pton(AF_INET6, String(address), &place) == 1 ? 128 : nil
        guard let width else { return false }
        return parts.count == 1 || Int(parts[1]).map((0...width).contains) ?? false
    }
}
