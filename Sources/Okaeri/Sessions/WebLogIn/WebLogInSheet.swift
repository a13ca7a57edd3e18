#if canImport(AuthenticationServices) && !os(tvOS)
    public import AuthenticationServices
    public import Foundation

    /// The system's browser sheet: it shares the person's log-in with the browser, and shows the app nothing of what is
    /// typed (RFC 8252 §B.1).
    ///
    /// ```swift
    /// let welcome = try await okaeri.logIn(through: WebLogInSheet(anchor: window), redirect: redirect)
    /// ```
    @MainActor
    public final class WebLogInSheet: NSObject, WebLogInBrowser {
        #if !os(watchOS)
            private let anchor: ASPresentationAnchor
        #endif
        private let isPrivate: Bool
        private var shown: ASWebAuthenticationSession?
        private var waiting: CheckedContinuation<Result<URL, OkaeriError>, Never>?

        #if os(watchOS)
            /// Makes a sheet that is not shown yet.
            ///
            /// - Parameter isPrivate: Whether it shares no cookies with the browser: then the person is logged in nowhere
            ///   at first, and the system asks for no permission.
            public init(isPrivate: Bool = false) {
                self.isPrivate = isPrivate
            }
        #else
            /// Makes a sheet that is not shown yet.
            ///
            /// - Parameters:
            ///   - anchor: The window that the sheet belongs to.
            ///   - isPrivate: Whether it shares no cookies with the browser: then the person is logged in nowhere at
            ///     first, and the system asks for no permission.
            public init(anchor: ASPresentationAnchor, isPrivate: Bool = false) {
                self.anchor = anchor
                self.isPrivate = isPrivate
            }
        #endif

        /// Shows the sheet and waits for the person. When the caller's task is cancelled, the sheet closes.
        ///
        /// - Throws: `OkaeriError.cancelled` when the person closed the sheet, or it is shown already or cannot be shown.
        public func open(_ address: URL, redirect: URL) async throws(OkaeriError) -> URL {
            guard shown == nil, !Task.isCancelled else { throw .cancelled }
            defer { shown = nil }
            let result = await withTaskCancellationHandler {
                await withCheckedContinuation { continuation in
                    waiting = continuation
                    show(address, redirect)
                }
            } onCancel: {
                // Nobody else waits for it.
                Task { @MainActor in
                    self.shown?.cancel()
                    self.finish(.failure(.cancelled))
                }
            }
            return try result.get()
        }

        /// The system may tell the end twice; the first counts.
        private func finish(_ result: Result<URL, OkaeriError>) {
            waiting?.resume(returning: result)
            waiting = nil
        }

        private func show(_ address: URL, _ redirect: URL) {
            let session = session(address, redirect) { callback, _ in
                // What else can fail, a wrong address or a missing window, is the app's to mend.
                Task { @MainActor in self.finish(callback.map { .success($0) } ?? .failure(.cancelled)) }
            }
            #if !os(watchOS)
                session.presentationContextProvider = self
            #endif
            session.prefersEphemeralWebBrowserSession = isPrivate
            shown = session
            // A session that does not start calls nobody back.
            if !session.start() { finish(.failure(.cancelled)) }
        }

        /// Newer systems take https addresses back too, where the app's associated domains allow it.
        private func session(
            _ address: URL, _ redirect: URL, _ finish: @escaping @Sendable (URL?, (any Error)?) -> Void
        ) -> ASWebAuthenticationSession {
            let scheme = redirect.scheme ?? ""
            if #available(iOS 17.4, macOS 14.4, watchOS 10.4, visionOS 1.1, *) {
                let callback: ASWebAuthenticationSession.Callback =
                    if scheme == "https", let host = redirect.host {
                        .https(host: host, path: redirect.path)
                    } else {
                        .customScheme(scheme)
                    }
                return ASWebAuthenticationSession(url: address, callback: callback, completionHandler: finish)
            }
            return ASWebAuthenticationSession(url: address, callbackURLScheme: scheme, completionHandler: finish)
        }
    }

    #if !os(watchOS)
        extension WebLogInSheet: ASWebAuthenticationPresentationContextProviding {
            /// The window that the sheet belongs to.
            public func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor { anchor }
        }
    #endif
#endif
