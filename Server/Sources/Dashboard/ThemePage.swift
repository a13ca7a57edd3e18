import Domain
import HTTPSupport
import HTTPTypes
import Hummingbird
import OkaeriWire
import PageSupport

/// `/dashboard/app/ID/theme`: the theme of the hosted pages, how it looks, and where it is hard to read.
enum ThemePage {
    private static let page = DashboardRoute.Page("/app/{application}/theme", .readSettings)
    private static let preview = DashboardRoute.Page("/app/{application}/theme/preview", .readSettings)

    static let routes: [DashboardRoute] = [
        DashboardRoute(page) { try draw($0, .none, faults: []) },
        DashboardRoute(page, post: "save", .changeTheme) { request in
            try await change(request) { sent throws(DomainError) in
                try ThemeForm.draft(sent, over: try request.targetApplication().settings.theme).value
            }
        },
        DashboardRoute(page, post: "remove", .changeTheme) { request in
            try await change(request) { _ throws(DomainError) in nil }
        },
        DashboardRoute(preview) { try show($0, try stored($0)) },
        DashboardRoute(preview, post: "", .readSettings) { request in
            do {
                let sent = try await request.formWithFiles()
                return try show(
                    request, try ThemeForm.draft(sent, over: try request.targetApplication().settings.theme).theme)
            } catch {
                guard (error as? DomainError)?.code == .fieldsRefused else { throw error }
                return request.framed("<!DOCTYPE html><p>\(HTMLText.escaped(request.text("theme.bad")))</p>")
            }
        },
    ]

    private static func stored(_ request: DashboardRequest) throws(DomainError) -> Theme {
        try request.targetApplication().settings.theme.flatMap { Theme(stored: $0) } ?? Theme()
    }

    /// Shows the page again with what is wrong in the form, or with a notice.
    private static func change(
        _ request: DashboardRequest, to theme: (MultipartForm) throws(DomainError) -> JSONValue?
    ) async throws -> Response {
        let sent = try await request.formWithFiles()
        do {
            try await request.modules.applications.changeTheme(
                of: try request.targetApplication().id, to: try theme(sent),
                isCurrent: try request.isCurrent(sent.fields), by: try request.auditActor())
            return request.redirect(to: "\(request.path("theme"))?done=saved")
        } catch {
            if error.code == .changedMeanwhile {
                return try draw(request, sent.fields.forPresent, faults: [], isLate: true)
            }
            guard let faults = error.validationErrors else { throw error }
            return try draw(request, sent.fields, faults: faults)
        }
    }

    private static func draw(
        _ request: DashboardRequest, _ form: FormValues, faults: [ValidationError], isLate: Bool = false
    ) throws -> Response {
        let (theme, application) = (try stored(request), try request.targetApplication())
        let view = ThemeForm(request: request, theme: theme, form: form)
        var model: PageTemplates.Model = [
            "fields": view.fields(faults).map(\.model), "colours": view.colours, "pictures": view.pictures(faults),
            "texts": view.texts(faults).map(\.model),
            "canChange": request.offers(.changeTheme), "isOwn": application.settings.theme != nil,
            "preview": request.path("theme/preview"), "version": form.version(or: application.version),
            "faults": theme.contrastFaults().map { request.words(for: $0) },
        ]
        model["hasTexts"] = isLate || !theme.texts.isEmpty || faults.contains { $0.field.hasPrefix("theme.texts") }
        model["hasFaults"] = !theme.contrastFaults().isEmpty
        if request.page.query.text("done") == "saved", faults.isEmpty {
            model["notice"] = request.text("settings.saved")
        }
        if !faults.isEmpty {
            model["summary"] =
                PageSummary(
                    title: request.text("theme.bad"), errors: faults.map { (ThemeForm.field($0), view.words($0)) }
                ).model
        }
        if isLate { model["summary"] = PageSummary(title: request.text("fault.changedKept"), errors: []).model }
        return try request.html(
            "theme", title: request.text("nav.theme"), model,
            status: isLate ? .conflict : faults.isEmpty ? .ok : .unprocessableContent
        ).withFrames()
    }

