import TestWorld
import Testing

@testable import Domain

/// The table of what differs between the ways in which users come to be.
@Suite("The ways to register")
struct RegistrationWayTests {
    private struct Row {
        var way: RegistrationWay
        var password: RegistrationWay.PasswordNeed
        var demandsFields = true
        var forgivesFailures = false
        var takesOtherCandidates = false
        var asksHook = true
        var path = ""
        /// Who stands in the audit log of a user with a password, and of one without.
        var named: AuditEntry.Actor?
        var nameless: AuditEntry.Actor?
    }

    private static let now = StandingClock().now
    private static let user = User(
        id: Identifier(rawValue: "u"), application: Identifier(rawValue: "a"), createdAt: now, updatedAt: now)

    private static let rows: [Row] = [
        Row(way: .signUp, password: .required, forgivesFailures: true),
        Row(way: .account, password: .requiredOfNamed, forgivesFailures: true, named: .user(user.id)),
        Row(way: .identities, password: .optional, forgivesFailures: true),
        Row(way: .mail, password: .required, demandsFields: false, named: .unknown, nameless: .unknown),
        Row(way: .provider, password: .none, path: "user."),
        Row(way: .device, password: .none, path: "user."),
        Row(way: .importing, password: .none, demandsFields: false, takesOtherCandidates: true, asksHook: false),
        Row(
            way: .migration, password: .none, demandsFields: false, forgivesFailures: true, takesOtherCandidates: true,
            asksHook: false, named: .unknown, nameless: .unknown),
        Row(way: .admin, password: .none, demandsFields: false, asksHook: false),
    ]

    @Test("are all in the table, once")
    func whole() {
        #expect(Self.rows.map(\.way) == RegistrationWay.allCases)
    }

    @Test("differ by what the table says", arguments: rows.indices)
    func row(index: Int) {
        let row = Self.rows[index]
        #expect(row.way.password == row.password)
        #expect(row.way.demandsFields == row.demandsFields)
        #expect(row.way.forgivesFailures == row.forgivesFailures)
        #expect(row.way.takesOtherCandidates == row.takesOtherCandidates)
        #expect(row.way.asksHook == row.asksHook)
        #expect(row.way.profilePath == row.path)
        #expect(row.way.recordedActor(of: Self.user, hasPassword: true) == row.named)
        #expect(row.way.recordedActor(of: Self.user, hasPassword: false) == row.nameless)
    }

    @Test("name faults of the profile as their requests have it, and keep the rules", arguments: rows.indices)
    func faults(index: Int) {
        let row = Self.rows[index]
        let faults = [
            ValidationError(field: "displayName", rule: .empty), ValidationError(field: "locale", rule: .notOffered),
        ]
        let named = row.way.named(faults)
        #expect(named.map(\.field) == ["\(row.path)displayName", "\(row.path)locale"])
        #expect(named.map(\.rule) == faults.map(\.rule))
        #expect(row.way.named([]).isEmpty)
    }

    @Test("ask for fields where they ask for a password, and no hook where nobody is asked for either")
    func relations() {
        for way in RegistrationWay.allCases {
            let none = RegistrationWay.PasswordNeed.none
            // The page that a mail leads to asks for a password alone.
            if way.password == .required, way != .mail { #expect(way.demandsFields) }
            if !way.asksHook { #expect(!way.demandsFields && way.password == none) }
            if !way.profilePath.isEmpty { #expect(way.password == none) }
        }
    }
}
