public import Foundation
@_spi(TotalConversions) import OkaeriWire

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What the verifiers take the time from.
public protocol VerifierClock: Sendable {
    /// The present instant.
    var now: Date { get }
}

extension VerifierClock {
    /// Seconds since 1970, within the years that dates have, so that sums with a few days stay in range.
    var seconds: Int64 {
        min(max(Int64(clamping: now.timeIntervalSince1970.rounded(.down)), 0), 253_402_300_799)
    }
}

/// The system's clock.
public struct SystemVerifierClock: VerifierClock {
    /// Makes the clock.
    public init() {}

    /// The present instant.
    public var now: Date { Date() }
}

/// Asks for keys over the system's `URLSession`: ten seconds at the most, without cookies, and following no redirection.
public struct SystemKeySetSource: KeySetSource {
    private let session: URLSession

    /// Makes a source.
    public init() {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.urlCredentialStorage = nil
        session = URLSession(configuration: configuration, delegate: StayingDelegate(), delegateQueue: nil)
    }

    /// Asks once.
    public func keySet(at url: URL) async throws -> KeySetAnswer {
        // The limit of a request begins anew with each byte: a server that sends one now and then would hold up all who wait.
        try await Self.within(.seconds(10)) { try await ask(url) }
    }

    /// - Throws: What the work throws; `URLError.timedOut` when it takes longer.
    static func within<Value: Sendable>(
        _ limit: Duration, _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Value.self) { group in
            group.addTask { try await work() }
            group.addTask {
                try await Task.sleep(for: limit)
                throw URLError(.timedOut)
            }
            defer { group.cancelAll() }
            guard let first = try await group.next() else { throw URLError(.timedOut) }
            return first
        }
    }

    private func ask(_ url: URL) async throws -> KeySetAnswer {
        let request = URLRequest(url: url, cachePolicy: .reloadIgnoringLocalCacheData, timeoutInterval: 10)
        let (body, response) = try await session.data(for: request)
        guard let response = response as? HTTPURLResponse, response.statusCode == 200 else {
            throw URLError(.badServerResponse)
        }
        return KeySetAnswer(body: body, cacheControl: response.value(forHTTPHeaderField: "Cache-Control"))
    }
}

/// Follows no redirection: the keys come from the address that was given, and from nowhere else.
private final class StayingDelegate: NSObject, URLSessionTaskDelegate {
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }
}
