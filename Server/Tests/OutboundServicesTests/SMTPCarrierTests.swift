import Domain
import Foundation
import OutboundServices
import TestMailServer
import Testing
import Threads

@Suite("Handing mails to a real mail server", .serialized)
struct SMTPCarrierTests {
    private static let threads = WorkerThreads(name: "mail", count: 2, maximumWaiting: 8)
    private static let sender = "noreply@example.com"

    private static func message(to name: String = "hana") -> MailMessage {
        MailMessage(
            id: "0000000000000001", senderName: "おかえり", recipient: "\(name)@example.com", subject: "ログイン用コード",
            text: "コード\n\n1234 5678\n", html: "<p>コード</p>", language: "ja",
            writtenAt: Timestamp(milliseconds: 1_795_252_542_000))
    }

    private static func carrier(
        _ server: MailServer, user: String? = nil, password: String? = nil, requiresTLS: Bool = true,
        certificates: String? = nil, timeLimit: Duration = .seconds(120), confirmationLimit: Duration = .seconds(600)
    ) -> SMTPCarrier {
        var settings = SMTPSettings(
            url: server.url, user: user, password: password.map { Secret($0) }, sender: sender,
            requiresTLS: requiresTLS, certificates: certificates ?? server.certificate,
            connectLimit: .seconds(60), timeLimit: timeLimit)
        settings.confirmationLimit = confirmationLimit
        return SMTPCarrier(settings, threads: threads)
    }

    @Test("delivers both parts, subject and sender", arguments: [MailServer.Encryption.startTLS, .implicit])
    func delivery(encryption: MailServer.Encryption) async throws {
        let server = try await MailServer(encryption, credentials: ("okaeri", "secret"))
        let carrier = Self.carrier(server, user: "okaeri", password: "secret")
        #expect(await carrier.check() == nil)
        #expect(await carrier.deliver(Self.message()) == .delivered)
        let mail = try #require(server.mails.first)
        #expect(server.mails.count == 1)
        #expect(mail.headers["x-test-from"] == Self.sender)
        #expect(mail.headers["x-test-to"] == "hana@example.com")
        #expect(mail.subject == "ログイン用コード")
        #expect(mail.sender == "おかえり <noreply@example.com>")
        #expect(mail.code == "1234 5678")
        #expect(mail.html == "<p>コード</p>")
    }

    @Test("takes a refusal of the mail for final, and everything else for a matter of time")
    func refusals() async throws {
        let server = try await MailServer()
        let carrier = Self.carrier(server, requiresTLS: false)
        for name in ["refused", "full"] {
            guard case .refused(let reason) = await carrier.deliver(Self.message(to: name)) else {
                Issue.record("\(name) was not refused")
                continue
            }
            // The connection is in order, of which libcurl's own words are.
            #expect(["the mail server answered 550", "the mail server answered 554"].contains(reason), "\(reason)")
        }
        guard case .failed(let reason) = await carrier.deliver(Self.message(to: "busy")) else {
            Issue.record("busy was taken for final")
            return
        }
        #expect(reason.contains("451"), "\(reason)")
        guard case .failed = await carrier.deliver(Self.message(to: "greylist")) else {
            Issue.record("greylisting was taken for final")
            return
        }
        #expect(await carrier.deliver(Self.message(to: "greylist")) == .delivered)
        #expect(server.mails.count == 1)
    }

    @Test("keeps mails while a server takes none at all, which it says before it has seen one")
    func closedServer() async throws {
        let server = try await MailServer(isClosed: true)
        let carrier = Self.carrier(server, requiresTLS: false)
        #expect(await carrier.deliver(Self.message()) == .failed(reason: "the mail server answered 554"))
        #expect(await carrier.check() == "the mail server answered 554")
    }

    @Test("gives up on a server that does not answer")
    func slowServer() async throws {
        let server = try await MailServer()
        let carrier = Self.carrier(server, requiresTLS: false, timeLimit: .milliseconds(700))
        guard case .failed = await carrier.deliver(Self.message(to: "slow")) else {
            Issue.record("nobody answered")
            return
        }
    }

    @Test("tells a mail that was handed over without an answer from one that was not")
    func unanswered() async throws {
        let server = try await MailServer()
        let outcome = await Self.carrier(server, requiresTLS: false).deliver(Self.message(to: "silent"))
        guard case .unanswered(let reason) = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(server.mails.count == 1 && !reason.contains("@"), "\(reason)")
        // The dashboard has words for it in each language.
        #expect(DeliveryFault(reason)?.kind == .mailServerSilent, "\(reason)")
    }

    @Test("does not send a mail again at once whose answer is longer than is read")
    func flood() async throws {
        let server = try await MailServer()
        let outcome = await Self.carrier(server, requiresTLS: false).deliver(Self.message(to: "floods"))
        guard case .unanswered = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(server.mails.count == 1)
    }

