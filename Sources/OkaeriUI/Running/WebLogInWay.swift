public import Foundation
public import Okaeri

/// The way to the server's hosted pages and back: for the button of ``LogInFields/webLogIn``.
public struct WebLogInWay: Sendable {
    /// Shows the pages: on Apple's systems `BrowserSheet`.
    public var browser: any WebLogInBrowser
    /// Where the pages send the person back to; an operator has registered it (`okaeri application redirect`).
    public var redirect: URL

    /// Names browser and address.
    public init(_ browser: any WebLogInBrowser, redirect: URL) {
        self.browser = browser
        self.redirect = redirect
    }
}
