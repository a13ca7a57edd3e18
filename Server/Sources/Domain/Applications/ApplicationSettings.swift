import Foundation
package import enum OkaeriWire.JSONValue

/// What an operator can decide for one application.
package struct ApplicationSettings: Hashable, Sendable {
    /// Whether every request must carry a proof of possession bound to its token (RFC 9449 §7).
    package var proofRequired: Bool
    /// How long a session lives without use.
    package var sessionIdleLifetime: Duration
    /// How long a session lives at the most (requirement 15).
    package var sessionLifetime: Duration
    /// Who may be named as the audience of an access token, beside the application itself.
    package var audiences: [String]
    /// The fewest characters of a new password, at least 8 (requirement 1).
    package var passwordMinimumCharacters = PasswordRules.lowestMinimum
    /// The same where the password is all that a log-in by it asks for; see `passwordMinimum(of:)`.
    package var passwordOnlyMinimumCharacters = PasswordRules.lowestMinimum
    package var mail: MailSettings
    /// A link into the app with `{code}` in place of a transfer code, for QR codes; without it they hold the code alone.
    package var transferLink: String?
    /// How long a user that asked to be deleted can still be restored. Not shorter than `Transfer.undoSpan`.
    package var deletionGrace: Duration = .days(7)
    /// After how long without activity anonymous users are erased; `nil` for never.
    package var anonymousIdleLimit: Duration?
    /// What becomes of fields that both of two merged users have, by name; `keep` for all others.
    package var mergeRules: [String: MergeRule] = [:]
    /// The rules for sessions of foreign protocols, where they differ from what the protocol's own service did.
    package var foreignSessions: [Session.ProtocolName: SessionRules] = [:]
    /// What else differs in foreign protocols.
    package var foreignOptions: [Session.ProtocolName: ForeignOptions] = [:]
    /// How the application's pages look; the adapters know what it says. `nil` for the standard.
    package var theme: JSONValue?
    /// Where the pages may send people back to; see `RedirectAddress`.
    package var redirectAddresses: [String]
    /// What holds for the users' custom fields.
    package var fieldRules: FieldRules
    /// Named ways to look at the users, by name.
    package var userListViews: [UserListView] = []
    /// What registration demands, and what sign-up forms ask for.
    package var signUp = SignUpRules()
    /// Whether users have passkeys, and which.
    package var passkeys = PasskeyRules()
    /// Whether users have second factors, and when these are asked for.
    package var secondFactors = SecondFactorRules()
    /// What first launches need that make users.
    package var attestation = AttestationRules()
    /// Whether events are recorded for the app's backends.
    package var events = EventSettings()
    /// Which addresses of the app's backend are asked before something happens.
    package internal(set) var hooks: [HookPoint: Hook] = [:]
    /// The services whose tokens lead to users that were taken in from there.
    package internal(set) var oldServices: [OldService.Name: OldService] = [:]

    /// Roles, groups, and claims of access tokens.
    package var access = AccessRules()

    /// What stands for the code in `transferLink`.
    package static let transferCodePlaceholder = "{code}"

    package init(
        proofRequired: Bool = false, sessionIdleLifetime: Duration = .days(60),
        sessionLifetime: Duration = .days(400), audiences: [String] = [], mail: MailSettings = MailSettings(),
        theme: JSONValue? = nil, redirectAddresses: [String] = [], fieldRules: FieldRules = FieldRules()
    ) {
        self.proofRequired = proofRequired
        self.sessionIdleLifetime = sessionIdleLifetime
        self.sessionLifetime = sessionLifetime
        self.audiences = audiences
        self.mail = mail
        self.theme = theme
        self.redirectAddresses = redirectAddresses
        self.fieldRules = fieldRules
    }
}

extension ApplicationSettings {
    /// The settings that a new application begins with. Applications from before keep what is stored of them.
    package static let ofNewApplications: ApplicationSettings = {
        var settings = ApplicationSettings()
        settings.passwordOnlyMinimumCharacters = PasswordRules.onlyFactorMinimum
        return settings
    }()

    /// The fewest characters of a new password.
    ///
    /// - Parameter user: Whose it is; `nil` for somebody who signs up or whom the page does not know, of whom no second
    ///   factor is known.
    /// - Returns: the number that rules and forms hold people to.
    package func passwordMinimum(of user: User?) -> Int {
        let isOnlyFactor = !(user.map { secondFactors.guardsPasswords(of: $0) } ?? false)
        return max(
            PasswordRules.lowestMinimum, passwordMinimumCharacters, isOnlyFactor ? passwordOnlyMinimumCharacters : 0)
    }

