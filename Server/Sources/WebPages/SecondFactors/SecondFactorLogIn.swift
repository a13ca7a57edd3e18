import Domain
import HTTPSupport
import HTTPTypes
import Hummingbird
import PageSupport

/// `POST /a/{application}/log-in/second-factor`: the end of a log-in that needs a second factor. Its ticket is in the
/// forms of its pages and nowhere else, so that a form that is sent twice ends the same log-in.
struct SendSecondFactor: HostedPage {
    func respond(to request: HostedPageRequest) async throws -> Response {
        let form = try await request.browser.form()
        let page = SecondFactorLogIn(form)
        if let enrolment = form["enrolment"] { return try await enrol(request, page, enrolment, form) }
        if let way = form["with"] {
            return try page.form(.init(rawValue: way) ?? .totp, nil).response(request)
        }
        let way = SecondFactorForm.Way(sentIn: form) ?? .totp
        let typed = form.text(way.field)
        guard !typed.isEmpty else { return try page.form(way, request.missing(way)).response(request) }
        do {
            let finished = try await finish(request, page, way == .totp ? .totp(typed) : .recoveryCode(typed))
            return try await request.enter(finished.logIn)
        } catch let error as DomainError {
            guard error.keepsTicket else {
                return try await request.logIn(LogInForm(errors: request.errors(of: error)))
            }
            return try page.form(way, request.errors(of: error, at: way)).response(request)
        }
    }

    private func enrol(
        _ request: HostedPageRequest, _ page: SecondFactorLogIn, _ enrolment: String, _ form: FormValues
    ) async throws -> Response {
        let factors = request.modules.secondFactors.logInWithSecondFactor
        do {
            let confirmation = EnrolmentForm.confirmation(form, enrolment)
            guard !confirmation.code.isEmpty else {
                let offer = try await factors.repeatedOffer(enrolment, for: page.ticket, in: request.application)
                return try page.enrolment(offer, form, request.missing(.totp)).response(request)
            }
            let finished = try await finish(request, page, .enrolment(confirmation))
            guard let codes = finished.addition?.recoveryCodes else { return try await request.enter(finished.logIn) }
            try await request.replaceSession(by: finished.logIn)
            // The forms of this answer belong to the new session.
            var entered = request
            entered.browser = request.browser.holding(finished.logIn.token.revealed)
            var response = try RecoveryCodesForm(codes: codes.map(\.revealed), action: "log-in/recovery-codes")
                .response(entered)
            response.keepCookie(finished.logIn.token.revealed, for: request.browser)
            return response
        } catch let error as DomainError {
            do {
                guard error.keepsTicket else { throw error }
                let offer = try await factors.repeatedOffer(enrolment, for: page.ticket, in: request.application)
                return try page.enrolment(offer, form, request.enrolmentErrors(of: error)).response(request)
            } catch let error as DomainError {
                return try await request.logIn(LogInForm(errors: request.errors(of: error)))
            }
        }
    }

    private func finish(
        _ request: HostedPageRequest, _ page: SecondFactorLogIn, _ shown: LogInWithSecondFactor.Shown
    ) async throws -> (logIn: LogIn, addition: TOTPAddition?) {
        let asked = LogInWithSecondFactor.Request(
            application: request.application, ticket: page.ticket, shown: shown,
            client: request.logInClient,
            restoringFrom: page.isRestoring ? request.browser.origin : nil)
        var addition: TOTPAddition?
        let logIn = try await request.pages.metrics.logIn { () async throws(DomainError) in
            let finished = try await request.modules.secondFactors.logInWithSecondFactor(asked)
            addition = finished.addition
            return finished.logIn
        }
        return (logIn, addition)
    }
}

/// A log-in whose second factor is missing, as its pages carry it on.
private struct SecondFactorLogIn {
    var ticket: String
    /// Brings a user back that asked to be deleted.
    var isRestoring: Bool
    /// A passkey would end the log-in too.
    var hasPasskey: Bool

    init(_ form: FormValues) {
        ticket = form.text("ticket")
        isRestoring = form["restore"] != nil
        hasPasskey = form["passkey"] != nil
    }

    init(_ challenge: SecondFactorChallenge, isRestoring: Bool) {
        ticket = challenge.ticket.revealed
        hasPasskey = challenge.hasPasskey
        self.isRestoring = isRestoring
    }

    private static let action = "log-in/second-factor"

    private var hidden: [(name: String, value: String)] {
        [("ticket", ticket)] + (isRestoring ? [("restore", "yes")] : []) + (hasPasskey ? [("passkey", "yes")] : [])
    }

    func form(_ way: SecondFactorForm.Way, _ errors: FormErrors?) -> SecondFactorForm {
        // The password was shown already.
        var form = SecondFactorForm(way: way == .password ? .totp : way, action: Self.action, isOfAccount: false)
        form.hidden = hidden
        form.hasPasskey = hasPasskey
        form.errors = errors
        return form
    }

    func enrolment(_ offer: TOTPOffer, _ sent: FormValues, _ errors: FormErrors?) -> EnrolmentForm {
        EnrolmentForm(
            offer: offer, action: Self.action, hidden: hidden, name: sent.text("name"), isOfAccount: false,
            errors: errors)
    }
}

extension HostedPageRequest {
    /// The page that goes on with a log-in that needs a second factor; `nil` for any other error.
    func secondFactor(_ error: DomainError, isRestoring: Bool) async throws -> Response? {
        guard case .secondFactor(let challenge) = error.detail else { return nil }
        let page = SecondFactorLogIn(challenge, isRestoring: isRestoring)
        guard challenge.factors.isEmpty else { return try page.form(.totp, nil).response(self) }
        let offer = try await modules.secondFactors.logInWithSecondFactor.offer(
            challenge.ticket.revealed, in: application)
        return try page.enrolment(offer, .none, nil).response(self)
    }
}

extension DomainError {
    /// Whether the log-in can go on with the same ticket.
    fileprivate var keepsTicket: Bool {
        switch kind {
        case .rateLimited, .unavailable, .invalid: true
        default: code == .secondFactorRefused
        }
    }
}
