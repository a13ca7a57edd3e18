import Domain
import Foundation
import HTTPTypes
import OkaeriWire
import PageSupport
import Testing

@testable import Dashboard

@Suite("What programs call by identifiers")
struct IdentifierWordsTests {
    private static let server = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// The identifiers of one kind that stand in the sources: the sets are open, and no type lists them.
    private static func identifiers(_ type: String) throws -> Set<String> {
        let pattern = try Regex("(?:^|[^A-Za-z])\(type)\\(rawValue: \"([a-z.-]+)\"", as: (Substring, Substring).self)
        let files = FileManager.default.enumerator(
            at: server.appending(path: "Sources"), includingPropertiesForKeys: nil)
        var found: Set<String> = []
        for case let file as URL in try #require(files) where file.pathExtension == "swift" {
            let text = try String(contentsOf: file, encoding: .utf8)
            found.formUnion(text.matches(of: pattern).map { String($0.output.1) })
        }
        return found
    }

    /// Says which have no word in a language, and which are shown as they are.
    private func expectWords(
        _ group: String, for identifiers: Set<String>, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        #expect(!identifiers.isEmpty, sourceLocation: sourceLocation)
        let tables = try PageTexts(Dashboard.tables).tables
        for language in PageLanguage.allCases {
            let table = try #require(tables[language])
            for identifier in identifiers.sorted() {
                let word = table["\(group).\(identifier)"]
                #expect(word?.isEmpty == false, "\(language): \(identifier)", sourceLocation: sourceLocation)
                let isMachineWord = word?.contains(/[a-z][.-][a-z]+\.[a-z]|^[a-z-]+\.[a-z-]+$/) == true
                #expect(!isMachineWord, "\(language): \(identifier)", sourceLocation: sourceLocation)
            }
        }
    }

    @Test("of actions and events have a word in each language, and no word is left over")
    func acts() throws {
        let known = try Self.identifiers("Action").union(try Self.identifiers("EventType"))
        let acts = known.union(EventType.all.map(\.rawValue))
        #expect(acts.count > 90)
        try expectWords("act", for: acts)
        let table = try #require(try PageTexts(Dashboard.tables).tables[.english])
        let named = table.keys.filter { $0.hasPrefix("act.") }.map { String($0.dropFirst(4)) }
        #expect(Set(named).subtracting(acts) == [])
    }

    @Test("of what did not arrive have words in each language, with what differs, and are read from their English text")
    func failures() throws {
        let kinds = DeliveryFault.Kind.allCases
        try expectWords("failure", for: Set(kinds.map(\.rawValue)))
        let tables = try PageTexts(Dashboard.tables).tables
        for kind in kinds {
            let fault = DeliveryFault(kind, DeliveryFault.text(kind, "503").contains("503") ? "503" : "")
            #expect(DeliveryFault(fault.description) == fault)
            for language in PageLanguage.allCases {
                let words = tables[language]?["failure.\(kind.rawValue)"]
                #expect(words?.contains("{value}") == !fault.value.isEmpty, "\(language): \(kind)")
                guard language == .english else { continue }
                #expect(words?.replacing("{value}", with: fault.value) == fault.description)
            }
        }
        #expect(DeliveryFault("the receiver sings") == nil)
    }

    @Test("of ways to log in have a word in each language")
    func methods() throws {
        let methods = try Self.identifiers("LogInMethod")
        try expectWords("method", for: methods.union(["anonymous"]))
        try expectWords("provider", for: ["device", "anonymous", "passkey"])
        try expectWords("protocol", for: ["native", "pages"])
    }

    @Test("of actors and of what is acted on have a word in each language")
    func actors() throws {
        let user = Identifier<User>(rawValue: "1")
        let actors: [AuditEntry.Actor] = [
            .user(user), .operator, .provider(.apple), .protocolKey(.native), .server, .unknown,
            .admin(Identifier(rawValue: "1")), .init(rawValue: "admin-key:1"), .init(rawValue: "application-key:1"),
        ]
        let targets: [AuditEntry.Target] = [
            .user(user), .session(Identifier(rawValue: "1")), .application(Identifier(rawValue: "1")), .signingKey("1"),
            .sealingKey("1"), .provider(.apple), .admin(Identifier(rawValue: "1")),
            .adminKey(Identifier(rawValue: "1")),
        ]
        let all = actors.map(\.rawValue) + targets.map(\.rawValue)
        try expectWords("actor", for: Set(all.map { String($0.prefix { $0 != ":" }) }))
    }

    @Test("of hooks have a moment and what they are for in each language")
    func hooks() throws {
        let points = Set(HookPoint.allCases.map(\.rawValue))
        try expectWords("hooks.point", for: points)
        try expectWords("hooks.about", for: points)
    }

    @Test(
        "are words in the audit log, on the page of a user and in lists, and stay for who points at them",
        arguments: [
            ("en", "User disabled", "automatic, by the device’s key"), ("ja", "ユーザーを無効化", "端末の鍵で自動"),
            ("ko", "사용자 비활성화", "기기 키로 자동"),
        ])
    func pages(language: String, act: String, way: String) async throws {
        let world = try await AdminWorld(roles: [])
        let user = try await world.server.person().logIn.user.id
        let browser = world.browser()
        func shown(_ page: String) async throws -> String {
            try await browser.get(world.page(page) + "?lang=\(language)").html
        }
        #expect(try await shown("sessions").contains("<span title=\"native · automatic\">Okaeri · \(way)</span>"))
        let own = try await shown("users/\(user)")
        #expect(own.contains("<span title=\"native · automatic\">Okaeri · \(way)</span>"))
        #expect(!own.contains("<strong>device</strong>") && own.contains("<strong title=\"device\">"))
        let token = try await browser.get(world.page("users/\(user)")).token
        #expect(try await browser.post(world.page("users/\(user)/disable"), [:], token: token).status == 303)
        let log = try await shown("audit")
        #expect(log.contains("title=\"user.disabled\">\(act)</a>") && !log.contains(">user.disabled<"))
        #expect(log.contains("audit?action=user.disabled"))
        #expect(try await shown("users/\(user)").contains("<strong title=\"user.disabled\">\(act)</strong>"))
    }

    @Test("of admins in the audit log and a user's time line have their names for who may list admins")
    func admins() async throws {
        let world = try await AdminWorld(roles: [.operator], restricted: true)
        let theme = #"{"brand": "Hoshi"}"#
        #expect(try await world.send("owner", .put, world.path("/theme"), body: theme).status == 200)
        let admins = try await world.server.modules.administration.admins.list()
        let owner = try #require(admins.first { $0.name == "root" })
        let log = try await world.browser().get(world.page("audit")).html
        #expect(log.contains("title=\"admin:\(owner.id)\">") && log.contains(" root</a>"))
        // An admin of one application does not learn by which names all others log in.
        let confined = try await world.browser("operator").get(world.page("audit")).html
        #expect(confined.contains(" \(owner.id)</a>") && !confined.contains(" root</a>"))
        let page = world.page("users/\(try await world.server.person().logIn.user.id)")
        let browser = world.browser()
        let token = try await browser.get(page).token
        #expect(try await browser.post("\(page)/disable", [:], token: token).status == 303)
        let line = try await browser.get(page).html
        #expect(line.contains("title=\"admin:\(owner.id)\">") && line.contains(" root</span>"))
        let unnamed = try await world.browser("operator").get(page).html
        #expect(unnamed.contains(" \(owner.id)</span>") && !unnamed.contains(" root</span>"))
    }

    @Test(
        "are chosen in the audit log's filters as people know them: an admin's name, a user's id, an action's word",
        arguments: [("en", "User disabled"), ("ja", "ユーザーを無効化"), ("ko", "사용자 비활성화")])
    func filters(language: String, act: String) async throws {
        let world = try await AdminWorld(roles: [])
        let (browser, address) = (world.browser(), world.page("audit"))
        let user = try await world.server.person().logIn.user.id
        let page = world.page("users/\(user)")
        let token = try await browser.get(page).token
        #expect(try await browser.post("\(page)/disable", [:], token: token).status == 303)
        let log = try await browser.get("\(address)?lang=\(language)").html
        #expect(log.contains("<option value=\"user.disabled\">\(act)</option>"))
        // One word is there once, though an event has it too.
        let words = log.matches(of: /<option value="[^"]*"[^>]*>([^<]*)</).map { String($0.output.1) }
        #expect(words.count > 90 && Set(words).count == words.count)
        func rows(_ query: String) async throws -> Int {
            try await browser.get("\(address)?\(query)").html.matches(of: /data-label="[^"]*"><time/).count
        }
        for query in ["actor=%20root", "target=\(user)", "target=user:\(user)", "target="] {
            #expect(try await rows("action=user.disabled&\(query)") == 1, "\(query)")
        }
        #expect(try await rows("action=user.disabled&actor=hana") == 0)
        // What has no word stays chosen.
        let other = try await browser.get("\(address)?action=x.made-later").html
        #expect(other.contains("<option value=\"x.made-later\" selected>x.made-later</option>"))
    }
}
