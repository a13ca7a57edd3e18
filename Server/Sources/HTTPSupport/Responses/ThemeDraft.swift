package import Domain
import Foundation
package import OkaeriWire

/// A theme as an operator sends it: pages load nothing from elsewhere, so that its pictures are in it.
package struct ThemeDraft: Sendable {
    package static let maximumLogoBytes = 16 * 1024
    package static let maximumBackgroundBytes = 64 * 1024
    /// Of the backgrounds of single screens together: an app reads them all with the application's profile.
    package static let maximumScreenBackgroundBytes = 256 * 1024

    package let theme: Theme
    /// What is stored.
    package let value: JSONValue

    /// - Throws: `fieldsRefused`, naming the part of the theme.
    package init(_ sent: JSONValue) throws(DomainError) {
        let read: Theme
        do {
            read = try JSONDecoder().decode(Theme.self, from: JSONEncoder().encode(sent))
        } catch {
            let path = (error as? DecodingError).map(Self.path(of:)) ?? ""
            throw .fieldsRefused([ValidationError(field: path.isEmpty ? "theme" : "theme.\(path)", rule: .notOffered)])
        }
        let pictures = [
            ("theme.logo", read.logo, Self.maximumLogoBytes),
            ("theme.backgroundImage", read.backgroundImage, Self.maximumBackgroundBytes),
        ]
        var screenBytes = 0
        let screens = read.backgroundImages.map { screen, picture in
            (
                "theme.backgroundImages.\(MemberFault.printable(screen))", picture as ThemePicture?,
                Self.maximumBackgroundBytes
            )
        }
        for (field, picture, maximum) in pictures + screens {
            guard let picture else { continue }
            guard case .inline(_, let base64) = picture.place else {
                throw .fieldsRefused([ValidationError(field: field, rule: .notOffered)])
            }
            guard base64.utf8.count * 3 / 4 <= maximum else {
                throw .fieldsRefused([ValidationError(field: field, rule: .tooManyBytes(maximum: maximum))])
            }
            if field.hasPrefix("theme.backgroundImages.") { screenBytes += base64.utf8.count * 3 / 4 }
        }
        guard screenBytes <= Self.maximumScreenBackgroundBytes else {
            throw .fieldsRefused([
                ValidationError(
                    field: "theme.backgroundImages", rule: .tooManyBytes(maximum: Self.maximumScreenBackgroundBytes))
            ])
        }
        theme = read
        // Written anew: what the theme does not know is not kept. `unknownMember` tells it to whom it matters.
        guard let bytes = try? JSONEncoder().encode(read), let value = try? JSONValue(parsing: Array(bytes)) else {
            throw .fieldsRefused([ValidationError(field: "theme", rule: .notOffered)])
        }
        self.value = value
    }

    /// The first member that a theme does not have, by the alphabet: bodies are closed, so that one that is misspelt is reported.
    ///
    /// - Parameters:
    ///   - sent: A theme as it came.
    ///   - read: What was read of it.
    /// - Returns: `nil` when all was read. A member that is null says nothing.
    package static func unknownMember(of sent: JSONValue, beside read: JSONValue) -> UnknownMember? {
        unknownPath(in: sent, beside: read).map { UnknownMember(path: $0.joined(separator: ".")) }
    }

    private static func unknownPath(in sent: JSONValue, beside read: JSONValue) -> [String]? {
        guard case .object(let members) = sent, case .object(let known) = read else { return nil }
        for (name, member) in members.sorted(by: { $0.key < $1.key }) where member != .null {
            guard let kept = known[name] else { return [name] }
            if let path = unknownPath(in: member, beside: kept) { return [name] + path }
        }
        return nil
    }

    private static func path(of fault: DecodingError) -> String {
        switch fault {
        case .dataCorrupted(let context), .typeMismatch(_, let context), .valueNotFound(_, let context),
            .keyNotFound(_, let context):
            MemberFault.printable(context.codingPath.map(\.stringValue).joined(separator: "."))
        @unknown default: ""
        }
    }
}
