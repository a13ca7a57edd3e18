import Foundation

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#endif

/// Requests over the system's `URLSession`, without cache, cookies or stored credentials.
public final class URLSessionTransport: Transport {
    private let session: URLSession

    /// Makes a transport.
    ///
    /// - Parameter configuration: How to connect. By default an ephemeral one. A copy of it is used, without what keeps
    ///   answers or secrets.
    public init(configuration: URLSessionConfiguration = .ephemeral) {
        let configuration = configuration.copy() as? URLSessionConfiguration ?? .ephemeral
        configuration.urlCache = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.urlCredentialStorage = nil
        session = URLSession(configuration: configuration, delegate: RedirectRefusal(), delegateQueue: nil)
    }

    deinit {
        session.finishTasksAndInvalidate()
    }

    /// Sends one request, once.
    public func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        // On Linux a task that was cancelled before would send all the same.
        if Task.isCancelled { throw .cancelled }
        var outgoing = URLRequest(url: request.url)
        // On Linux only a limit that is set here counts, in whole seconds of at least one.
        outgoing.timeoutInterval = max(1, request.timeout.inSeconds.rounded(.up))
        outgoing.httpMethod = request.method
        outgoing.httpBody = request.body
        for (name, value) in request.headers.all { outgoing.setValue(value, forHTTPHeaderField: name) }
        do {
            let (body, answer) = try await session.data(for: outgoing)
            guard let answer = answer as? HTTPURLResponse else { throw TransportError.unreachable("no HTTP answer") }
            let fields = answer.allHeaderFields.compactMap { name, value in
                (name as? String).map { ($0, "\(value)") }
            }
            return TransportResponse(
                status: answer.statusCode, headers: HeaderFields(Dictionary(fields) { first, _ in first }), body: body)
        } catch {
            throw Self.reason(error)
        }
    }

    private static func reason(_ error: any Error) -> TransportError {
        if error is CancellationError { return .cancelled }
        if let error = error as? TransportError { return error }
        guard let error = error as? URLError else { return .unreachable("\(type(of: error))") }
        switch error.code {
        case .cancelled: return .cancelled
        case .timedOut: return .timedOut
        case .notConnectedToInternet, .dataNotAllowed, .internationalRoamingOff: return .offline
        default: return .unreachable("URL error \(error.code.rawValue)")
        }
    }
}

/// Follows no redirection: the API sends none, and a token must not travel to wherever one points.
private final class RedirectRefusal: NSObject, URLSessionTaskDelegate {
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }
}
