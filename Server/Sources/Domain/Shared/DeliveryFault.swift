/// Why a mail, an event or a question of a hook did not arrive, or got no good response.
///
/// It is stored, logged and given to programs as the English text. Pages show the words of the reader's language for its kind.
package struct DeliveryFault: Hashable, Sendable, CustomStringConvertible {
    /// What there is to say, each with one English text; `{value}` stands for what differs.
    package enum Kind: String, CaseIterable, Sendable {
        // Of any call.
        case notWritable = "not-writable"
        case tooManyCalls = "too-many-calls"
        case noNetwork = "no-network"
        case keyUnknown = "key-unknown"
        // Of events.
        case receiverAnswered = "receiver-answered"
        case receiverRefused = "receiver-refused"
        case receiverSilent = "receiver-silent"
        case endpointKeyUnknown = "endpoint-key-unknown"
        case tooManyTests = "too-many-tests"
        // Of hooks.
        case questionNotWritable = "question-not-writable"
        case hookResponded = "hook-responded"
        case hookRefused = "hook-refused"
        case hookSilent = "hook-silent"
        case hookKeyUnknown = "hook-key-unknown"
        case hookNoObject = "hook-no-object"
        case hookNoDecision = "hook-no-decision"
        case hookNoUser = "hook-no-user"
        case hookMembersNoObjects = "hook-members-no-objects"
        case hookFieldsElsewhere = "hook-fields-elsewhere"
        case hookClaimsElsewhere = "hook-claims-elsewhere"
        case hookFieldNotServers = "hook-field-not-servers"
        case hookFieldRefused = "hook-field-refused"
        case hookClaimsTooMany = "hook-claims-too-many"
        case hookClaimsTooLong = "hook-claims-too-long"
        case hookClaimRefused = "hook-claim-refused"
        case hookClaimRuled = "hook-claim-ruled"
        case hookClaimUnknown = "hook-claim-unknown"
        case hookUserMalformed = "hook-user-malformed"
        case hookUserOther = "hook-user-other"
        case hookUserRefused = "hook-user-refused"
        case hookNothingTyped = "hook-nothing-typed"
        // Of text messages.
        case webhookAnswered = "webhook-answered"
        case webhookRefused = "webhook-refused"
        case webhookSilent = "webhook-silent"
        case noTextMessages = "no-text-messages"
        // Of mails.
        case noMailServer = "no-mail-server"
        case mailServerAnswered = "mail-server-answered"
        case mailServerUnused = "mail-server-unused"
        case mailServerSilent = "mail-server-silent"
        case mailServerNoTLS = "mail-server-no-tls"
        case outboxUnwritable = "outbox-unwritable"
        case tooManyMails = "too-many-mails"
        case mailUnsendable = "mail-unsendable"
        case late
        case codeEnded = "code-ended"
        case addressReplaced = "address-replaced"
        case addressTaken = "address-taken"
        case addressGone = "address-gone"
        case passwordChanged = "password-changed"

        fileprivate var pattern: String {
            switch self {
            case .notWritable: "it cannot be written as JSON"
            case .tooManyCalls: "too many calls are under way"
            case .noNetwork: "no network is there"
            case .keyUnknown: "it was sealed under another key"
            case .receiverAnswered: "the receiver answered {value}"
            case .receiverRefused: "the address may not be asked"
            case .receiverSilent: "the receiver cannot be reached, or took too long"
            case .endpointKeyUnknown: "the endpoint's secret was sealed under another key"
            case .tooManyTests: "too many tests are under way"
            case .questionNotWritable: "the question cannot be written as JSON"
            case .hookResponded: "it responded {value}"
            case .hookRefused: "its address may not be asked"
            case .hookSilent: "it cannot be reached, or took too long"
            case .hookKeyUnknown: "its secret was sealed under another key"
            case .hookNoObject: "its response is no JSON object of at most {value} bytes"
            case .hookNoDecision: "its response has no decision, which is allow or refuse"
            case .hookNoUser: "its response names no user"
            case .hookMembersNoObjects: "fields and claims must be objects"
            case .hookFieldsElsewhere: "fields are for sign-up and log-in alone"
            case .hookClaimsElsewhere: "claims are for access tokens and log-in alone"
            case .hookFieldNotServers: "{value} is no field that only the server writes, or is null"
            case .hookFieldRefused: "{value} breaks a rule of the application"
            case .hookClaimsTooMany: "there are more than {value} claims"
            case .hookClaimsTooLong: "the claims take more than {value} bytes"
            case .hookClaimRefused: "a claim's name or value breaks a rule: {value}"
            case .hookClaimRuled: "the claim {value} is one of the application's rules"
            case .hookClaimUnknown: "the claim {value} is none that a user is made of; put it into fields"
            case .hookUserMalformed: "{value} has a wrong form"
            case .hookUserOther: "the user has another {value} than was typed"
            case .hookUserRefused: "{value} breaks a rule"
            case .hookNothingTyped: "nothing was typed"
            case .webhookAnswered: "the webhook answered {value}"
            case .webhookRefused: "the webhook's address cannot be asked"
            case .webhookSilent: "the webhook cannot be reached"
            case .noTextMessages: "no way for text messages is set"
            case .noMailServer: "no mail server is set"
            case .mailServerAnswered: "the mail server answered {value}"
            case .mailServerUnused: "the mail server cannot be used: {value}"
            case .mailServerSilent: "the mail server did not say whether it took the mail ({value})"
            case .mailServerNoTLS: "the mail server offers no STARTTLS"
            case .outboxUnwritable: "the outbox cannot be written"
            case .tooManyMails: "too many mails are on their way"
            case .mailUnsendable: "its {value} cannot stand in a mail"
            case .late: "nobody sent it in time"
            case .codeEnded: "its code was used, replaced or withdrawn"
            case .addressReplaced: "the user has another address by now"
            case .addressTaken: "somebody else has the address by now"
            case .addressGone: "the address is not the user's any more"
            case .passwordChanged: "the password in it was changed since"
            }
        }

        /// The English text before and after the value; without one, all of it is before.
        fileprivate var parts: (before: Substring, after: Substring, hasValue: Bool) {
            guard let range = pattern.firstRange(of: "{value}") else { return (pattern[...], "", false) }
            return (pattern[..<range.lowerBound], pattern[range.upperBound...], true)
        }
    }

    package let kind: Kind
    /// A status, a number or what a library says; empty where nothing differs.
    package let value: String

    package init(_ kind: Kind, _ value: String = "") {
        self.kind = kind
        self.value = value
    }

    /// - Parameter description: An English text; `nil` comes of one that is no kind's, as a newer node could have written.
    package init?(_ description: String) {
        for kind in Kind.allCases {
            let (before, after, hasValue) = kind.parts
            if !hasValue, description == before {
                self.init(kind)
                return
            }
            let isLongEnough = description.count >= before.count + after.count
            if hasValue, isLongEnough, description.hasPrefix(before), description.hasSuffix(after) {
                self.init(kind, String(description.dropFirst(before.count).dropLast(after.count)))
                return
            }
        }
        return nil
    }

    /// The English text, for logs and programs.
    package var description: String {
        let (before, after, hasValue) = kind.parts
        return hasValue ? "\(before)\(value)\(after)" : String(before)
    }

    /// The same, of a kind.
    package static func text(_ kind: Kind, _ value: String = "") -> String { Self(kind, value).description }
}
