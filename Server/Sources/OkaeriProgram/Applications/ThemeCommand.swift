import ArgumentParser
import Domain
import Foundation
import HTTPSupport
import OkaeriWire

/// `okaeri application theme …`
struct ThemeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "theme",
        abstract: "Show or change how an application's pages and screens look.",
        discussion: """
            A theme is a JSON file, the same for pages and apps. All of it may be left out:

              {"brand": "Hoshi", "logo": "logo.png", "backgroundImage": "stars.webp",
               "cornerRadius": 12,
               "buttonShape": "capsule", "font": "rounded",
               "light": {"primary": "#0A5C36", "onPrimary": "#FFFFFF"},
               "dark": {"primary": "#7BD8A6"},
               "texts": {"ja": {"logIn.title": "おかえりなさい"}}}

            Colours: \(Theme.ColourToken.allCases.map(\.rawValue).joined(separator: ", ")).
            Pictures are files beside the theme (PNG, JPEG, WebP, GIF), or data: addresses.

            Examples:
              okaeri application theme set 00VHj9mrbT8wn7Qk theme.json
              okaeri application theme show 00VHj9mrbT8wn7Qk
            """,
        subcommands: [SetThemeCommand.self, ShowThemeCommand.self, RemoveThemeCommand.self])
}

/// `okaeri application theme set`
struct SetThemeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Give an application a theme, and tell where it is hard to read.",
        discussion: """
            Example:
              okaeri application theme set 00VHj9mrbT8wn7Qk theme.json
            """)

    static let maximumLogoBytes = 16 * 1024
    static let maximumBackgroundBytes = 64 * 1024

    @Argument(help: "The application's id.")
    var id: String

    @Argument(help: "The file with the theme.")
    var file: String

    @OptionGroup var storage: StorageOptions

    func run() async throws {
        let id = Identifier<Application>(rawValue: id)
        let address = URL(fileURLWithPath: file)
        guard let bytes = FileManager.default.contents(atPath: file) else {
            throw CommandFault.failed("\(file) cannot be read.")
        }
        var theme: Theme
        do {
            theme = try JSONDecoder().decode(Theme.self, from: bytes)
        } catch {
            throw CommandFault.usage("\(file) is no theme: \(Self.words(for: error))")
        }
        let sent = try JSONDecoder().decode(JSONValue.self, from: bytes)
        if let unknown = ThemeDraft.unknownMember(of: sent, beside: try Self.stored(theme)) {
            throw CommandFault.usage(
                "\(file) is no theme: \(MemberFault.printable(unknown.path)) is nothing that a theme has.")
        }
        theme.logo = try embedded(theme.logo, beside: address, maximumBytes: Self.maximumLogoBytes)
        theme.backgroundImage = try embedded(
            theme.backgroundImage, beside: address, maximumBytes: Self.maximumBackgroundBytes)
        for (screen, picture) in theme.backgroundImages {
            theme.backgroundImages[screen] = try embedded(
                picture, beside: address, maximumBytes: Self.maximumBackgroundBytes)
        }
        guard theme.backgroundImages.values.reduce(0, { $0 + $1.text.utf8.count }) * 3 / 4 <= 256 * 1024 else {
            throw CommandFault.usage("The backgrounds of single screens are larger than 256 KiB together.")
        }
        let stored = try Self.stored(theme)
        _ = try await storage.perform(.changeTheme) { modules, who throws(DomainError) in
            try await modules.applications.changeTheme(of: id, to: stored, by: who)
        }
        for fault in theme.contrastFaults() {
            Console.tell(
                "hard to read, \(fault.appearance.rawValue): \(fault.pair.front.rawValue) on \(fault.pair.back.rawValue) has "
                    + "a contrast of \((fault.ratio * 10).rounded() / 10), and needs \(fault.pair.minimum) (WCAG 2.2 AA)"
            )
        }
        Console.write("The theme is set.")
    }

    /// A picture with its bytes in it, since pages load nothing from elsewhere.
    private func embedded(_ picture: ThemePicture?, beside address: URL, maximumBytes: Int) throws -> ThemePicture? {
        guard let picture else { return nil }
        switch picture.place {
        case .inline(_, let base64):
            guard base64.utf8.count * 3 / 4 <= maximumBytes else {
                throw CommandFault.usage("A picture is larger than \(maximumBytes) bytes.")
            }
            return picture
        case .remote:
            throw CommandFault.usage("Pages load no pictures from elsewhere: name a file beside the theme.")
        case .asset(let name):
            let file = address.deletingLastPathComponent().appendingPathComponent(name)
            let types = [
                "png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "webp": "image/webp", "gif": "image/gif",
            ]
            guard let type = types[file.pathExtension.lowercased()],
                let data = FileManager.default.contents(atPath: file.path)
            else { throw CommandFault.usage("\(file.path) is no PNG, JPEG, WebP or GIF file.") }
            guard data.count <= maximumBytes,
                let embedded = ThemePicture("data:\(type);base64,\(data.base64EncodedString())")
            else { throw CommandFault.usage("\(name) is larger than \(maximumBytes) bytes.") }
            return embedded
        }
    }

    private static func stored(_ theme: Theme) throws -> JSONValue {
        try JSONDecoder().decode(JSONValue.self, from: JSONEncoder().encode(theme))
    }

    private static func words(for error: any Error) -> String {
        guard let fault = error as? DecodingError else { return error.systemReason }
        switch fault {
        case .dataCorrupted(let context), .typeMismatch(_, let context), .valueNotFound(_, let context),
            .keyNotFound(_, let context):
            let path = context.codingPath.map(\.stringValue).joined(separator: ".")
            return path.isEmpty ? context.debugDescription : "\(path): \(context.debugDescription)"
        @unknown default: return "it cannot be read."
        }
    }
}

/// `okaeri application theme show`
struct ShowThemeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Print an application's theme.",
        discussion: """
            Example:
              okaeri application theme show 00VHj9mrbT8wn7Qk
            """)

    @Argument(help: "The application's id.")
    var id: String

    @OptionGroup var storage: StorageOptions

    func run() async throws {
        let id = Identifier<Application>(rawValue: id)
        let application = try await storage.perform(.readSettings) { modules, who throws(DomainError) in
            try await modules.applications.findApplication(id)
        }
        Console.write(json: application.settings.theme ?? .object([:]))
    }
}

/// `okaeri application theme remove`
struct RemoveThemeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Go back to the standard theme.",
        discussion: """
            Example:
              okaeri application theme remove 00VHj9mrbT8wn7Qk
            """)

    @Argument(help: "The application's id.")
    var id: String

    @OptionGroup var storage: StorageOptions

    func run() async throws {
        let id = Identifier<Application>(rawValue: id)
        _ = try await storage.perform(.changeTheme) { modules, who throws(DomainError) in
            try await modules.applications.changeTheme(of: id, to: nil, by: who)
        }
        Console.write("The theme is the standard one.")
    }
}
