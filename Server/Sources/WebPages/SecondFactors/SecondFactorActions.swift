import Domain
import HTTPSupport
import HTTPTypes
import Hummingbird
import PageSupport

/// Shows a key for an authenticator app. Nothing is stored of it until a code confirms it.
struct OfferFactor: AccountAction {
    func run(_ request: HostedPageRequest, _ who: Authenticated, _ form: FormValues) async throws -> Response {
        let offer = try request.modules.secondFactors.enrolTOTP.offer(for: who, by: request.author(who))
        return try request.enrolment(offer, form, nil).response(request)
    }
}

/// Adds the app whose key a code confirms. The form that is sent again, because the answer got lost, is answered the same.
struct AddFactor: AccountAction {
    func run(_ request: HostedPageRequest, _ who: Authenticated, _ form: FormValues) async throws -> Response {
        let (enrol, author) = (request.modules.secondFactors.enrolTOTP, request.author(who))
        let confirmation = EnrolmentForm.confirmation(form, form.text("enrolment"))
        func again(_ errors: FormErrors) throws -> Response {
            let offer = try enrol.repeated(confirmation.ticket, for: who, by: author)
            return try request.enrolment(offer, form, errors).response(request)
        }
        guard !confirmation.code.isEmpty else { return try again(request.missing(.totp)) }
        let addition: TOTPAddition
        do {
            addition = try await enrol(confirmation, for: who, by: author)
        } catch {
            switch error.code {
            case .secondFactorRefused: return try again(request.errors(of: error, at: .totp))
            case .fieldsRefused: return try again(request.enrolmentErrors(of: error))
            default: throw error
            }
        }
        guard let codes = addition.recoveryCodes else { return request.done("factorAdded") }
        return try RecoveryCodesForm(codes: codes.map(\.revealed), action: "account/factors/added").response(request)
    }
}

/// Takes an authenticator app away; with the last one the recovery codes go.
struct RemoveFactor: AccountAction {
    func run(_ request: HostedPageRequest, _ who: Authenticated, _ form: FormValues) async throws -> Response {
        try await request.modules.secondFactors.manageSecondFactors.remove(
            Identifier(rawValue: form.text("factor")), of: who, by: request.author(who))
        return request.done("factorRemoved")
    }
}

/// Gives out ten new recovery codes in the place of those that are left.
struct ReplaceRecoveryCodes: AccountAction {
    func run(_ request: HostedPageRequest, _ who: Authenticated, _ form: FormValues) async throws -> Response {
        let codes = try await request.modules.secondFactors.manageSecondFactors.replaceRecoveryCodes(
            of: who, by: request.author(who))
        return try RecoveryCodesForm(codes: codes.map(\.revealed), action: "account/factors/replaced")
            .response(request)
    }
}

/// Goes on from the page with recovery codes, once the person has said that they are kept.
struct KeepRecoveryCodes: AccountAction {
    /// What the account page says; `nil` in a log-in, which goes on to the app that waits.
    let done: String?

    func run(_ request: HostedPageRequest, _ who: Authenticated, _ form: FormValues) async throws -> Response {
        guard form["kept"] != nil else {
            let action =
                switch done {
                case nil: "log-in/recovery-codes"
                case "factorAdded": "account/factors/added"
                default: "account/factors/replaced"
                }
            return try RecoveryCodesForm(
                codes: RecoveryCodesForm.codes(sentIn: form), action: action,
                errors: FormErrors(
                    status: .unprocessableContent, fields: [("kept", request.text("rule.unticked"))])
            ).response(request)
        }
        if let done { return request.done(done) }
        return try request.goOn(as: who, isNew: false)
            ?? PageResponse.redirect(to: request.path("account"), request.browser)
    }
}

extension HostedPageRequest {
    fileprivate func enrolment(_ offer: TOTPOffer, _ form: FormValues, _ errors: FormErrors?) -> EnrolmentForm {
        EnrolmentForm(
            offer: offer, action: "account/factors/add", hidden: [], name: form.text("name"), isOfAccount: true,
            errors: errors)
    }

    /// The part of the account page with second factors; nothing for those who can have none.
    func secondFactorModels(_ user: User) async throws(DomainError) -> PageTemplates.Model {
        let isOn = application.settings.secondFactors.mode != .off && !user.isAnonymous
        guard isOn || user.hasSecondFactor else { return [:] }
        let found = try await modules.secondFactors.manageSecondFactors.list(of: user.id, in: application.id)
        let section: PageTemplates.Model = [
            "hasFactors": !found.factors.isEmpty, "canAdd": isOn && found.factors.count < TOTPFactor.maximumPerUser,
            "factors": found.factors.map { factor -> PageTemplates.Model in
                var row: PageTemplates.Model = [
                    "id": factor.id.rawValue, "label": factor.name.bidiIsolated, "since": time(factor.createdAt),
                ]
                if let used = factor.lastUsedAt { row["used"] = time(used) }
                return row
            },
            "codesLeft": text("factors.codesLeft", ["count": String(found.recoveryCodesLeft)]),
        ]
        return ["secondFactors": section]
    }
}
