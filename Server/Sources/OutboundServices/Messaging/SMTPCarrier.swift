import CCurl
package import Domain
import Synchronization
package import Threads

/// Where and how mails are handed over (RFC 5321).
package struct SMTPSettings: Sendable {
    /// `smtps://host:465` for TLS from the start, `smtp://host:587` for STARTTLS.
    package var url: String
    package var user: String?
    package var password: Secret?
    /// The address that mails come from.
    package var sender: String
    /// Whether TLS is a must with `smtp://`.
    package var requiresTLS: Bool
    /// A file of certificates to trust instead of the system's.
    package var certificates: String?
    /// How long name look-up, connection and TLS may take.
    package var connectLimit: Duration
    /// How long handing one mail over may take, until the mail server has it whole.
    package var timeLimit: Duration
    /// How long the mail server may take beyond that to say that it has taken the mail: servers look at what it holds first, and who
    /// goes away meanwhile sends it twice (RFC 5321 §4.5.3.2.6). `DeliverMail.lease` is longer than both limits together.
    package var confirmationLimit: Duration = .seconds(80)

    package init(
        url: String, user: String? = nil, password: Secret? = nil, sender: String, requiresTLS: Bool = true,
        certificates: String? = nil, connectLimit: Duration = .seconds(10), timeLimit: Duration = .seconds(20)
    ) {
        self.url = url
        self.user = user
        self.password = password
        self.sender = sender
        self.requiresTLS = requiresTLS
        self.certificates = certificates
        self.connectLimit = connectLimit
        self.timeLimit = timeLimit
    }
}

/// Whether somebody still waits for what a mail server says of a mail.
private final class Patience: Sendable {
    private let isOver = Atomic<Bool>(false)

    var lasts: Bool { !isOver.load(ordering: .relaxed) }

    func end() { isOver.store(true, ordering: .relaxed) }
}

