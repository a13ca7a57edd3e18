import Domain
import HTTPSupport
import Hummingbird
import PageSupport
import QRCodes

/// The page with a key for an authenticator app: as a picture, as a link for the phone itself, and as text.
struct EnrolmentForm {
    let offer: TOTPOffer
    /// Where the form goes.
    let action: String
    let hidden: [(name: String, value: String)]
    /// What the person calls the app.
    let name: String
    let isOfAccount: Bool
    let errors: FormErrors?

    func response(_ request: HostedPageRequest) throws -> Response {
        var code = PageField(
            SecondFactorForm.Way.totp.field, label: request.text("field.totp"), kind: .code,
            error: errors?[SecondFactorForm.Way.totp.field], autocomplete: "one-time-code")
        code.inputMode = "numeric"
        let name = PageField(
            "name", label: request.text("factors.name"), value: name, error: errors?["name"], isRequired: false)
        let kept = hidden + [("enrolment", offer.ticket.revealed)]
        var own: PageTemplates.Model = [
            "action": request.path(action),
            "hidden": kept.map { field -> PageTemplates.Model in ["name": field.name, "value": field.value] },
            "fields": [code.model, name.model], "button": request.text("enrolment.button"),
            "svg": PageMarkup(QRPicture(offer.link.revealed)?.svg ?? ""), "link": offer.link.revealed,
            "key": Self.grouped(offer.key.revealed), "toAccount": isOfAccount,
        ]
        // What the application demands of everybody is explained in a log-in alone.
        if !isOfAccount { own["lead"] = request.text("enrolment.requiredLead") }
        if let errors { own["summary"] = errors.summary(request) }
        var response = try request.html(
            "enrolment", request.model("enrolment", own), status: errors?.status ?? .ok,
            formTargets: request.formTargets())
        if let wait = errors?.retryAfter { response.headers[.retryAfter] = String(max(1, wait.secondsRoundedUp)) }
        return response
    }

    /// What a form with a code says.
    static func confirmation(_ form: FormValues, _ ticket: String) -> EnrolTOTP.Confirmation {
        let name = form.text("name").trimmingSpaces
        return EnrolTOTP.Confirmation(
            ticket: ticket, code: form.text(SecondFactorForm.Way.totp.field), name: name.isEmpty ? nil : name)
    }

    /// A key as it is read aloud and typed: by fours.
    private static func grouped(_ key: String) -> String {
        var text = ""
        for (position, character) in key.enumerated() {
            if position > 0, position.isMultiple(of: 4) { text.append(" ") }
            text.append(character)
        }
        return text
    }
}

extension HostedPageRequest {
    /// What is wrong with an enrolment, with everything but the name at the code.
    func enrolmentErrors(of error: DomainError) -> FormErrors {
        guard case .fields = error.detail else { return errors(of: error, at: .totp) }
        return errors(of: error).above(but: "name")
    }
}

/// The page with recovery codes, which shows them this once. It goes on when the person says that they are kept.
struct RecoveryCodesForm {
    private static let maximumCount = 10

    let codes: [String]
    /// Where the form goes.
    let action: String
    var errors: FormErrors?

    /// The codes that come back with a form: texts that look as ours do, and no others.
    static func codes(sentIn form: FormValues) -> [String] {
        form.text("codes").pieces(at: " ").prefix(maximumCount).map(String.init).filter { code in
            code.utf8.count == 11 && code.utf8.allSatisfy { "abcdefghijklmnopqrstuvwxyz234567-".utf8.contains($0) }
        }
    }

    func response(_ request: HostedPageRequest) throws -> Response {
        var own: PageTemplates.Model = [
            "action": request.path(action), "codes": codes.joined(separator: "\n"),
            "kept": codes.joined(separator: " "), "button": request.text("recoveryCodes.button"),
            "check": PageField(
                "kept", label: request.text("recoveryCodes.kept"), kind: .checkbox, error: errors?["kept"]
            ).model,
        ]
        if let errors { own["summary"] = errors.summary(request) }
        return try request.html(
            "recovery-codes", request.model("recovery-codes", own), status: errors?.status ?? .ok,
            formTargets: request.formTargets())
    }
}
