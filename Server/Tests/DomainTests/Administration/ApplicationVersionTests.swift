import OkaeriWire
import StorageSQLite
import TestWorld
import Testing

@testable import Domain

@Suite("The version of an application's settings")
struct ApplicationVersionTests {
    private typealias Change = @Sendable (inout ApplicationSettings) -> Void

    /// A change of each member, by the member's name.
    private static let changes: [String: Change] = [
        "proofRequired": { $0.proofRequired = true }, "sessionIdleLifetime": { $0.sessionIdleLifetime = .days(1) },
        "sessionLifetime": { $0.sessionLifetime = .days(2) }, "audiences": { $0.audiences = ["https://a.example"] },
        "passwordMinimumCharacters": { $0.passwordMinimumCharacters = 15 },
        "passwordOnlyMinimumCharacters": { $0.passwordOnlyMinimumCharacters = 16 },
        "mail": { $0.mail.templates = [.passwordReset: [.korean: MailTemplate(subject: "s", text: "t")]] },
        "transferLink": { $0.transferLink = "app://{code}" }, "deletionGrace": { $0.deletionGrace = .days(30) },
        "anonymousIdleLimit": { $0.anonymousIdleLimit = .days(90) }, "mergeRules": { $0.mergeRules = ["score": .max] },
        "foreignSessions": { $0.foreignSessions = [.single: SessionRules(maximumPerUser: 1)] },
        "foreignOptions": { $0.foreignOptions[.single, default: ForeignOptions()].hosts = ["a.example"] },
        "theme": { $0.theme = ["brand": "Hana"] }, "redirectAddresses": { $0.redirectAddresses = ["app://back"] },
        "signUp": { $0.signUp.asksPhone = true }, "passkeys": { $0.passkeys.isEnabled = true },
        "attestation": { $0.attestation.proofOfWorkBits = 12 },
        "access": { $0.access.claims = [] },
        "oldServices": { $0.set(OldService(.firebase, audiences: ["my-game"])) },
        "events": { $0.events.isStreamed = true },
        "secondFactors": { $0.secondFactors.demandedFor = [.passwordChanged, .erased] },
    ]
    /// What is changed one rule and one view at a time, by requests of their own.
    private static let others: Set = ["fieldRules", "hooks", "userListViews"]

    private let application: Application

    init() async throws {
        application = try await TestWorld(try SQLiteStore(.memory, role: .server)).makeApplication()
    }

    private func version(_ settings: ApplicationSettings) -> String {
        var changed = application
        changed.settings = settings
        return changed.version
    }

    @Test("is another one after a change of any member, and of the name")
    func members() {
        let labels = Mirror(reflecting: ApplicationSettings()).children.compactMap(\.label)
        #expect(Set(labels) == Set(Self.changes.keys).union(Self.others))
        var versions: Set = [version(ApplicationSettings())]
        for change in Self.changes.values {
            var settings = ApplicationSettings()
            change(&settings)
            versions.insert(version(settings))
        }
        #expect(versions.count == Self.changes.count + 1)
        var renamed = application
        renamed.name += "!"
        #expect(renamed.version != application.version)
    }

    @Test("is the same for equal settings, in whichever order their parts were added")
    func order() {
        let names = (0..<50).map { "field\($0)" }
        var (forth, back) = (ApplicationSettings(), ApplicationSettings())
        for name in names { forth.mergeRules[name] = .take }
        for name in names.reversed() { back.mergeRules[name] = .take }
        let rows = AccountChange.allCases
        for row in rows { forth.secondFactors.demandedFor.insert(row) }
        for row in rows.reversed() { back.secondFactors.demandedFor.insert(row) }
        #expect(forth == back && version(forth) == version(back))
    }

    private func changed(_ change: Change) -> Application {
        var changed = application
        change(&changed.settings)
        return changed
    }

    @Test("is judged by what is there in the transaction, whatever was known before and the caller has seen")
    func judged() {
        let all = [
            application, changed { $0.proofRequired = true }, changed { $0.audiences = ["https://a.example"] },
            changed { $0.fieldRules.isClosed = true },
        ]
        for known in all {
            for present in all {
                for version in all.map(\.version) + ["", "of-before"] {
                    #expect(known.isStill(version)(present) == (present.version == version))
                }
                for version in all.map(\.settings.fieldRules.version) + [""] {
                    #expect(
                        known.settings.fieldRules.isStill(version)(present)
                            == (present.settings.fieldRules.version == version))
                }
            }
        }
    }

    @Test("is not made anew in the transaction that all changes wait for, of settings that nobody has changed")
    func speed() {
        func many() -> Application {
            changed {
                $0.access = AccessRules(
                    (0..<400).map { role in
                        Grant(
                            id: Identifier(rawValue: "role-\(role)"), name: "role \(role)",
                            content: .role(permissions: Set((0..<50).map { "\(role):\($0)" })))
                    })
            }
        }
        // Read twice, as before a transaction and in it: nothing is shared.
        let (known, present) = (many(), many())
        let clock = ContinuousClock()
        let version = clock.measure { _ = present.version }
        let isCurrent = known.isStill("of-before")
        let judgement = clock.measure { #expect(!isCurrent(present)) }
        #expect(judgement * 3 < version, "\(judgement) of \(version)")
    }

    @Test("stays when a rule of a field or a view of the list changes")
    func others() {
        var settings = ApplicationSettings()
        settings.fieldRules.isClosed = true
        #expect(version(settings) == version(ApplicationSettings()))
    }
}
