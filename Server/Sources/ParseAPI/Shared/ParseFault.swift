import Domain
import HTTPSupport
import HTTPTypes

/// What Parse's own words have for a refusal.
struct ParseFault: Error, Hashable {
    /// `nil` for the two refusals that never had one.
    var code: Int?
    var message: String
    var status: Int

    /// A refusal with the status that its code has: 404 for what is not there, 500 for a fault of the server, else 400.
    init(_ code: Int, _ message: String, status: Int? = nil) {
        self.code = code
        self.message = message
        self.status = status ?? (code == 101 ? 404 : code == 1 ? 500 : 400)
    }

    private init(withoutCode message: String) {
        code = nil
        self.message = message
        status = 403
    }

    static let unauthorized = ParseFault(withoutCode: "unauthorized")
    static let needsMaster = ParseFault(withoutCode: "unauthorized: master key is required")
    static let internalError = ParseFault(1, "Internal server error.")
    static let unavailable = ParseFault(2, "Service unavailable.", status: 503)
    static let tooManyRequests = ParseFault(100, "Too many requests.", status: 429)
    static let objectNotFound = ParseFault(101, "Object not found.")
    static let objectNotFoundForDelete = ParseFault(101, "Object not found for delete.")
    static let credentialRefused = ParseFault(101, "Invalid username/password.")
    static let authDataRefused = ParseFault(101, "auth data is invalid for this user.")
    static let tooManyMembers = ParseFault(
        116, "The object is too large: more than \(ProfileRules.maximumOperations) members.")
    static let notJSON = ParseFault(107, "The body is not a JSON object.")
    static let notOffered = ParseFault(
        119,
        "Users and sessions are served here: /users, /login, /logout, /sessions, /requestPasswordReset, "
            + "/verificationEmailRequest, /verifyPassword, /loginAs, /upgradeToRevocableSession, /roles, /batch. Other classes, "
            + "installations, files, push and cloud code are not offered.")
    static let passwordPolicy = ParseFault(142, "Password does not meet the Password Policy requirements.")
    static let usernameMissing = ParseFault(200, "bad or missing username")
    static let passwordMissing = ParseFault(201, "password is required")
    static let usernameTaken = ParseFault(202, "Account already exists for this username.")
    static let emailTaken = ParseFault(203, "Account already exists for this email address.")
    static let emailMalformed = ParseFault(125, "Email address format is invalid.")
    static let emailUnverified = ParseFault(205, "User email is not verified.")
    static let insufficientAuth = ParseFault(206, "Insufficient auth.")
    static let alreadyLinked = ParseFault(208, "this auth is already used")
    static let sessionInvalid = ParseFault(209, "Invalid session token")
    static let sessionExpired = ParseFault(209, "Session token is expired.")
    static let sessionRequired = ParseFault(209, "Session token required.")
    static let unsupportedMethod = ParseFault(252, "This authentication method is unsupported.")

    static func cannotRoute(_ method: HTTPRequest.Method, _ path: String, status: Int = 404) -> ParseFault {
        ParseFault(107, "cannot route \(method.rawValue) \(MemberFault.printable(path))", status: status)
    }
    static func invalidQuery(_ text: String) -> ParseFault { ParseFault(102, MemberFault.printable(text)) }
    static func invalidParameter(_ name: String) -> ParseFault {
        .invalidQuery("Invalid parameter for query: \(name)")
    }
    static func invalidField(_ name: String) -> ParseFault {
        ParseFault(105, "Invalid field name: \(MemberFault.printable(name)).")
    }
    /// In the reference's words.
    static func prohibited(_ name: String) -> ParseFault {
        ParseFault(105, #"Prohibited keyword in request data: {"key":"\#(name)"}."#)
    }
    static func wrongType(_ name: String, expected: String, got: String) -> ParseFault {
        ParseFault(
            111, "schema mismatch for _User.\(MemberFault.printable(name)); expected \(expected) but got \(got)")
    }
    static func invalidDate(_ name: String) -> ParseFault {
        ParseFault(111, "This is not a valid Date: \(MemberFault.printable(name)).")
    }
    static func invalidNumber(_ name: String) -> ParseFault {
        ParseFault(111, "This is not a valid Number: \(MemberFault.printable(name)).")
    }
    /// In the reference's words, which have one form for all numbers: apps may compare them.
    static func locked(minutes: Int64) -> ParseFault {
        ParseFault(
            101,
            "Your account is locked due to multiple failed login attempts. Please try again after "
                + "\(minutes) minute(s)")
    }
}
