import Domain
import HTTPSupport
import OkaeriWire

extension FieldProblem {
    init(_ fault: ValidationError) {
        let (code, detail) = fault.rule.words
        self.init(field: fault.field, code: code, detail: detail)
    }

    init(_ fault: MemberFault) {
        let (code, detail) = fault.rule.words
        self.init(field: fault.path, code: code, detail: detail)
    }
}

extension ValidationError.Rule {
    fileprivate var words: (code: String, detail: String) {
        switch self {
        case .tooLong(let maximum): ("too_long", "At most \(maximum) characters.")
        case .controlCharacter: ("control_character", "No control characters.")
        case .empty: ("empty", "At least one character.")
        case .notALanguageTag: ("not_a_language_tag", "A language tag as in BCP 47: ja, en-GB.")
        case .tooManyFields(let maximum): ("too_many", "At most \(maximum).")
        case .outOfRange(let range): ("out_of_range", "\(range.lowerBound) to \(range.upperBound).")
        case .notANetwork: ("not_a_network", "An address, or a network such as 10.0.0.0/8.")
        case .tooManyBytes(let maximum): ("too_many_bytes", "At most \(maximum) bytes as JSON.")
        case .tooDeep(let maximum): ("too_deep", "At most \(maximum) levels.")
        case .notUnique: ("not_unique", "Another one has this value.")
        case .tooShort(let minimum): ("too_short", "At least \(minimum) characters.")
        case .noneOf(let fields): ("none_of", "At least one of \(fields.joined(separator: ", ")).")
        case .notAUserName:
            ("not_a_user_name", "Letters, digits and visible signs, without @ and +, spaces only between others.")
        case .mixedScripts: ("mixed_scripts", "Letters of one alphabet: Latin, Greek, Cyrillic and others look alike.")
        case .notAMailAddress: ("not_a_mail_address", "An address as in RFC 5321: hana@example.com.")
        case .notAPhoneNumber: ("not_a_phone_number", "International form (E.164): +819012345678.")
        case .tooCommon: ("too_common", "Not one of the passwords that everybody tries first.")
        case .breached: ("breached", "Not a password that is known from leaks of other services.")
        case .notATriableHash: ("not_offered", "Not a password hash that can be tried here.")
        case .containsContext: ("contains_context", "No names of the application or the user.")
        case .notATransferCode: ("not_a_transfer_code", "16 letters and digits, as shown on the other device.")
        case .required: ("required", "This member must be there.")
        case .onlyAfterUpgrade:
            ("only_after_upgrade", "An anonymous user gets its first ones by POST /v1/user/upgrade.")
        case .lastWayIn: ("last_way_in", "One way in must stay.")
        case .notListed: ("not_listed", "One that the application lists.")
        case .notOffered: ("not_offered", "Not offered here.")
        case .notAnAddress: ("not_an_address", "An https address.")
        case .notAnAppleId: ("not_an_apple_id", "The form of Apple's own ids.")
        case .inThePast: ("in_the_past", "A time to come.")
        case .notAKey: ("not_a_key", "1 to 255 visible ASCII characters.")
        case .notAPlayKey: ("not_a_play_key", "The key in base64, as the Play Console shows it.")
        case .notABasePath: ("not_a_base_path", "A slash, or a slash and one free segment of a path.")
        case .notAPrivateKey: ("not_a_private_key", "A P-256 private key in PEM form.")
        case .notALink:
            ("not_a_link", "An https address, or one of the app's own scheme; a fragment only in one with {code}.")
        case .unknownPlaceholder: ("unknown_placeholder", "In double braces: application, code, link, minutes, email.")
        case .secretMissing: ("secret_missing", "The template must show {{code}} or {{link}}.")
        case .otherType: ("other_type", "A value that the operation goes with.")
        case .notOfKind(let kind): ("wrong_type", "The application takes: \(kind.rawValue).")
        case .readOnly: ("read_only", "Only the server writes this field.")
        case .notDeclared: ("not_declared", "The application lets no fields be written that it has no rule for.")
        case .unreadable: ("unreadable", "The field is not for everybody to read.")
        case .notOwnDomain:
            (
                "not_own_domain",
                "The server or another application has this domain. An admin of all applications can let it be shared."
            )
        case .notOwnAudience:
            (
                "not_own_audience",
                "Another application has this audience, or this id. An admin of both can let it be shared."
            )
        case .notADomain: ("not_a_domain", "A domain in lower case, without port: example.com.")
        case .notAnOrigin:
            ("not_an_origin", "https://example.com, or android:apk-key-hash: and the hash of a certificate.")
        case .notACertificate: ("not_a_certificate", "Certificates of version 3 in PEM.")
        case .notAnAuthenticator: ("not_an_authenticator", "The AAGUID of a kind of authenticator: a UUID.")
        case .notAUserId:
            ("not_a_user_id", "Access lists write * for everybody and role: before a role, and paths me for who asks.")
        case .notAGrantName: ("not_a_role_name", "Letters and digits of ASCII, and - _ . : / *.")
        case .notAClaimName: ("not_a_claim_name", "Letters and digits of ASCII, and - _ . : / # @ ~.")
        case .reserved: ("reserved", "Tokens have this claim by themselves.")
        case .notServersField: ("not_the_servers", "A field with a rule by which only the server writes it.")
        case .notAFieldName: ("not_a_field_name", "Not a name that a field can have.")
        case .secretInSubject: ("secret_in_subject", "The subject must show neither {{code}} nor {{link}}.")
        case .secretInAddress:
            (
                "secret_in_address",
                "{{code}} and {{link}} stand as words of their own, or {{link}} as the whole href of an a, "
                    + "beside no style that fetches anything."
            )
        }
    }
}

extension MemberFault.Rule {
    fileprivate var words: (code: String, detail: String) {
        switch self {
        case .wrongType: ("wrong_type", "Another JSON type is expected here.")
        case .required: ("required", "This member must be there.")
        case .malformed: ("malformed", "The value has the wrong form.")
        case .form(let form): ("malformed", form)
        case .noneOf(let members): ("required", "One of \(members.joined(separator: ", ")) must be there.")
        }
    }
}

extension ProofFault {
    /// Names what is wrong (RFC 9449 §4.3), so that a developer need not guess.
    var detail: String {
        switch self {
        case .malformed: "It is not one JWT: three parts of base64url without padding, JSON in the first two."
        case .type: "typ must be dpop+jwt."
        case .algorithm: "alg must be ES256."
        case .criticalExtension: "crit names an extension; none is known here."
        case .key: "jwk must be a P-256 public key."
        case .privateKey: "jwk must not hold private members."
        case .signature: "The signature does not fit the key: 64 bytes, r and s, over the first two parts as sent."
        case .method: "htm must be the request's method."
        case .target: "htu must be the request's address, without query and fragment."
        case .issuedAt: "iat must be there, in seconds since 1970."
        case .identifier: "jti must be there, with 1 to 256 bytes."
        case .accessToken: "ath must be the SHA-256 of the session token, base64url."
        case .otherKey: "The session belongs to another key."
        }
    }
}