    /// What becomes of a mail that the mail server got in time: a busy machine may need more than a second for that.
    private static func outcome(
        _ carrier: SMTPCarrier, to name: String, isCancelled: Bool = false
    ) async -> MailOutcome {
        var outcome = MailOutcome.delivered
        for _ in 0..<20 {
            let delivery = Task { await carrier.deliver(message(to: name)) }
            if isCancelled { delivery.cancel() }
            outcome = await delivery.value
            guard case .failed = outcome else { break }
        }
        return outcome
    }

    @Test("waits longer for the word that a mail was taken than for all before it")
    func confirmation() async throws {
        let server = try await MailServer()
        let carrier = Self.carrier(server, requiresTLS: false, timeLimit: .seconds(1))
        #expect(await Self.outcome(carrier, to: "late") == .delivered)
        let settings = SMTPSettings(url: server.url, sender: Self.sender)
        #expect(settings.timeLimit + settings.confirmationLimit < DeliverMail.lease, "another node would send it too")
    }

    @Test(
        "does not wait for that word without end, and not when the server stops",
        arguments: [("mute", true), ("mute", false), ("drips", false)])
    func noConfirmation(name: String, isCancelled: Bool) async throws {
        let server = try await MailServer()
        let carrier = Self.carrier(
            server, requiresTLS: false, timeLimit: .seconds(1),
            confirmationLimit: isCancelled ? .seconds(3600) : .milliseconds(1))
        let outcome = await Self.outcome(carrier, to: name, isCancelled: isCancelled)
        guard case .unanswered = outcome else {
            Issue.record("\(outcome)")
            return
        }
        #expect(server.mails.count == 1)
    }

    /// Such a mail server would get each mail twice otherwise, of a node that stops or after `DeliverMail.lease`.
    @Test("has delivered a mail that was taken, whether or not the mail server takes leave", .timeLimit(.minutes(5)))
    func noLeave() async throws {
        let server = try await MailServer()
        let carrier = Self.carrier(server, requiresTLS: false)
        #expect(await carrier.deliver(Self.message(to: "stays")) == .delivered)
        #expect(server.mails.count == 1)
    }

    @Test("tells that a server is down")
    func serverDown() async throws {
        let server = try await MailServer()
        try await server.stop()
        let carrier = Self.carrier(server, requiresTLS: false)
        guard case .failed = await carrier.deliver(Self.message()) else {
            Issue.record("nobody was there")
            return
        }
        #expect(await carrier.check() != nil)
    }

    @Test("sends nothing over a connection that is not encrypted, unless that is allowed")
    func noEncryption() async throws {
        let server = try await MailServer()
        guard case .failed(let reason) = await Self.carrier(server).deliver(Self.message()) else {
            Issue.record("the mail went out in the clear")
            return
        }
        #expect(server.mails.isEmpty && reason == "the mail server offers no STARTTLS")
        #expect(await Self.carrier(server, requiresTLS: false).deliver(Self.message()) == .delivered)
    }

    @Test("trusts no certificate that it does not know", arguments: [MailServer.Encryption.startTLS, .implicit])
    func unknownCertificate(encryption: MailServer.Encryption) async throws {
        let server = try await MailServer(encryption)
        let carrier = Self.carrier(server, certificates: "/etc/ssl/certs/ca-certificates.crt")
        guard case .failed = await carrier.deliver(Self.message()) else {
            Issue.record("a stranger's certificate was trusted")
            return
        }
        #expect(server.mails.isEmpty)
    }

    @Test("takes a relay's own certificate where mails may go out in the clear, unless certificates are named")
    func ownCertificate() async throws {
        let (server, other) = (try await MailServer(.startTLS), try await MailServer(.implicit))
        func carrier(_ server: MailServer) -> SMTPCarrier {
            let settings = SMTPSettings(
                url: server.url, sender: Self.sender, requiresTLS: false, connectLimit: .seconds(60),
                timeLimit: .seconds(120))
            return SMTPCarrier(settings, threads: Self.threads)
        }
        #expect(await carrier(server).check() == nil)
        #expect(await carrier(server).deliver(Self.message()) == .delivered)
        let named = Self.carrier(server, requiresTLS: false, certificates: "/etc/ssl/certs/ca-certificates.crt")
        #expect(await named.check() != nil)
        // TLS from the start is never in the clear.
        #expect(await carrier(other).check() != nil)
    }

    @Test("keeps mails when the password is wrong or missing, which an operator can mend")
    func wrongPassword() async throws {
        let server = try await MailServer(.startTLS, credentials: ("okaeri", "secret"))
        for carrier in [Self.carrier(server, user: "okaeri", password: "wrong"), Self.carrier(server)] {
            guard case .failed(let reason) = await carrier.deliver(Self.message()) else {
                Issue.record("the mail was not kept")
                continue
            }
            #expect(!reason.contains("secret") && !reason.contains("wrong"))
        }
        #expect(await Self.carrier(server, user: "okaeri", password: "wrong").check() != nil)
        #expect(server.mails.isEmpty)
    }
}
