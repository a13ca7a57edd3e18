import Domain
import HTTPSupport
import Hummingbird
import NativeAPI
import NIOCore
import OkaeriWire
import PageSupport

/// A form that the script sends with what an authenticator says: the partial `passkey`.
struct PasskeyForm {
    enum Ceremony: String {
        case create, get
    }

    var ceremony: Ceremony
    /// Where the form goes.
    var action: String
    /// The name of the button's text.
    var label: String
    /// Whether passkeys stand among the suggestions of the field for the user's name.
    var isConditional = false
    var isPrimary = false
    /// Asks for a name of the passkey: what was typed, and what is wrong with it.
    var named: (value: String, error: String?)?
    /// Offers to bring a user back that asked to be deleted.
    var offersRestore = false

    /// What the field for the name is called among those of the page.
    static let nameField = "passkeyName"

    /// Where the script asks for the options.
    private var options: String { ceremony == .create ? "account/passkey/options" : "passkey/options" }

    func model(_ request: HostedPageRequest) -> PageTemplates.Model {
        var model: PageTemplates.Model = [
            "ceremony": ceremony.rawValue, "action": request.path(action), "options": request.path(options),
            "label": request.text(label), "conditional": isConditional,
        ]
        if !isPrimary { model["style"] = "button-outline" }
        if let named {
            var field = PageField(
                "name", label: request.text("passkey.name"), value: named.value, error: named.error, isRequired: false)
            field.idName = Self.nameField
            model["named"] = field.model
        }
        if offersRestore { model["restore"] = request.restoreField.model }
        return model
    }

    /// What the script sent of an authenticator; `nil` when it could not.
    ///
    /// - Throws: `RequestError`.
    static func credential<Credential: Decodable>(_ type: Credential.Type, in form: FormValues) throws -> Credential? {
        let text = form.text("credential")
        return text.isEmpty ? nil : try JSONReader.decode(type, from: ByteBuffer(string: text))
    }
}

extension HostedPageRequest {
    /// Whether people of the application have passkeys, and their browsers take them at this address.
    var hasPasskeys: Bool {
        guard !browser.isAtIPAddress else { return false }
        do {
            _ = try modules.passkeys.requestPasskey(in: application)
            return true
        } catch {
            return false
        }
    }

    /// The form, when people of the application have passkeys.
    func passkeyModel(_ form: PasskeyForm) -> PageTemplates.Model {
        hasPasskeys ? ["passkey": form.model(self)] : [:]
    }

    /// An error with everything above the form: its fields are the script's.
    func errorsAbove(of error: DomainError) -> FormErrors {
        errors(of: error).above()
    }

    /// The same of a passkey that is added, with what is wrong with its name at the field for that.
    func additionErrors(of error: DomainError) -> FormErrors {
        errors(of: error, names: ["name": PasskeyForm.nameField]).above(but: PasskeyForm.nameField)
    }

    /// What is said when a form came without a passkey, although nothing is in its way.
    var passkeyMissing: FormErrors {
        FormErrors(status: .unprocessableContent, others: [text("passkey.cancelled")])
    }

    /// What the script lets authenticators know when a passkey leads to nobody.
    func unknownSignal(_ credential: String) async throws(DomainError) -> PageTemplates.Model {
        let domain = try await modules.passkeys.findPasskeyDomain.domain(ofUnknown: credential, in: application)
        guard let domain else { return [:] }
        return ["signals": ["domain": domain, "unknown": credential] as PageTemplates.Model]
    }

    /// What the script lets authenticators know of a user's passkeys.
    ///
    /// - Throws: when they cannot be encoded.
    func signals(of user: User, _ passkeys: [Passkey]) throws -> PageTemplates.Model {
        let signals: PasskeySignals
        do {
            signals = try modules.passkeys.managePasskeys.signals(of: user, passkeys, in: application)
        } catch {
            // Passkeys are off.
            return [:]
        }
        let accepted = signals.accepted.sorted { $0.key < $1.key }.map { handle, ids in
            AcceptedPasskeys(userId: handle, ids: ids)
        }
        let model: PageTemplates.Model = [
            "domain": signals.domain, "user": signals.userName, "display": signals.displayName,
            "accepted": String(buffer: try JSONBytes.buffer(of: accepted)),
        ]
        return ["signals": model]
    }

    /// The passkeys of the account page.
    func passkeyRows(_ passkeys: [Passkey], _ state: AccountState) -> [PageTemplates.Model] {
        passkeys.enumerated().map { index, passkey in
            let name = AccountState.newName(of: index)
            let error = state.errors?[name]
            var field = PageField(
                "name", label: text("passkey.newName"),
                value: error == nil ? passkey.name : state.renaming?.text("name") ?? "", error: error)
            field.idName = name
            var row: PageTemplates.Model = [
                "id": passkey.id, "label": passkey.name.bidiIsolated, "since": time(passkey.createdAt),
                "newName": field.model,
                "state": text(
                    passkey.isBackedUp
                        ? "passkey.backedUp" : passkey.isBackupEligible ? "passkey.notBackedUp" : "passkey.oneDevice"),
            ]
            if let used = passkey.lastUsedAt { row["used"] = time(used) }
            if error != nil { row["isRenaming"] = true }
            return row
        }
    }
}

extension AccountState {
    private static let newNames = "passkey"

    /// What the field for a new name is called: each passkey of the page has one.
    static func newName(of index: Int) -> String { "\(newNames)\(index)" }

    static func isNewName(_ name: String) -> Bool { name.hasPrefix(newNames) }

    /// The same, with what is wrong with a passkey's new name at the field of that passkey.
    func naming(_ passkeys: [Passkey]) -> AccountState {
        guard let renaming, var errors else { return self }
        if let index = passkeys.firstIndex(where: { $0.id == renaming.text("passkey") }) {
            errors.fields = errors.fields.map { (name: Self.newName(of: index), text: $0.text) }
        } else {
            // It is gone, and so is its field.
            errors = errors.above()
        }
        var state = self
        state.errors = errors
        return state
    }
}

/// The passkeys of one handle, for the script.
private struct AcceptedPasskeys: Encodable {
    let userId: String
    let ids: [String]
}

/// `POST /a/{application}/passkey/options`: by what the script asks for a passkey.
struct SendPasskeyOptions: HostedPage {
    func respond(to request: HostedPageRequest) async throws -> Response {
        _ = try await request.browser.form()
        let options = try request.modules.passkeys.requestPasskey(in: request.application)
        return try PageResponse.json(
            PasskeyRequestResponse(publicKey: OkaeriWire.PasskeyRequestOptions(options)), for: request.browser)
    }
}
