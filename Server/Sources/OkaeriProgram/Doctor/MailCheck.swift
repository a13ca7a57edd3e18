import OkaeriServer
import OutboundServices

/// Whether mails can leave the server.
struct MailCheck {
    let settings: ServerSettings

    func finding() async -> Finding {
        // The server that runs may have been started with --dev, which this command was not.
        if settings.isDevelopment || ServerInfoFile.read(in: settings.dataFolder)?.isDevelopment == true {
            return .ok("mail", "Mails go to the outbox; “okaeri mail outbox” shows them.")
        }
        guard let smtp = settings.smtp else {
            return .warning(
                "mail",
                "No mail server is set: codes, verification and password reset are answered with mail_unavailable."
                    + settings.unusedMailSettings.map { " \($0.variable) is set and not used." }.joined(),
                advice: "Set \(Setting.smtpURL.variable) and \(Setting.mailFrom.variable).")
        }
        if let fault = await settings.checkMailServer() {
            let withoutTLS =
                smtp.requiresTLS && smtp.url.hasPrefix("smtp:")
                ? " A relay on a network of your own that has no TLS needs \(Setting.smtpTLS.variable)=off." : ""
            return .failed(
                "mail", "The mail server \(smtp.url) cannot be used: \(fault).",
                advice: "Correct the settings whose names begin with OKAERI_SMTP; mails wait until then.\(withoutTLS)")
        }
        guard smtp.requiresTLS || smtp.url.hasPrefix("smtps:") else {
            return .warning(
                "mail", "The mail server \(smtp.url) takes mails, which may go there in the clear.",
                advice: "Remove \(Setting.smtpTLS.variable)=off unless the network in between is your own.")
        }
        return .ok("mail", "The mail server \(smtp.url) takes mails from \(smtp.sender).")
    }
}
