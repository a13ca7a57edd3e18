import Foundation
import Testing

/// What operators set for the hosted pages: where they may lead back to, and how they look.
@Suite("Commands for pages")
struct PageCommandTests {
    private let folder = TestFolder()

    private func run(_ arguments: String...) async throws -> Program.Finished {
        try await Program.run(arguments, environment: ["OKAERI_DATA": folder.path])
    }

    private func application() async throws -> String {
        try folder.make()
        return try await run("application", "create", "Demo", "--json").json(CreatedApplication.self).id
    }

    @Test(
        "explain themselves with --help, with an example",
        arguments: [["application", "redirect"], ["application", "theme"]])
    func help(_ command: [String]) async throws {
        let finished = try await Program.run(command + ["--help"])
        #expect(finished.status == 0)
        #expect(finished.output.contains("  okaeri " + command.joined(separator: " ")))
    }

    @Test("keep addresses to come back to, once each, and take them away")
    func redirects() async throws {
        let id = try await application()
        #expect(try await run("application", "redirect", id).output.contains("No addresses."))
        let added = try await run(
            "application", "redirect", id, "--add", "com.example.app:/back", "--add", "https://app.example.com/back")
        #expect(added.status == 0, "\(added.errors)")
        _ = try await run("application", "redirect", id, "--add", "com.example.app:/back")
        let listed = try await run("application", "redirect", id, "--json").json([String].self)
        #expect(listed.sorted() == ["com.example.app:/back", "https://app.example.com/back"])
        let left = try await run("application", "redirect", id, "--remove", "com.example.app:/back", "--json")
        #expect(try left.json([String].self) == ["https://app.example.com/back"])
    }

    @Test(
        "take no address that people must not be sent to",
        arguments: [
            "http://example.com/back", "app:/back", "javascript:alert(1)", "https://*.example.com/",
            "https://example.com/#x", "https://user@example.com/",
        ])
    func wrongRedirect(address: String) async throws {
        let id = try await application()
        let refused = try await run("application", "redirect", id, "--add", address)
        #expect(refused.status == 2 && refused.errors.contains(address), "\(refused.errors)")
        #expect(refused.errors.contains("must be an https address"), "\(refused.errors)")
        #expect(try await run("application", "redirect", id, "--json").json([String].self).isEmpty)
    }

    @Test("end with status 1 for an application that there is not")
    func unknown() async throws {
        _ = try await application()
        let refused = try await run("application", "redirect", "nobody", "--add", "com.example.app:/back")
        #expect(refused.status == 1 && refused.output.isEmpty)
    }

    @Test("set, show and remove a theme, and tell what is hard to read")
    func theme() async throws {
        let id = try await application()
        let file = folder.path + "/theme.json"
        try ##"{"brand": "Hoshi", "light": {"primary": "#FFFF00", "onPrimary": "#FFFFFF"}}"##
            .write(toFile: file, atomically: true, encoding: .utf8)
        let set = try await run("application", "theme", "set", id, file)
        #expect(set.status == 0 && set.output.contains("The theme is set."), "\(set.errors)")
        #expect(set.errors.contains("hard to read, light: onPrimary on primary"), "\(set.errors)")
        let shown = try await run("application", "theme", "show", id)
        #expect(shown.output.contains("Hoshi") && shown.output.contains("#FFFF00"))
        #expect(try await run("application", "theme", "remove", id).status == 0)
        let missing = try await run("application", "theme", "set", id, folder.path + "/nowhere.json")
        #expect(missing.status == 1 && missing.errors.contains("nowhere.json cannot be read."), "\(missing.errors)")
        try Data("{".utf8).write(to: URL(fileURLWithPath: file))
        let broken = try await run("application", "theme", "set", id, file)
        #expect(broken.status == 2 && !broken.errors.contains("theme: :"), "\(broken.errors)")
        #expect(try await !run("application", "theme", "show", id).output.contains("Hoshi"))
    }

    @Test(
        "take no theme that pages could not show",
        arguments: [
            "no JSON", #"{"light": {"primary": "red"}}"#, #"{"logo": "missing.png"}"#,
            #"{"logo": "https://example.com/logo.png"}"#, #"{"brandd": "Hoshi"}"#,
            ##"{"dark": {"primry": "#7BD8A6"}}"##,
        ])
    func wrongTheme(json: String) async throws {
        let id = try await application()
        let file = folder.path + "/theme.json"
        try json.write(toFile: file, atomically: true, encoding: .utf8)
        let refused = try await run("application", "theme", "set", id, file)
        #expect(refused.status != 0 && !refused.errors.isEmpty && refused.output.isEmpty, "\(refused.output)")
        #expect(try await !run("application", "theme", "show", id).output.contains("logo\""))
    }
}
