// With the compile condition `OKAERI_ESSENTIALS` the library needs FoundationEssentials alone, and no more of Foundation. The
// server's program is built so, as it has a transport of its own. Left out is what needs the rest: this transport and the
// initialisers that use it, what finds and reads what old SDKs left on a device, and the version in an app's bundle.
#if !OKAERI_ESSENTIALS
    import Foundation

    #if canImport(FoundationNetworking)
        public import FoundationNetworking
    #endif

    /// Requests over the system's `URLSession`, without cache, cookies or stored credentials.
    ///
    /// Of a response longer than 1 MiB no more than that is taken, whatever its header says or its compression hides; the library
    /// then refuses it. A request's time is for each silence; all of a response has three times that.
    public final class URLSessionTransport: Transport {
        private let session: URLSession
        private let collector = ResponseCollector()

        /// Makes a transport.
        ///
        /// - Parameter configuration: How to connect. By default an ephemeral one. A copy of it is used, without what keeps
        ///   responses or secrets.
        public init(configuration: URLSessionConfiguration = .ephemeral) {
            let configuration = configuration.copy() as? URLSessionConfiguration ?? .ephemeral
            configuration.urlCache = nil
            configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
            configuration.httpCookieStorage = nil
            configuration.httpShouldSetCookies = false
            configuration.urlCredentialStorage = nil
            session = URLSession(configuration: configuration, delegate: collector, delegateQueue: nil)
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
            let (task, transfer) = (session.dataTask(with: outgoing), ResponseTransfer())
            collector.await(task, transfer)
            // The system's timer begins anew with every byte. Nobody awaits this task: it ends with the request.
            let end = Task {
                // Cancelled means that the response is there.
                guard (try? await Task.sleep(for: request.timeout * 3)) != nil else { return }
                transfer.finish(.failure(TransportError.timedOut))
                task.cancel()
            }
            defer { end.cancel() }
            do {
                return try await withTaskCancellationHandler {
                    try await withCheckedThrowingContinuation { continuation in
                        if transfer.begin(continuation) { task.resume() }
                    }
                } onCancel: {
                    transfer.finish(.failure(CancellationError()))
                    task.cancel()
                }
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

    /// One request and the caller who waits for its response.
    private final class ResponseTransfer: Sendable {
        private struct State {
            var caller: CheckedContinuation<TransportResponse, any Error>?
            var body = Data()
            var isOver = false
        }

        private let state = Protected(State())

        /// - Returns: Whether there is still something to wait for.
        func begin(_ caller: CheckedContinuation<TransportResponse, any Error>) -> Bool {
            let isOver = state.withValue { state in
                if !state.isOver { state.caller = caller }
                return state.isOver
            }
            if isOver { caller.resume(throwing: CancellationError()) }
            return !isOver
        }

        /// - Returns: Whether more is wanted.
        func take(_ bytes: Data) -> Bool {
            state.withValue { state in
                // One byte too many tells the library that it was too long.
                state.body.append(bytes.prefix(max(0, UntrustedJSON.maximumBytes + 1 - state.body.count)))
                return state.body.count <= UntrustedJSON.maximumBytes
            }
        }

        func finish(_ result: Result<HTTPURLResponse, any Error>) {
            let (caller, body) = state.withValue { state in
                defer { (state.caller, state.isOver) = (nil, true) }
                return (state.caller, state.body)
            }
            caller?.resume(
                with: result.map { response in
                    let fields = response.allHeaderFields.compactMap { name, value in
                        (name as? String).map { ($0, "\(value)") }
                    }
                    return TransportResponse(
                        status: response.statusCode, headers: HeaderFields(Dictionary(fields) { first, _ in first }),
                        body: body)
                })
        }
    }

    /// Hands what comes to the transfer that it is for, and ends those whose body is too long.
    ///
    /// Follows no redirection: the API sends none, and a token must not travel to wherever one points.
    private final class ResponseCollector: NSObject, URLSessionDataDelegate {
        private let transfers = Protected<[Int: ResponseTransfer]>([:])

        func await(_ task: URLSessionTask, _ transfer: ResponseTransfer) {
            transfers.withValue { $0[task.taskIdentifier] = transfer }
        }

        func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
            let transfer = transfers.withValue { $0[dataTask.taskIdentifier] }
            guard let transfer, !transfer.take(data) else { return }
            end(dataTask, nil)
            dataTask.cancel()
        }

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            end(task, error)
        }

        private func end(_ task: URLSessionTask, _ error: (any Error)?) {
            let transfer = transfers.withValue { $0.removeValue(forKey: task.taskIdentifier) }
            if let error {
                transfer?.finish(.failure(error))
            } else if let response = task.response as? HTTPURLResponse {
                transfer?.finish(.success(response))
            } else {
                transfer?.finish(.failure(TransportError.unreachable("no HTTP answer")))
            }
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
            newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
        ) {
            completionHandler(nil)
        }
    }
#endif
