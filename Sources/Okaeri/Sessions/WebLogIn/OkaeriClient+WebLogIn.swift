public import Foundation

/// Shows a person the hosted pages. On Apple's systems `WebLogInSheet` is one; tests and other systems bring their own.
public protocol WebLogInBrowser: Sendable {
    /// Opens an address and waits until the pages send the person back.
    ///
    /// - Parameters:
    ///   - address: What to open, in a browser and never in a view of the app's own (RFC 8252 §8.12).
    ///   - redirect: Where the person comes back to.
    /// - Returns: The whole address that came back.
    /// - Throws: `OkaeriError.cancelled` when the person closed the browser.
    func open(_ address: URL, redirect: URL) async throws(OkaeriError) -> URL
}

extension OkaeriClient {
    /// Logs in through the server's hosted pages, whatever they offer: password, mailed code, providers, sign-up.
    ///
    /// Afterwards the app is logged in as after every other log-in: the next launch is automatic. A guest's key stays
    /// with the guest, and the person who logged in gets another one. So does a person who asked for a new account
    /// (``WebLogInOptions/Prompt/signUp``) on a device whose key is a registered user's. Anybody else is taken for that user, who
    /// comes back: then nothing is renewed silently for them, and when the session ends, they log in again.
    ///
    /// - Parameters:
    ///   - browser: Shows the pages.
    ///   - redirect: Where the pages send the person back to; an operator has registered it (`okaeri application redirect`).
    ///   - options: What the log-in shall be like.
    /// - Returns: Whether the user is new, the user, and the time of the log-in before this one.
    /// - Throws: `OkaeriError`: `.cancelled` when the person did not go on, `.webLogInRefused` with the reason.
    @discardableResult
    public func logIn(
        through browser: some WebLogInBrowser, redirect: URL, options: WebLogInOptions = WebLogInOptions()
    ) async throws(OkaeriError) -> Welcome {
        let request = try await beginWebLogIn(redirect: redirect, options: options)
        let callback = try await browser.open(request.address, redirect: redirect)
        return try await finish(request, with: callback)
    }

    /// Begins a log-in through the hosted pages, for apps that open the browser by themselves.
    ///
    /// - Parameters:
    ///   - redirect: Where the pages send the person back to.
    ///   - options: What the log-in shall be like.
    /// - Returns: What to open; keep it for ``finish(_:with:)``.
    /// - Throws: `OkaeriError`: `.webLogInRefused(.pagesUnavailable)` when the server has no pages, `.unexpectedResponse` when
    ///   what it names is no page.
    public func beginWebLogIn(
        redirect: URL, options: WebLogInOptions = WebLogInOptions()
    ) async throws(OkaeriError) -> WebLogInRequest {
        try await keeper.beginWebLogIn(redirect: redirect, options: options)
    }

    /// Finishes a log-in through the hosted pages. A request is good once.
    ///
    /// - Parameters:
    ///   - request: What was begun.
    ///   - callback: The whole address that came back.
    /// - Returns: Whether the user is new, the user, and the time of the log-in before this one.
    /// - Throws: `OkaeriError`: `.cancelled` when the person did not go on, `.webLogInRefused` with the reason.
    @discardableResult
    public func finish(_ request: WebLogInRequest, with callback: URL) async throws(OkaeriError) -> Welcome {
        try await keeper.finish(request, with: callback)
    }
}
