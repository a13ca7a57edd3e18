import Foundation
package import HTTPTypes

/// The names that headers of requests have most often, so that they need not be checked and copied anew for each request.
package struct HeaderNames: Sendable {
    /// What clients of every protocol send.
    private static let common = [
        "Host", "User-Agent", "Accept", "Accept-Encoding", "Accept-Language", "Authorization", "DPoP", "Connection",
        "Content-Type", "Content-Length", "Cookie", "Cache-Control", "Origin", "Priority", "Referer",
        "Okaeri-Application", "Idempotency-Key", "If-Match", "If-None-Match", "Request-Id", "traceparent", "tracestate",
        "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto",
    ]

    /// By their length in bytes, each as it is written in HTTP/1.1 and in small letters.
    private let byLength: [[(bytes: [UInt8], name: HTTPField.Name)]]

    /// - Parameter names: What the clients of some protocols send beside what all do.
    package init(_ names: [HTTPField.Name]) {
        let all = Self.common + names.map(\.rawName)
        let known = Set(all + all.map { $0.lowercased() }).compactMap { HTTPField.Name($0) }
        let longest = known.map(\.rawName.utf8.count).max() ?? 0
        byLength = (0...longest).map { length in
            known.filter { $0.rawName.utf8.count == length }.map { (Array($0.rawName.utf8), $0) }
        }
    }

    /// - Parameter token: Letters, digits and hyphens.
    /// - Returns: the name, spelled as it was sent; `nil` for none.
    func name(of token: UnsafeRawBufferPointer) -> HTTPField.Name? {
        if token.count < byLength.count, let start = token.baseAddress {
            let candidates = byLength[token.count]
            for index in candidates.indices where memcmp(candidates[index].bytes, start, token.count) == 0 {
                return candidates[index].name
            }
        }
        return HTTPField.Name(String(decoding: token, as: UTF8.self))
    }
}