    /// A screen in a theme, for the frame beside the form.
    private static func show(_ request: DashboardRequest, _ theme: Theme) throws -> Response {
        let faults = theme.contrastFaults().map {
            "<li>\(HTMLText.escaped(request.words(for: $0)["text"] as? String ?? ""))</li>"
        }
        let hard = HTMLText.escaped(request.text("theme.hard"))
        let warning =
            faults.isEmpty ? "" : "<div class=warning><b>\(hard)</b><ul>\(faults.joined())</ul></div>"
        let own = theme.texts[request.page.language.rawValue] ?? [:]
        func word(_ name: String, _ text: String? = nil) -> String {
            HTMLText.escaped(text.flatMap { own[$0] } ?? request.text("theme.sample.\(name)"))
        }
        let brand = HTMLText.escaped(theme.brand ?? request.application?.name ?? "")
        // Of letters that end no attribute: `ThemePicture` has seen to it.
        let logo = theme.logo?.inlineText.map { "<img src=\"\($0)\" alt=\"\(brand)\">" } ?? "<b>\(brand)</b>"
        return request.framed(
            """
            <!DOCTYPE html><html lang="\(request.page.language.rawValue)"><meta charset="utf-8"><title>\(brand)</title>
            <meta name="color-scheme" content="light dark"><style>\(theme.style(backgroundPath: theme.backgroundImage?.inlineText))
            body{margin:0;padding:1.5rem;background:var(--okaeri-background) var(--okaeri-picture,none) center/cover;color:var(--okaeri-text);font:1rem/1.55 \
            var(--okaeri-font)}main{max-width:21rem;margin:auto;padding:1.5rem;background:var(--okaeri-surface);\
            border-radius:calc(var(--okaeri-radius)*1.6);display:grid;gap:.9rem}h1,p{margin:0}p{color:\
            var(--okaeri-muted-text)}input{font:inherit;padding:.6rem;border:1px solid var(--okaeri-border);border-radius:\
            var(--okaeri-radius);background:var(--okaeri-surface);color:var(--okaeri-text)}button{font:inherit;\
            font-weight:650;padding:.7rem;border:0;border-radius:var(--okaeri-button-radius);background:\
            var(--okaeri-primary);color:var(--okaeri-on-primary)}button+button{background:var(--okaeri-secondary);color:\
            var(--okaeri-on-secondary)}a{color:var(--okaeri-link)}.bad{color:var(--okaeri-danger)}.good{color:\
            var(--okaeri-success)}img{max-height:3rem;max-width:12rem}.warning{max-width:21rem;margin:0 auto 1rem;padding:.8rem 1rem;background:#fff4ce;color:\
            #402d00;border-radius:8px;font-size:.9rem}.warning ul{margin:.4rem 0 0;padding-left:1.1rem}</style>
            \(warning)<main>\(logo)<h1>\(word("title", "logIn.title"))</h1><p>\(word("lead", "logIn.lead"))</p>
            <input aria-label="\(word("field"))" value="hanako@example.com"><span class="bad">\(word("bad"))</span>
            <button>\(word("button", "logIn.next"))</button><button>\(word("second", "logIn.signUp"))</button>
            <a href="#">\(word("link", "logIn.forgot"))</a><span class="good">\(word("good"))</span></main></html>
            """)
    }
}

extension DashboardRequest {
    /// Two colours that are hard to tell apart, in words.
    fileprivate func words(for fault: ContrastFault) -> PageTemplates.Model {
        [
            "text": text(
                "theme.fault",
                [
                    "appearance": text("theme.\(fault.appearance.rawValue)"),
                    "front": text("theme.colour.\(fault.pair.front.rawValue)"),
                    "back": text("theme.colour.\(fault.pair.back.rawValue)"),
                    "ratio": String((fault.ratio * 10).rounded() / 10), "minimum": String(fault.pair.minimum),
                ])
        ]
    }
}
