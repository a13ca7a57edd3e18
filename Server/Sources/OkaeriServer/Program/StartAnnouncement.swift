import Logging
import OutboundServices

/// Says in the log what the operator should know of the settings, when the server starts.
struct StartAnnouncement: Sendable {
    let settings: ServerSettings
    let logger: Logger
    /// The address that is asked instead of Apple's, under development.
    let fakeApple: String?

    func callAsFunction() {
        if !settings.hasRateLimits {
            logger.warning("RATE LIMITS ARE OFF: anyone who reaches this server can make users without end")
        }
        for setting in settings.boundlessNetworks {
            logger.warning(
                setting == .trustedProxies
                    ? "EVERYBODY COUNTS AS A PROXY: who reaches this server can say which address they come from"
                    : "TENANTS' ADDRESSES MAY LEAD EVERYWHERE: also to this machine and to where clouds keep credentials",
                metadata: ["setting": .string(setting.variable)])
        }
        for setting in settings.unusedMailSettings {
            logger.warning(
                "the setting is not used: no mail server is named",
                metadata: ["setting": .string(setting.variable), "missing": .string(Setting.smtpURL.variable)])
        }
        if settings.isDevelopment {
            logger.warning("this server is for development: mails are not sent but kept in an outbox")
            if let fakeApple {
                logger.warning("a fake plays Apple", metadata: ["apple": .string(fakeApple)])
                logger.warning(
                    "fakes play LINE, Kakao, Naver, Yahoo! JAPAN ID and Game Center",
                    metadata: ["line": .string(settings.providers.line)])
            } else {
                logger.warning("no fake plays Apple in this program; “okaeri-dev serve --dev” has one")
            }
        } else if settings.smtp == nil {
            logger.info("no mail server is set: what needs a mail is answered with mail_unavailable")
        }
        if !settings.isLoopback && settings.publicURL == nil {
            logger.warning(
                "no public-url is set: proofs are checked against the Host that each request names",
                metadata: ["setting": .string(Setting.publicURL.variable)])
        }
        if settings.hasPublicPath {
            logger.info("public-url has a path: browsers need /a, /assets and /dashboard of its host as they are, too")
        }
    }
}
