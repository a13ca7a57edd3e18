import Domain
import HTTPSupport
import OkaeriServer
import Testing

/// What each route of the mobile backends can change of an account that is there already, by the table. A new route, or a row
/// that nothing walks, fails here.
@Suite("Every route of the mobile backends that writes")
struct AccountChangeRouteTests {
    enum Surface: String, CaseIterable, Sendable { case ncmb, parse, kii, envelope }

    /// A route in each line, with the rows that it can change; sign-ups, log-ins and orders of mails change no account that is
    /// there. A name with several values stands for a line each.
    private static func table(_ surface: Surface) -> String {
        switch surface {
        case .ncmb:
            """
            POST /2013-09-01/users: created signed_up identity_linked
            POST /2013-09-01/login:
            PUT /2013-09-01/users/{objectId}: \(profile) identity_linked identity_unlinked
            DELETE /2013-09-01/users/{objectId}: erased_at_once
            POST /2013-09-01/requestMailAddressUserEntry: created
            POST /2013-09-01/requestPasswordReset:
            POST /2013-09-01/classes/user:
            """
        case .parse:
            """
            POST /<parse|1>/<users|classes/_User>: signed_up identity_linked
            PUT /<parse|1>/<users|classes/_User>/{objectId}: \(profile) \(operators) identity_linked identity_unlinked
            DELETE /<parse|1>/<users|classes/_User>/{objectId}: erased_at_once
            """
        case .kii:
            """
            POST /api/oauth2/token:
            POST /api/apps/{appID}/oauth2/token:
            POST /api/apps/{appID}/users: created signed_up
            POST /api/apps/{appID}/users/query:
            <POST|PUT> /api/apps/{appID}/users/{user}: upgraded profile_changed identifiers_changed address_changed
            DELETE /api/apps/{appID}/users/{user}: erased_at_once
            PUT /api/apps/{appID}/users/{user}/status: disabled enabled
            PUT /api/apps/{appID}/users/{user}/password: password_changed
            POST /api/apps/{appID}/users/{user}/password/<request-reset|reset>:
            POST /api/apps/{appID}/users/{user}/password/complete-reset: password_reset
            PUT /api/apps/{appID}/users/{user}/<email-address|phone-number>: address_changed identifiers_changed
            POST /api/apps/{appID}/users/{user}/email-address/verify: email_verified email_replaced
            POST /api/apps/{appID}/users/{user}/phone-number/verify: phone_verified phone_replaced
            POST /api/apps/{appID}/users/{user}/<email-address|phone-number>/resend-verification:
            POST /api/apps/{appID}/users/{user}/<email-address|phone-number>/reset-verification-code:
            POST /api/apps/{appID}/integration/<facebook|twitter|google|qq|renren>: signed_up
            POST /api/apps/{appID}/users/{user}/<facebook|twitter|google|qq|renren>/link: identity_linked
            POST /api/apps/{appID}/users/{user}/<facebook|twitter|google|qq|renren>/unlink: identity_unlinked
            """
        case .envelope:
            """
            POST /user/<signup|signUp>: created
            POST /user/<signin|signIn|signout>:
            POST /{base}/user/<signup|signUp>: created
            POST /{base}/user/<signin|signIn|signout>:
            """
        }
    }

    private static let profile = "profile_changed access_list_changed identifiers_changed address_changed"
    /// What a master key changes beside it.
    private static let operators = "password_changed disabled enabled email_verified"

    /// Rows by route.
    private static func rows(_ surface: Surface) throws -> [String: Set<AccountChange>] {
        var rows: [String: Set<AccountChange>] = [:]
        for line in table(surface).split(separator: "\n") {
            let parts = line.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
            let changes = try parts[1].split(separator: " ").map { try #require(AccountChange(rawValue: String($0))) }
            for route in spelled(parts[0]) { rows[route] = Set(changes) }
        }
        return rows
    }

    /// A route with one value for each name that has several.
    private static func spelled(_ route: String) -> [String] {
        guard let start = route.firstIndex(of: "<"), let end = route.firstIndex(of: ">") else { return [route] }
        return route[start..<end].dropFirst().split(separator: "|").flatMap {
            spelled(String(route[..<start]) + String($0) + String(route[end...].dropFirst()))
        }
    }

    @Test("is in the list of what it can change", arguments: Surface.allCases)
    func routes(surface: Surface) async throws {
        let settings = try ServerSettings(commandLine: ["data": "/nowhere"], environment: [:])
        let known = try Self.rows(surface)
        let written = try await Composition.routeTable(settings).filter {
            $0.surface == surface.rawValue && ["POST", "PUT", "PATCH", "DELETE"].contains($0.method)
        }.map { "\($0.method) \($0.path)" }
        #expect(Set(known.keys).isSubset(of: written))
        // Parse's paths have a route for each method, of which most refuse; what they refuse is its own tests' business.
        if surface != .parse { #expect(Set(written) == Set(known.keys)) }
    }

    /// Rows that a test of another name walks.
    private static let elsewhere: Set<AccountChange> = [
        // `registrations` and `upgrade` of `AccountChangeTests`, `RegistrationRouteTests`.
        .created, .signedUp, .upgraded,
        // `links` of `AccountChangeTests`, `KiiTextMessageTests`, `KiiVerificationTests`.
        .identityUnlinked, .emailReplaced, .phoneVerified, .phoneReplaced, .passwordReset,
    ]

    @Test("changes what a test walks", arguments: Surface.allCases)
    func walked(surface: Surface) throws {
        let walked = Set(AccountChangeTests.changeRequests.map(\.row))
        let possible = try Self.rows(surface).values.reduce(into: Set<AccountChange>()) { $0.formUnion($1) }
        #expect(possible.subtracting(walked).isSubset(of: Self.elsewhere))
    }
}