    /// Numbers of characters that no application can ask of a password.
    var passwordFaults: [ValidationError] {
        let minima = [
            ("passwordMinimumCharacters", passwordMinimumCharacters),
            ("passwordOnlyMinimumCharacters", passwordOnlyMinimumCharacters),
        ]
        return minima.compactMap { field, minimum in
            if minimum < PasswordRules.lowestMinimum {
                return ValidationError(
                    field: field, rule: .tooShort(minimumCharacters: PasswordRules.lowestMinimum))
            }
            guard minimum > PasswordRules.highestMinimum else { return nil }
            return ValidationError(field: field, rule: .tooLong(maximumCharacters: PasswordRules.highestMinimum))
        }
    }
}

extension ApplicationSettings {
    package static let maximumTransferLinkCharacters = 500

    /// The link that transfer codes go out with.
    var usableTransferLink: String? { transferLink.flatMap { AppLink.isOne($0, withCode: true) ? $0 : nil } }

    /// Links of before that a newer rule refuses. They keep nobody from changing something else, and nobody is sent there: mails
    /// lead to the server's pages or say a code, and transfer codes stand alone, until the links are set anew.
    package var refusedLinks: [ValidationError] {
        (usableTransferLink == transferLink ? [] : [ValidationError(field: "transferLink", rule: .notALink)])
            + mail.refusedLinks
    }

    /// What breaks the rules of sign-up and of a transfer's link, which must hold the placeholder of the code.
    func lifeFaults(since before: ApplicationSettings = ApplicationSettings()) -> [ValidationError] {
        guard let transferLink, transferLink != before.transferLink else { return signUp.faults }
        let rule = TextRule(maximumCharacters: Self.maximumTransferLinkCharacters)
        var faults = rule.faults(of: transferLink, field: "transferLink")
        if faults.isEmpty, !AppLink.isOne(transferLink, withCode: true) {
            faults.append(ValidationError(field: "transferLink", rule: .notALink))
        }
        return transferLink.firstRange(of: Self.transferCodePlaceholder) != nil
            ? faults + signUp.faults
            : signUp.faults + faults + [
                ValidationError(field: "transferLink", rule: .noneOf([Self.transferCodePlaceholder]))
            ]
    }
}

/// Where an application's links lead that open accounts: to a page by `https`, or by `http` on this machine, or to an app by a scheme
/// of its own. `RedirectAddress` is stricter: it is compared with what anybody sends.
enum AppLink {
    /// Schemes that run or show something instead of leading to an app.
    private static let refusedSchemes: Set<String> = [
        "javascript", "data", "vbscript", "file", "blob", "about", "filesystem", "view-source", "ftp", "ws", "wss",
        "mailto", "sms", "tel",
    ]
    /// What a transfer code looks like, in the place of its placeholder.
    private static let code = "0000-0000-0000-0000"

    /// - Parameters:
    ///   - text: A link, behind which a token may be put. That would become a part of a fragment.
    ///   - hasCode: Whether a code stands in the link instead, in the place of its placeholder; never in the scheme. It may stand in a
    ///     fragment, which sites of a single page read, and which no server gets.
    /// - Returns: whether people may be sent there.
    static func isOne(_ text: String, withCode hasCode: Bool = false) -> Bool {
        let whole = hasCode ? text.replacing(ApplicationSettings.transferCodePlaceholder, with: code) : text
        guard let parts = URLComponents(string: whole), let scheme = parts.scheme?.lowercased(),
            text.lowercased().hasPrefix("\(scheme):"), parts.user == nil,
            hasCode ? whole.utf8.count(where: { $0 == UInt8(ascii: "#") }) <= 1 : parts.fragment == nil,
            !refusedSchemes.contains(scheme),
            whole.utf8.allSatisfy({ (0x21...0x7e).contains($0) && !#"<>"'\"#.utf8.contains($0) })
        else { return false }
        switch scheme {
        case "https": return parts.host?.isEmpty == false
        case "http": return ["localhost", "127.0.0.1", "[::1]", "::1"].contains(parts.host ?? "")
        default: return true
        }
    }
}
