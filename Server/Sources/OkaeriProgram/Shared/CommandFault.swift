import Domain
import OkaeriServer

/// Why a command failed, as one sentence for the person who called it.
struct CommandFault: Error, Hashable, CustomStringConvertible {
    let description: String
    /// Whether the command was called wrongly (exit status 2) or could not do its work (1).
    let isUsage: Bool
    /// The rule's refusal that it tells of, if it is one.
    private(set) var refusal: DomainError?

    private init(description: String, isUsage: Bool) {
        self.description = description
        self.isUsage = isUsage
    }

    static func failed(_ sentence: String) -> CommandFault { CommandFault(description: sentence, isUsage: false) }
    static func usage(_ sentence: String) -> CommandFault { CommandFault(description: sentence, isUsage: true) }
}

extension CommandFault {
    /// Why server or storage cannot be opened.
    init(_ fault: StartFault) {
        switch fault {
        case .settings: self = .failed("\(fault) “okaeri serve --help” shows all settings.")
        case .storage: self = .failed("\(fault) “okaeri doctor” looks for the reason.")
        case .addressInUse, .cannotListen:
            self = .failed("\(fault) Choose another address with --listen; “okaeri status” shows a server that runs.")
        }
    }

    /// A rule's refusal: the sentence of its code.
    init(_ error: DomainError) {
        switch error.detail {
        case .fields(let errors): self = .usage(errors.map(\.sentence).joined(separator: " "))
        case .identifiers(let kinds):
            self = .failed("Another user has this \(kinds.map(\.rawValue).joined(separator: ", ")) already.")
        case .retryAfter(let wait) where error.kind == .rateLimited:
            self = .failed("It is too early for that. Try again in \(DurationText(wait).text(in: .english)).")
        default:
            // Codes without a sentence are refusals of requests; commands make none.
            self = .failed(Self.sentences[error.code] ?? "The request was refused: \(error).")
        }
        refusal = error
    }

    /// The fault with the options of a command in place of the fields that the domain knows.
    func naming(_ options: [String: String]) -> CommandFault {
        guard let refusal, case .fields(let errors) = refusal.detail else { return self }
        return CommandFault(
            DomainError(
                refusal.kind, refusal.code,
                .fields(errors.map { ValidationError(field: options[$0.field] ?? $0.field, rule: $0.rule) })))
    }

    /// The fault, or a sentence of the command's own when it was refused by a code.
    func saying(_ sentence: String, of code: DomainError.Code) -> CommandFault {
        guard let refusal, refusal.code == code else { return self }
        return .failed(sentence)
    }

    private static let sentences: [DomainError.Code: String] = [
        .applicationUnknown: "There is no such application. “okaeri application list” shows those that there are.",
        .busy: "Too much work is waiting. Try again in a moment.",
        .searchTooSlow: "The search takes too long. Ask for less.",
        .searchTooLarge: "The search finds more than one response holds. Ask for less.",
        .userUnknown: "There is no such user in this application. “okaeri user list” shows those that there are.",
        .sessionUnknown:
            "There is no such session in this application; it may have ended already. “okaeri user sessions” shows those "
            + "of a user.",
        .providerNotEnabled:
            "The application has no such provider. “okaeri application provider list” shows those that it has.",
        .providerUnavailable:
            "The provider cannot be reached now. “okaeri application provider check”, for Apple “okaeri application "
            + "apple check”, asks it again.",
        .providerMisconfigured:
            "The provider does not take the application's team, key or secret. “okaeri application provider check”, for Apple "
            + "“okaeri application apple check”, shows what it says.",
        .secretUnreadable:
            "The stored keys cannot be opened with the present sealing key. Put back the sealing.key, or the "
            + "OKAERI_SEALING_KEY, under which they were sealed; “okaeri doctor” says whether it fits.",
        .identityUnknown:
            "The user has no such device key. “okaeri user device-keys” shows those that there are.",
        .passkeyUnknown: "The user has no such passkey. “okaeri user passkeys” shows those that there are.",
        .secondFactorUnknown: "The user has no second factor; “okaeri user second-factors” shows them.",
        .changedMeanwhile: "Somebody else changed the same meanwhile. Call the command again.",
        .lastWayIn: "Nothing else leads to the user: one way in must stay. “okaeri user show” shows them.",
        .storageUnavailable: "The database cannot be read or written now. “okaeri doctor” looks for the reason.",
        .adminResourceUnknown:
            "There is no such admin, key, hook or application. “okaeri admin list”, “okaeri hook list” and “okaeri application "
            + "list” show those that there are.",
        .adminNameTaken: "Another admin has this name. “okaeri admin list” shows them.",
        .lastOwner: "One owner who is set up must stay; “okaeri admin link” makes another.",
        .mailExpired: "The mail's code has expired, or what it says is not kept any more. People ask for another.",
    ]
}

