package import Domain

/// Mails as HTML: plain, without pictures or anything else that is fetched.
package struct HTMLMailRenderer: MailRenderer {
    package init() {}

    /// The page of a template; one without HTML gets it from its text.
    package func page(
        of template: MailTemplate, in language: MailLanguage, _ values: [MailValue: String]
    ) -> String {
        if let html = template.html { return MailTemplate.fill(html) { Self.escaped(values[$0] ?? "") } }
        let paragraphs = template.text.replacing("\r\n", with: "\n").split(separator: "\n\n").map { paragraph in
            let words = MailTemplate.fill(Self.escaped(String(paragraph))) { Self.show($0, values[$0] ?? "") }
            return "<p>\(words.replacing("\n", with: "<br>\n"))</p>"
        }
        let title = MailTemplate.fill(Self.escaped(template.subject)) { Self.escaped(values[$0] ?? "") }
        return """
            <!DOCTYPE html>
            <html lang="\(language.rawValue)">
            <head><meta charset="utf-8"><title>\(title)</title></head>
            <body style="margin:0;padding:24px;font-family:sans-serif;font-size:16px;line-height:1.6;color:#222">
            <div style="max-width:36em;margin:0 auto">
            \(paragraphs.joined(separator: "\n"))
            </div>
            </body>
            </html>

            """
    }

    private static func show(_ value: MailValue, _ text: String) -> String {
        switch value {
        case .code:
            #"<strong style="font-family:monospace;font-size:22px;letter-spacing:2px">\#(escaped(text))</strong>"#
        case .link: #"<a href="\#(escaped(text))">\#(escaped(text))</a>"#
        case .application, .minutes, .duration, .email: escaped(text)
        }
    }

    /// A text as HTML shows it, in elements and in attributes.
    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
