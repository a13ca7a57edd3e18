import StorageSQLite
import TestWorld
import Testing

@testable import Domain

/// What an application's settings may be, at both sides of each bound.
@Suite("The settings of an application")
struct ApplicationSettingTests {
    private static func settings(_ change: (inout ApplicationSettings) -> Void) -> ApplicationSettings {
        var settings = ApplicationSettings()
        change(&settings)
        return settings
    }

    private static func text(_ count: Int) -> String { String(repeating: "n", count: count) }

    private static let spans: [(String, @Sendable (inout ApplicationSettings, Duration) -> Void)] = [
        ("sessionIdleSeconds", { $0.sessionIdleLifetime = $1 }), ("sessionSeconds", { $0.sessionLifetime = $1 }),
        ("deletionGraceSeconds", { $0.deletionGrace = $1 }), ("anonymousIdleSeconds", { $0.anonymousIdleLimit = $1 }),
    ]

    @Test(
        "have spans of a day to 3650 days", arguments: spans.indices,
        [
            (.zero, false), (.days(1) - .milliseconds(1), false), (.days(1), true), (.days(3650), true),
            (.days(3650) + .milliseconds(1), false),
        ] as [(Duration, Bool)])
    func span(index: Int, span: (length: Duration, isTaken: Bool)) {
        let (field, set) = Self.spans[index]
        let fault = ValidationError(field: field, rule: .outOfRange(86_400...315_360_000))
        let faults = Self.settings { set(&$0, span.length) }.faults(since: ApplicationSettings())
        #expect(faults == (span.isTaken ? [] : [fault]), "\(field)")
    }

    private static func fault(_ field: String, _ rule: ValidationError.Rule) -> [ValidationError] {
        [ValidationError(field: field, rule: rule)]
    }

    private static let noCode = fault("transferLink", .noneOf(["{code}"]))

    private static let rows: [(String, @Sendable (inout ApplicationSettings) -> Void, [ValidationError])] = [
        ("as they begin", { _ in }, []),
        ("without an end of guests", { $0.anonymousIdleLimit = nil }, []),
        (
            "a hundred merge rules",
            { for number in 0..<100 { $0.mergeRules["f\(number)"] = .take } }, []
        ),
        (
            "one more", { for number in 0..<101 { $0.mergeRules["f\(number)"] = .take } },
            fault("mergeRules", .tooManyFields(maximum: 100))
        ),
        ("a rule of a long field", { $0.mergeRules = [text(128): .max] }, []),
        (
            "of a longer one", { $0.mergeRules = [text(129): .max] },
            fault("mergeRules", .tooLong(maximumCharacters: 128))
        ),
        ("of a field without a name", { $0.mergeRules = ["": .max] }, fault("mergeRules", .empty)),
        ("twenty audiences", { $0.audiences = (0..<20).map { "a\($0)" } }, []),
        (
            "one more audience", { $0.audiences = (0..<21).map { "a\($0)" } },
            fault("audiences", .tooManyFields(maximum: 20))
        ),
        ("a long audience", { $0.audiences = [text(255)] }, []),
        ("a longer one", { $0.audiences = [text(256)] }, fault("audiences", .tooLong(maximumCharacters: 255))),
        ("a link with its code", { $0.transferLink = "app://join/{code}" }, []),
        ("a long link", { $0.transferLink = "app://{code}" + text(488) }, []),
        (
            "a longer link", { $0.transferLink = "app://{code}" + text(489) },
            fault("transferLink", .tooLong(maximumCharacters: 500))
        ),
        ("a link without a code", { $0.transferLink = "app://join/code" }, noCode),
        ("no link at all", { $0.transferLink = "" }, fault("transferLink", .empty) + noCode),
        (
            "a link and the length of names",
            {
                $0.transferLink = "app://join/{code}"
                $0.signUp.usernameMinimumCharacters = 0
            }, fault("signUp.usernameMinimumCharacters", .tooShort(minimumCharacters: 1))
        ),
        (
            "a wrong link and the length of names",
            {
                $0.transferLink = "app://join"
                $0.signUp.usernameMinimumCharacters = 65
            }, fault("signUp.usernameMinimumCharacters", .tooLong(maximumCharacters: 64)) + noCode
        ),
        (
            "a span and an audience, in this order",
            {
                $0.audiences = [""]
                $0.sessionLifetime = .zero
            }, fault("sessionSeconds", .outOfRange(86_400...315_360_000)) + fault("audiences", .empty)
        ),
    ]

