#if canImport(AuthenticationServices) && canImport(SwiftUI) && !os(watchOS) && !os(tvOS)
    public import AuthenticationServices
    public import Foundation
    public import Okaeri

    /// The system's browser sheet over the app's window of the moment, a new one each time.
    public struct BrowserSheet: WebLogInBrowser {
        private let anchor: @MainActor @Sendable () -> ASPresentationAnchor?
        private let isPrivate: Bool

        /// Makes the way to the sheet.
        ///
        /// - Parameters:
        ///   - isPrivate: Whether it shares no cookies with the browser; see `WebLogInSheet`.
        ///   - anchor: The window that the sheet belongs to.
        public init(
            isPrivate: Bool = false, anchor: @escaping @MainActor @Sendable () -> ASPresentationAnchor?
        ) {
            self.isPrivate = isPrivate
            self.anchor = anchor
        }

        /// Shows the pages.
        public func open(_ address: URL, redirect: URL) async throws(OkaeriError) -> URL {
            try await show(address, redirect)
        }

        @MainActor
        private func show(_ address: URL, _ redirect: URL) async throws(OkaeriError) -> URL {
            guard let anchor = anchor() else { throw .cancelled }
            return try await WebLogInSheet(anchor: anchor, isPrivate: isPrivate).open(address, redirect: redirect)
        }
    }
#endif
