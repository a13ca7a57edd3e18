import Domain
import EmbeddedFiles
import HTTPSupport
import Mustache

/// Templates, compiled when the program starts. Values are escaped for HTML, in elements and in quoted attributes; a
/// `PageMarkup` alone goes into the page as it is.
package struct PageTemplates: Sendable {
    private let library: MustacheLibrary
    private let names: Set<String>

    /// What a template is filled with: texts, numbers, truth values, lists and further models.
    package typealias Model = [String: any Sendable]

    /// What is wrong with templates.
    package enum Fault: Error {
        case notUTF8(name: String)
        case unknown(name: String)
    }

    /// - Parameter own: Templates by name, beside the shared ones, which they may use and replace.
    /// - Throws: `Fault`, or what Mustache says of a template.
    package init(_ own: [String: [UInt8]]) throws {
        let sources = Self.shared.merging(own) { $1 }
        var library = MustacheLibrary()
        for (name, bytes) in sources {
            guard let text = String(validating: bytes, as: UTF8.self) else { throw Fault.notUTF8(name: name) }
            try library.register(Self.unescaped(text), named: name)
        }
        self.library = library
        names = Set(sources.keys)
    }

    /// - Throws: `Fault.unknown`.
    package func render(_ name: String, _ model: Model) throws -> String {
        guard names.contains(name), let text = library.render(EscapedModel(model), withTemplate: name) else {
            throw Fault.unknown(name: name)
        }
        return text
    }

    /// The parts that all pages are made of.
    private static var shared: [String: [UInt8]] {
        EmbeddedFiles.folder("PageSupport/Templates", ending: ".mustache")
    }

    /// A template in which each value has three braces: `EscapedModel` escapes it, and Mustache does not do so again. What
    /// Mustache does itself compares Swift's characters, and leaves what is joined with another sign as it is; another way
    /// to escape needs a lock of full Foundation, which the program for use does not have.
    private static func unescaped(_ template: String) -> String {
        var (written, rest) = ("", template[...])
        while let start = rest.firstRange(of: "{{"), let end = rest[start.upperBound...].firstRange(of: "}}") {
            let tag = rest[start.upperBound..<end.lowerBound]
            let isValue = tag.utf8.first.map { !"#^/!><$=*".utf8.contains($0) } ?? false
            written += rest[..<start.lowerBound] + (isValue ? "{{{\(tag)}}}" : "{{\(tag)}}")
            rest = rest[end.upperBound...]
        }
        return written + rest
    }
}

/// Markup that the program made, such as a drawing: it goes into a page as it is.
package struct PageMarkup: Sendable {
    let source: String

    /// - Parameter source: HTML or SVG for an element, or styles for `style`. Nothing that a stranger wrote is in it but
    ///   escaped, or as a number or colour.
    package init(_ source: String) {
        self.source = source
    }
}

/// What a template is filled with; each value is escaped when the template asks for it.
private struct EscapedModel: MustacheParent {
    private let values: [String: Any]

    init(_ values: [String: Any]) {
        self.values = values
    }

    func child(named name: String) -> Any? { values[name].map(Self.escaped) }

    private static func escaped(_ value: Any) -> Any {
        switch value {
        case let markup as PageMarkup: markup.source
        case let text as String: HTMLText.escaped(text)
        case is Bool: value
        case let model as [String: Any]: EscapedModel(model)
        case let list as [Any]: list.map(escaped)
        default: HTMLText.escaped(String(describing: value))
        }
    }
}
