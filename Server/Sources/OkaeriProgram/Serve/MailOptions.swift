import ArgumentParser
import OkaeriServer

/// The settings of the mail server and of text messages. Their secrets come from the environment or the configuration
/// file alone.
struct MailOptions: ParsableArguments {
    @Option(name: .customLong(Setting.smtpURL.name), help: ArgumentHelp(.smtpURL, valueName: "url"))
    var smtpURL: String?

    @Option(name: .customLong(Setting.smtpUser.name), help: ArgumentHelp(.smtpUser, valueName: "name"))
    var smtpUser: String?

    @Option(name: .customLong(Setting.smtpTLS.name), help: ArgumentHelp(.smtpTLS, valueName: "required|off"))
    var smtpTLS: String?

    @Option(name: .customLong(Setting.smtpCertificates.name), help: ArgumentHelp(.smtpCertificates, valueName: "file"))
    var smtpCertificates: String?

    @Option(name: .customLong(Setting.mailFrom.name), help: ArgumentHelp(.mailFrom, valueName: "address"))
    var mailFrom: String?

    @Option(
        name: .customLong(Setting.textMessageWebhook.name), help: ArgumentHelp(.textMessageWebhook, valueName: "url"))
    var textMessageWebhook: String?

    /// What the options say, by setting name.
    var values: [String: String] {
        var values: [String: String] = [:]
        values[Setting.smtpURL.name] = smtpURL
        values[Setting.smtpUser.name] = smtpUser
        values[Setting.smtpTLS.name] = smtpTLS
        values[Setting.smtpCertificates.name] = smtpCertificates
        values[Setting.mailFrom.name] = mailFrom
        values[Setting.textMessageWebhook.name] = textMessageWebhook
        return values
    }
}