    @Test(
        "have a link for transfer codes that leads to the app or one of its pages, and nowhere else",
        arguments: [
            ("https://app.example.com/t?code={code}", true), ("https://{code}.example.com/", true),
            ("jp.example.app:/t/{code}", true), ("hoshi://{code}", true), ("http://localhost:3000/t/{code}", true),
            ("http://127.0.0.1/{code}", true), ("http://[::1]:8080/{code}", true),
            ("http://app.example.com/{code}", false), ("HTTP://app.example.com/{code}", false),
            ("http://127.0.0.1.example.com/{code}", false), ("javascript:alert('{code}')", false),
            ("JavaScript:x({code})", false), ("data:text/html,{code}", false), ("file:///etc/{code}", false),
            ("blob:https://app.example.com/{code}", false), ("ftp://app.example.com/{code}", false),
            ("mailto:a@example.com?subject={code}", false), ("https:///{code}", false), ("https:{code}", false),
            ("https://who@app.example.com/{code}", false), ("https://app.example.com/#{code}", true),
            ("https://app.example.com/#/transfer/{code}", true), ("hoshi://t#{code}", true),
            ("https://app.example.com/#a#{code}", false), ("javascript:x#{code}", false),
            ("https://app.example.com/ {code}", false), ("https://app.example.com/\"{code}", false),
            ("{code}://app.example.com", false), ("/t/{code}", false), ("{code}", false),
        ])
    func transferLinks(link: String, isTaken: Bool) {
        var settings = ApplicationSettings()
        settings.transferLink = link
        #expect(
            settings.faults(since: ApplicationSettings()) == (isTaken ? [] : Self.fault("transferLink", .notALink)),
            "\(link)")
        // One of before the rule keeps nobody from changing something else.
        #expect(settings.faults(since: settings).isEmpty)
    }

    @Test("are refused by member and rule", arguments: rows.indices)
    func faults(index: Int) {
        let (name, change, faults) = Self.rows[index]
        #expect(Self.settings(change).faults(since: ApplicationSettings()) == faults, "\(name)")
    }

    @Test("ask for fifteen characters of a lone password in new applications, and for eight in those of before")
    func standards() {
        let (new, old) = (ApplicationSettings.ofNewApplications, ApplicationSettings())
        #expect(new.passwordOnlyMinimumCharacters == 15 && new.passwordMinimumCharacters == 8)
        #expect(old.passwordOnlyMinimumCharacters == 8 && old.passwordMinimumCharacters == 8)
        #expect(!old.proofRequired && old.anonymousIdleLimit == nil && old.transferLink == nil)
        #expect(old.events.retention == .days(30) && !old.events.isStreamed && !old.events.isRecorded)
    }

    private func changeTimes(_ world: TestWorld, _ application: Application) async throws -> Int {
        try await world.modules.administration.audit.list(
            in: application.id, matching: AuditFilter(action: .settingsChanged)
        ).count
    }

    @Test("are changed by who saw them as they are, and recorded where something changes")
    func changed() async throws {
        let world = try TestWorld(try SQLiteStore(.memory, role: .server))
        let application = try await world.makeApplication()
        let change = world.modules.applications.changeApplication
        let longest = Self.text(100)
        for _ in 0..<2 {
            let renamed = try await change(application.id, isCurrent: { _ in true }, by: .local) { $0.name = longest }
            #expect(renamed.name == longest && renamed.settings == application.settings)
            #expect(try await changeTimes(world, application) == 1)
        }
        let refused = await world.refusal {
            _ = try await change(application.id, isCurrent: { _ in true }, by: .local) { changed in
                changed.name = longest + "n"
                changed.settings.audiences = [""]
            }
        }
        #expect(
            refused
                == .fieldsRefused(
                    Self.fault("name", .tooLong(maximumCharacters: 100)) + Self.fault("audiences", .empty)))
        let late = await world.refusal {
            _ = try await change(application.id, isCurrent: { $0.name == "Test" }, by: .local) { $0.name = "Late" }
        }
        #expect(late == .administration(.changedMeanwhile))
        let unknown = await world.refusal {
            _ = try await change(Identifier(rawValue: "nobody"), isCurrent: { _ in true }, by: .local) { _ in }
        }
        #expect(unknown == .applicationUnknown)
        #expect(try await world.modules.applications.findApplication(application.id).name == longest)
        #expect(try await changeTimes(world, application) == 1)
    }

    @Test("of a new application are refused before there is one")
    func created() async throws {
        let world = try TestWorld(try SQLiteStore(.memory, role: .server))
        let settings = Self.settings { $0.audiences = [Self.text(256)] }
        let refused = await world.refusal { _ = try await world.makeApplication("", settings: settings) }
        #expect(
            refused
                == .fieldsRefused(
                    Self.fault("name", .empty) + Self.fault("audiences", .tooLong(maximumCharacters: 255))))
        #expect(try await world.modules.applications.listApplications().isEmpty)
        #expect(try await world.makeApplication(Self.text(100)).createdAt == world.clock.now)
    }
}
