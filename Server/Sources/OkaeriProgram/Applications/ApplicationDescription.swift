import Domain
import HTTPSupport
@_spi(TotalConversions) import OkaeriWire

/// An application as `--json` shows it.
struct ApplicationDescription: Encodable {
    let id: String
    let name: String
    let users: Int
    let weakPasswords: Int
    let weakPasswordsWithoutDeviceKey: Int
    let proofRequired: Bool
    let sessionIdleDays: Double
    let sessionDays: Double
    let passwordMinimumCharacters: Int
    let passwordOnlyMinimumCharacters: Int
    let audiences: [String]
    let createdAt: WireTime

    init(_ entry: ListApplications.Entry) {
        let (application, settings) = (entry.application, entry.application.settings)
        id = application.id.rawValue
        name = application.name
        users = entry.userCount
        weakPasswords = entry.weakPasswords.users
        weakPasswordsWithoutDeviceKey = entry.weakPasswords.usersWithoutDeviceKey
        proofRequired = settings.proofRequired
        sessionIdleDays = settings.sessionIdleLifetime.inDays
        sessionDays = settings.sessionLifetime.inDays
        passwordMinimumCharacters = settings.passwordMinimumCharacters
        passwordOnlyMinimumCharacters = settings.passwordOnlyMinimumCharacters
        audiences = settings.audiences
        createdAt = application.createdAt.wire
    }
}

extension Duration {
    /// The span in days.
    var inDays: Double { Double(wholeMilliseconds) / Double(Duration.days(1).wholeMilliseconds) }

    /// The span in days, for people.
    var daysText: String {
        let number = inDays == inDays.rounded() ? String(Int64(clamping: inDays)) : String(inDays)
        return number == "1" ? "1 day" : "\(number) days"
    }
}
