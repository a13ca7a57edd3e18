import Foundation
import Okaeri
import OkaeriTesting
import OkaeriUI
import OkaeriWire
import Testing

// ExampleHome.swift and ExampleSettings.swift are links to the example's own files.

@MainActor
@Suite("The example app")
struct ExampleTests {
    let world = UIWorld()

    static func file(_ name: String) -> URL {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../Examples/iOS/OkaeriHome.swiftpm/Resources/\(name).json")
            .standardizedFileURL
    }

    @Test("changes guide and button with the log-in state, and lets people with an account on to the next screen")
    func states() async throws {
        #expect(Home(.unknown) == .waiting && Home(.storageLocked) == .waiting)
        #expect(Home(.loggedOut(.guestLoggedOut)).destination == .logIn(identifier: ""))
        let guest = try await world.client.logInAutomatically().user
        let home = Home(.loggedIn(guest, freshness: .fresh))
        #expect(home == .guest(name: nil) && home.destination == .upgrade)
        let user = try await world.client.upgrade(username: "hana", password: "a long enough secret")
        let next = Home(.loggedIn(user, freshness: .offlineCopy))
        #expect(next == .next(name: "hana") && next.destination == nil)
        #expect(next.guide(in: "ja") == "おかえりなさい、hanaさん")
    }

    @Test("has words for each state in three languages")
    func words() {
        for home in [Home.loggedOut, .guest(name: nil), .next(name: "花")] {
            #expect(Set(["en", "ja", "ko"].map { home.guide(in: $0) }).count == 3)
        }
        let texts = ScreenTexts(languages: ["ja"])
        #expect(Home.guest(name: nil).button(texts) == "データを保存" && Home.loggedOut.button(texts) == "ログイン")
        #expect(Home.waiting.button(texts) == nil && Home.next(name: nil).button(texts) == nil)
    }

    @Test("keeps WCAG 2.2 AA in both of its brands, by day and by night", arguments: ["okaeri", "kaze"])
    func contrast(name: String) throws {
        let theme = try JSONDecoder().decode(Theme.self, from: Data(contentsOf: Self.file(name)))
        #expect(theme.contrastFaults().isEmpty, "\(theme.contrastFaults())")
        for (language, words) in theme.texts {
            #expect(["en", "ja", "ko"].contains(language) && words.keys.allSatisfy { TextKey(rawValue: $0) != nil })
        }
    }

    /// What stands in the braces that open at the end of a text, in another one that begins with it.
    private func braced(_ source: Substring) -> Substring {
        var depth = 1
        return source.prefix { character in
            depth += character == "{" ? 1 : character == "}" ? -1 : 0
            return depth > 0
        }
    }

    @Test(
        "and its neighbours list the state that a sheet shows: otherwise it would show that of before",
        arguments: ["GuestFirst", "OkaeriHome", "Screens"])
    func sheets(project: String) throws {
        let folder = Self.file("").deletingLastPathComponent()
            .appendingPathComponent("../../\(project).swiftpm/Sources").standardizedFileURL
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        var count = 0
        for file in files where file.pathExtension == "swift" {
            let source = try String(contentsOf: file, encoding: .utf8)
            let states = source.components(separatedBy: "@State private var ").dropFirst()
                .map { String($0.prefix { $0.isLetter || $0.isNumber }) }
            for sheet in source.components(separatedBy: ".sheet(isPresented: $").dropFirst() {
                count += 1
                let isShown = String(sheet.prefix { $0.isLetter })
                let content = braced(sheet.drop { $0 != "{" }.dropFirst())
                let list = content.drop { $0 == " " }.prefix { $0 != "]" }
                #expect(list.hasPrefix("["), "\(file.lastPathComponent)")
                let listed = Set(list.split { !$0.isLetter && !$0.isNumber }.map(String.init))
                let named = Set(content.split { !$0.isLetter && !$0.isNumber }.map(String.init))
                #expect(named.intersection(states).subtracting([isShown]).isSubset(of: listed))
            }
        }
        #expect(count == 1)
    }

    @Test("is another brand's by one settings file, which it can read")
    func settings() throws {
        let settings = try JSONDecoder().decode(Settings.self, from: Data(contentsOf: Self.file("settings")))
        #expect(settings.server.host != nil)
        #expect(FileManager.default.fileExists(atPath: Self.file(settings.theme).path))
    }
}
