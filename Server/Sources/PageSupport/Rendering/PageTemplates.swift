import EmbeddedFiles
import HTTPSupport
import Mustache

/// Templates, compiled when the program starts. Values are escaped for HTML, in elements and in quoted attributes.
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
        MustacheContentTypes.register(EscapedByBytes(), named: EscapedByBytes.name)
        let sources = Self.shared.merging(own) { $1 }
        var library = MustacheLibrary()
        for (name, bytes) in sources {
            guard let text = String(validating: bytes, as: UTF8.self) else { throw Fault.notUTF8(name: name) }
            // Each template says it for itself: Mustache begins a part with its own way to escape.
            try library.register("{{% CONTENT_TYPE: \(EscapedByBytes.name)}}\n\(text)", named: name)
        }
        self.library = library
        names = Set(sources.keys)
    }

    /// - Throws: `Fault.unknown`.
    package func render(_ name: String, _ model: Model) throws -> String {
        guard names.contains(name), let text = library.render(model, withTemplate: name) else {
            throw Fault.unknown(name: name)
        }
        return text
    }

    /// The parts that all pages are made of.
    private static var shared: [String: [UInt8]] {
        EmbeddedFiles.folder("PageSupport/Templates", ending: ".mustache")
    }
}

/// Mustache's own way to escape compares Swift's characters, and leaves what is joined with another sign as it is.
private struct EscapedByBytes: MustacheContentType {
    static let name = "BYTES"

    func escapeText(_ text: String) -> String { HTMLText.escaped(text) }
}