extension ValidationError {
    /// What is wrong, as a sentence.
    var sentence: String {
        switch rule {
        case .tooLong(let maximum): "\(field) is longer than \(maximum.counted("character"))."
        case .controlCharacter: "\(field) has a control character."
        case .empty: "\(field) is empty."
        case .notALanguageTag: "\(field) is no language tag."
        case .tooManyFields(let maximum): "\(field) has more than \(maximum.counted("value"))."
        case .outOfRange(let range) where range == Timestamp.range: "\(field) must be a time in the years 0000 to 9999."
        case .outOfRange(let range): "\(field) must be \(range.lowerBound) to \(range.upperBound)."
        case .notANetwork: "\(field) must be addresses or networks such as 10.0.0.0/8."
        case .tooManyBytes(let maximum): "\(field) has more than \(maximum) bytes."
        case .tooDeep(let maximum): "\(field) has more than \(maximum) levels."
        case .notATransferCode: "\(field) is no transfer code."
        case .notUnique: "\(field) is there twice."
        case .tooShort(let minimum): "\(field) is shorter than \(minimum) characters."
        case .noneOf(let fields) where fields == [ApplicationSettings.transferCodePlaceholder]:
            "\(field) must have \(ApplicationSettings.transferCodePlaceholder) in it."
        case .noneOf(let fields): "One of \(fields.joined(separator: ", ")) must be there."
        case .notAUserName:
            "\(field) is no user name: visible signs without @, no + in front, single spaces alone; for apps of Kii 3 to 64 "
                + "letters and digits of ASCII and - _ . alone."
        case .mixedScripts: "\(field) mixes alphabets whose letters look alike."
        case .notAMailAddress: "\(field) is no mail address."
        case .notAPhoneNumber: "\(field) is no phone number in international form."
        case .tooCommon: "\(field) is a password that everybody tries first."
        case .breached: "\(field) is a password that is known from leaks of other services."
        case .notATriableHash:
            "\(field) is a hash of an unknown form, or one that costs too much to try; docs/operations/running.md has the limits."
        case .containsContext: "\(field) holds a name that is easy to guess."
        case .required: "\(field) is missing."
        case .onlyAfterUpgrade: "\(field) can be changed only when the user is registered."
        case .lastWayIn: "\(field) is the last way in."
        case .notListed where field.hasPrefix("role "):
            "There is no \(field) in this application. “okaeri role list” shows those that there are."
        case .notListed where field.hasPrefix("group "):
            "There is no \(field) in this application. “okaeri group list” shows those that there are."
        case .notListed where field == "user":
            "The user is none that was imported into this application. Import the users first."
        case .notListed: "\(field) is none that the application lists."
        case .notOffered where field.hasPrefix("identities."):
            "\(field) is not offered: no provider that the application has set up takes it."
        case .notOffered: "\(field) is not offered here."
        case .notAnAddress: "\(field) must be an https address."
        case .notAnAppleId:
            "\(field) has not the form of Apple's ids: ten capitals and digits for teams and keys, letters, digits, dots "
                + "and hyphens for bundles and services."
        case .inThePast: "\(field) is over."
        case .notAKey: "\(field) must be 1 to 255 visible ASCII characters."
        case .notAPlayKey: "\(field) must be a key in base64, as the Play Console shows it."
        case .notABasePath:
            "\(field) must be / or a slash and one segment of letters, digits, - _ . that is no other protocol's."
        case .notAPrivateKey: "\(field) must be the .p8 file as Apple gave it: a P-256 key in PEM form."
        case .notALink:
            "\(field) must be an https address, or one of an app's own scheme; a # only in one with {code} in it."
        case .unknownPlaceholder:
            "\(field) has a name in double braces that is none of application, code, link, minutes, duration, email."
        case .secretMissing: "\(field) shows neither {{code}} nor {{link}}."
        case .otherType where field == "identities.device":
            "\(field) has an id that can be guessed, or none: taken are UUIDs, and 32 to 64 hexadecimal digits."
        case .otherType: "\(field) is of another type."
        case .notOfKind(.date):
            "\(field) must be a time such as 2024-01-05T01:02:03.004Z, in the years 0000 to 9999."
        case .notOfKind(let kind): "\(field) must be of the type \(kind.rawValue)."
        case .readOnly: "\(field) is written by the server alone."
        case .notDeclared: "\(field) has no rule, and the application takes no fields without one."
        case .unreadable: "\(field) cannot be for those who may not read."
        case .notOwnDomain: "\(field) is about a domain that is the server's own or another application's."
        case .notOwnAudience: "\(field) has an audience that another application has, or that is its id."
        case .notADomain: "\(field) is no domain in lower case."
        case .notAnOrigin: "\(field) holds something that is the origin of neither a page nor an Android app."
        case .notACertificate: "\(field) holds no certificate of version 3 in PEM, or one that cannot be read."
        case .notAnAuthenticator: "\(field) holds something that is no AAGUID."
        case .notAUserId: "\(field) is * or me or begins with role:, which stand for everybody, who asks, and roles."
        case .notAGrantName: "\(field) takes letters and digits of ASCII and - _ . : / * alone."
        case .notAClaimName: "\(field) takes letters and digits of ASCII and - _ . : / # @ ~ alone."
        case .reserved: "\(field) is a claim that tokens have by themselves."
        case .notServersField: "\(field) must be a field with the rule that only the server writes it."
        case .notAFieldName: "\(field) is no name for a field."
        case .secretInAddress:
            "\(field) has {{code}} or {{link}} within an address or a tag, or its HTML cannot be read for certain. "
                + "They stand as words of their own; {{link}} also as the whole href of an <a>. No style sheet and no style "
                + "beside them fetches anything: no url(), no @import, no backslash, no <link>."
        case .secretInSubject: "\(field) shows {{code}} or {{link}} to anybody who sees the locked screen."
        }
    }
}
