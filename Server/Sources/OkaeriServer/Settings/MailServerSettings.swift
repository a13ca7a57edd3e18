import Domain
import Foundation
import OutboundServices
import Threads

extension SMTPSettings {
    /// The mail server of the settings; `nil` when none is named.
    ///
    /// - Throws: `SettingFault` for values that break their rules alone or together.
    init?(_ reader: SettingReader) throws(SettingFault) {
        let url = try reader.optional(.smtpURL, Self.url)
        let user = try reader.optional(.smtpUser) { $0.isEmpty ? nil : $0 }
        let password = try reader.optional(.smtpPassword) { $0.isEmpty ? nil : Secret($0) }
        let requiresTLS = try reader.required(.smtpTLS) { ["required": true, "off": false][$0] }
        let certificates = try reader.optional(.smtpCertificates) { path in
            FileManager.default.isReadableFile(atPath: path) ? path : nil
        }
        let sender = try reader.optional(.mailFrom) { text in
            MIMEMessage.isAddress(text) && text.utf8.allSatisfy { $0 < 0x80 } ? text : nil
        }
        guard let url else { return nil }
        guard let sender else {
            throw SettingFault(missing: .mailFrom)
        }
        guard (user == nil) == (password == nil) else {
            throw SettingFault(missing: user == nil ? .smtpUser : .smtpPassword)
        }
        guard requiresTLS || password == nil || Self.isOnThisMachine(url) else {
            throw SettingFault("\(Setting.smtpTLS.name) is off, but must be \(Setting.smtpTLS.rule).")
        }
        self.init(
            url: url, user: user, password: password, sender: sender, requiresTLS: requiresTLS,
            certificates: certificates)
    }

    /// What is set for the log-in.
    ///
    /// - Throws: `SettingFault` for a source that cannot be read.
    static func logIn(_ reader: SettingReader) throws(SettingFault) -> [Setting] {
        var found: [Setting] = []
        for setting in [Setting.smtpUser, .smtpPassword] {
            if try reader.optional(setting, { $0 }) != nil { found.append(setting) }
        }
        return found
    }

    /// The address without a slash at its end; `nil` for anything but scheme, host and port.
    private static func url(_ text: String) -> String? {
        let bare = text.hasSuffix("/") ? String(text.dropLast()) : text
        guard let parts = URLComponents(string: bare), ["smtp", "smtps"].contains(parts.scheme ?? ""),
            parts.host?.isEmpty == false, parts.path.isEmpty, parts.user == nil, parts.password == nil,
            parts.query == nil, parts.fragment == nil, EgressPolicy.isPort(parts.port)
        else { return nil }
        return bare
    }

    private static func isOnThisMachine(_ url: String) -> Bool {
        ["localhost", "127.0.0.1", "[::1]", "::1"].contains(URLComponents(string: url)?.host ?? "")
    }
}

extension ServerSettings {
    /// What hands mails to the mail server, and the threads that wait for it; `nil` without one.
    var mailCarrier: (carrier: SMTPCarrier, threads: WorkerThreads)? {
        smtp.map { smtp in
            let threads = WorkerThreads(
                name: "okaeri-mail", count: MailWorker.lanes, maximumWaiting: MailWorker.lanes)
            return (SMTPCarrier(smtp, threads: threads), threads)
        }
    }

    /// Whether a server with these settings sends mails, or keeps them in an outbox.
    var sendsMail: Bool { isDevelopment || smtp != nil }

    /// By which way mails leave.
    func mailDelivery(by carrier: SMTPCarrier?) -> MailDelivery {
        if isDevelopment { return .outbox }
        if let carrier { return .carrier(carrier) }
        return isBesideMailingServer ? .server : .none
    }

    /// Connects to the mail server and logs in.
    ///
    /// - Returns: what is wrong; `nil` when mails can be sent, or when there is no mail server to ask.
    package func checkMailServer() async -> String? {
        guard let (carrier, threads) = mailCarrier else { return nil }
        let fault = await carrier.check()
        await threads.close()
        return fault
    }
}
