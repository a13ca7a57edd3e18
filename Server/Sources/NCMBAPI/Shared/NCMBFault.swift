/// What NCMB's own words have for a refusal: a code whose first three digits are the status.
struct NCMBFault: Error, Hashable {
    var code: String
    var message: String

    init(_ code: String, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The three digits after the `E`.
    var status: Int { Int(code.dropFirst().prefix(3), radix: 10) ?? 500 }

    static let badRequest = NCMBFault("E400000", "Bad Request.")
    static let notJSON = NCMBFault("E400001", "JSON is invalid format.")
    static let unauthorized = NCMBFault("E401000", "Unauthorized.")
    static let unauthenticated = NCMBFault("E401001", "Authentication error by header incorrect.")
    static let credentialRefused = NCMBFault("E401002", "Authentication error with ID/PASS incorrect.")
    static let forbidden = NCMBFault("E403000", "Forbidden.")
    static let accessRefused = NCMBFault("E403001", "No access with ACL.")
    static let prohibited = NCMBFault("E403003", "Operation that are prohibited.")
    static let noData = NCMBFault("E404001", "No data available.")
    static let noService = NCMBFault(
        "E404002",
        "None service. Members are served here; the data store, files, push and scripts are not offered.")
    static let noApplication = NCMBFault("E404005", "No such application.")
    static let tooManyRequests = NCMBFault("E429002", "Too many requests.")
    static let systemError = NCMBFault("E500001", "System error.")
    static let unavailable = NCMBFault("E503001", "Service unavailable.")

    static func wrongType(_ name: String) -> NCMBFault { NCMBFault("E400002", "\(name) is invalid.") }
    static func empty(_ name: String) -> NCMBFault { NCMBFault("E400003", "\(name) is empty.") }
    static func malformed(_ name: String) -> NCMBFault { NCMBFault("E400004", "\(name) is invalid format.") }
    static func notValid(_ name: String) -> NCMBFault { NCMBFault("E400005", "\(name) is not a valid value.") }
    static func absent(_ name: String) -> NCMBFault { NCMBFault("E400006", "\(name) does not exist.") }
    static func size(_ name: String, _ smallest: Int, _ largest: Int) -> NCMBFault {
        NCMBFault("E400009", "\(name) size must be between \(smallest) and \(largest).")
    }
    static func notVouchedFor(_ provider: String) -> NCMBFault {
        NCMBFault("E401003", "OAuth \(provider) authentication error.")
    }
    static func notToBeEntered(_ name: String) -> NCMBFault { NCMBFault("E403005", "\(name) must not be entered.") }
    static func duplicate(_ name: String) -> NCMBFault { NCMBFault("E409001", "\(name) is duplication.") }
}