/// Hands mails over to a mail server, by libcurl, on threads of its own.
package struct SMTPCarrier: MailCarrier {
    /// The most that a mail server may say.
    private static let maximumAnswerBytes = 65_536

    private let settings: SMTPSettings
    private let threads: WorkerThreads

    package init(_ settings: SMTPSettings, threads: WorkerThreads) {
        self.settings = settings
        self.threads = threads
    }

    /// Where the task is cancelled, as by a server that stops, the mail server's word is waited for no longer than `timeLimit`.
    package func deliver(_ message: MailMessage) async -> MailOutcome {
        let mail: MIMEMessage
        do throws(MIMEMessage.Refusal) {
            mail = try MIMEMessage(message, from: settings.sender)
        } catch {
            return .refused(reason: DeliveryFault.text(.mailUnsendable, error.field))
        }
        let (settings, patience) = (settings, Patience())
        do {
            return try await withTaskCancellationHandler {
                try await threads.run { Self.hand(mail, to: settings, patience) }
            } onCancel: {
                patience.end()
            }
        } catch {
            return .failed(reason: DeliveryFault.text(.tooManyMails))
        }
    }

    /// Connects and logs in, without a mail.
    ///
    /// - Returns: what is wrong; `nil` when mails can be sent.
    package func check() async -> String? {
        let settings = settings
        do {
            return try await threads.run { Self.connect(settings) }
        } catch {
            return DeliveryFault.text(.tooManyMails)
        }
    }

    private static func hand(_ mail: MIMEMessage, to settings: SMTPSettings, _ patience: Patience) -> MailOutcome {
        do throws(CurlHandle.Fault) {
            let handle = try handle(settings, within: settings.timeLimit + settings.confirmationLimit)
            defer { handle.stopReceiving() }
            let start = ContinuousClock.now
            try handle.endEarly { isWhole in
                start.duration(to: .now) > settings.timeLimit && !(isWhole && patience.lasts)
            }
            try handle.set(CURLOPT_MAIL_FROM, "<\(mail.sender)>")
            try handle.set(CURLOPT_MAIL_RCPT, ["<\(mail.recipient)>"])
            try handle.set(CURLOPT_UPLOAD, 1)
            do throws(CurlHandle.Fault) {
                _ = try handle.perform(sending: mail.bytes)
                return .delivered
            } catch {
                return outcome(
                    of: error, status: handle.number(CURLINFO_RESPONSE_CODE), isWhole: handle.hasTakenAll)
            }
        } catch {
            return .failed(reason: words(for: error))
        }
    }

    private static func connect(_ settings: SMTPSettings) -> String? {
        do throws(CurlHandle.Fault) {
            let handle = try handle(settings, within: settings.timeLimit)
            defer { handle.stopReceiving() }
            try handle.set(CURLOPT_CUSTOMREQUEST, "NOOP")
            do throws(CurlHandle.Fault) {
                _ = try handle.perform()
                return nil
            } catch {
                return words(for: error, status: handle.number(CURLINFO_RESPONSE_CODE))
            }
        } catch {
            return words(for: error)
        }
    }

    private static func handle(
        _ settings: SMTPSettings, within limit: Duration
    ) throws(CurlHandle.Fault) -> CurlHandle {
        let handle = try CurlHandle(
            maximumBytes: maximumAnswerBytes, connectLimit: settings.connectLimit, timeLimit: limit)
        // libcurl has a limit of its own for each response, which may be shorter.
        try handle.set(CURLOPT_SERVER_RESPONSE_TIMEOUT, Int(clamping: limit.components.seconds) + 1)
        // The path is the name that the mail server is greeted with (RFC 5321 §4.1.1.1), instead of this machine's.
        let name = settings.sender.pieces(at: "@").last ?? "localhost"
        try handle.set(CURLOPT_URL, "\(settings.url)/\(name)")
        try handle.set(CURLOPT_PROTOCOLS_STR, "smtp,smtps")
        // Proxies of the environment are passed by, as they are for all other calls: a mail holds codes.
        try handle.set(CURLOPT_PROXY, "")
        try handle.set(
            CURLOPT_USE_SSL, Int(clamping: settings.requiresTLS ? CURLUSESSL_ALL.rawValue : CURLUSESSL_TRY.rawValue))
        if let certificates = settings.certificates {
            try handle.set(CURLOPT_CAINFO, certificates)
        } else if !settings.requiresTLS, settings.url.hasPrefix("smtp:") {
            // Mails may go out in the clear: encryption with whomever takes nothing away. Without this, a relay that offers it with a
            // certificate of its own making would get no mail at all, and one without it would.
            for option in [CURLOPT_SSL_VERIFYPEER, CURLOPT_SSL_VERIFYHOST] { try handle.set(option, 0) }
        }
        if let user = settings.user, let password = settings.password {
            try handle.set(CURLOPT_USERNAME, user)
            try handle.set(CURLOPT_PASSWORD, password.revealed)
        }
        return handle
    }

    /// What a fault means for the mail: a mail server's refusal of the mail itself is final (RFC 5321 §4.2.1: 55z, or
    /// an address that it cannot read); everything else may be mended before the mail is of no use.
    /// Who has said nothing to a whole mail may have taken it (RFC 5321 §4.5.5): the last answer was the one to `DATA`. Of an answer whose
    /// lines have no end, libcurl tells no status, or ends the transfer at the line that is one too many.
    private static func outcome(of fault: CurlHandle.Fault, status: Int, isWhole: Bool) -> MailOutcome {
        let isSilence = [CURLE_OPERATION_TIMEDOUT, CURLE_RECV_ERROR, CURLE_GOT_NOTHING, CURLE_WRITE_ERROR].contains {
            $0.rawValue == fault.code
        }
        if status == 354 || status == 0, isWhole, isSilence {
            return .unanswered(reason: DeliveryFault.text(.mailServerSilent, fault.reason))
        }
        let reason = words(for: fault, status: status)
        let isFinal = (550...559).contains(status) || status == 501
        // Who greets with 554 takes no mail now, or none from here (RFC 5321 §3.1).
        let isGreeting = fault.code == CURLE_WEIRD_SERVER_REPLY.rawValue && !isWhole
        return isFinal && isAboutTheMail(fault) && !isGreeting ? .refused(reason: reason) : .failed(reason: reason)
    }

    /// How libcurl says that a mail server refused a sender, a recipient or a content.
    private static func isAboutTheMail(_ fault: CurlHandle.Fault) -> Bool {
        [CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_WEIRD_SERVER_REPLY].contains { $0.rawValue == fault.code }
    }

    private static func words(for fault: CurlHandle.Fault) -> String {
        DeliveryFault.text(.mailServerUnused, fault.reason)
    }

    private static func words(for fault: CurlHandle.Fault, status: Int) -> String {
        if status >= 400 {
            // Its words for a refusal are about the connection, with which nothing is wrong.
            let reason = isAboutTheMail(fault) ? "" : " (\(fault.reason))"
            return DeliveryFault.text(.mailServerAnswered, "\(status)\(reason)")
        }
        guard fault.code == CURLE_USE_SSL_FAILED.rawValue else { return words(for: fault) }
        return DeliveryFault.text(.mailServerNoTLS)
    }
}
