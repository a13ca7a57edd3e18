import Domain
import HTTPSupport
import HTTPTypes
import Hummingbird
import OkaeriWire
import PageSupport

/// `/dashboard/app/ID/look`: the theme of the hosted pages, how it looks, and where it is hard to read.
struct ThemePage: DashboardPage {
    let permission: AdminPermission? = .readSettings

    func respond(to visit: DashboardRequest) async throws -> Response {
        guard visit.isPost else { return try draw(visit, .none, faults: []) }
        let (sent, who) = (try await visit.formWithFiles(), try visit.auditActor(.changeSettings))
        let form = sent.fields
        let application = try visit.place()
        do {
            if form.text("act") == "remove" {
                try await visit.useCases.changeTheme(of: application.id, to: nil, by: who)
            } else {
                let draft = try ThemeForm.draft(sent, over: application.settings.theme)
                try await visit.useCases.changeTheme(of: application.id, to: draft.value, by: who)
            }
            return visit.redirect(to: "\(visit.path("look"))?done=saved")
        } catch {
            guard let faults = error.validationErrors else { throw error }
            return try draw(visit, form, faults: faults)
        }
    }

    private func draw(_ visit: DashboardRequest, _ form: FormValues, faults: [ValidationError]) throws -> Response {
        let theme = try visit.place().settings.theme.flatMap { Theme(stored: $0) } ?? Theme()
        let view = ThemeForm(visit: visit, theme: theme, form: form)
        var model: PageTemplates.Model = [
            "fields": view.fields.map(\.model), "colours": view.colours, "pictures": view.pictures(faults),
            "texts": view.texts(faults).map(\.model),
            "canChange": visit.access?.may(.changeSettings) == true, "isOwn": visit.application?.settings.theme != nil,
            "preview": visit.path("look/preview"),
            "faults": theme.contrastFaults().map { visit.words(for: $0) },
        ]
        model["hasTexts"] = !theme.texts.isEmpty || faults.contains { $0.field.hasPrefix("theme.texts") }
        model["hasFaults"] = !theme.contrastFaults().isEmpty
        if visit.visit.query.text("done") == "saved", faults.isEmpty { model["notice"] = visit.text("settings.saved") }
        if !faults.isEmpty {
            model["summary"] =
                PageSummary(
                    title: visit.text("look.bad"), errors: faults.map { (ThemeForm.field($0), view.words($0)) }
                ).model
        }
        return try visit.html(
            "look", title: visit.text("nav.look"), model, status: faults.isEmpty ? .ok : .unprocessableContent
        ).withFrames()
    }
}

/// `/dashboard/app/ID/look/preview`: a screen in the theme that is stored, or in the one that the form sends.
struct LookPreviewPage: DashboardPage {
    let permission: AdminPermission? = .readSettings

    func respond(to visit: DashboardRequest) async throws -> Response {
        let stored = try visit.place().settings.theme
        var theme = stored.flatMap { Theme(stored: $0) } ?? Theme()
        if visit.isPost {
            do {
                theme = try ThemeForm.draft(try await visit.formWithFiles(), over: stored).theme
            } catch {
                guard (error as? DomainError)?.code == .fieldsRefused else { throw error }
                return visit.framed("<!DOCTYPE html><p>\(visit.text("look.bad").markedUp)</p>")
            }
        }
        let faults = theme.contrastFaults().map {
            "<li>\((visit.words(for: $0)["text"] as? String ?? "").markedUp)</li>"
        }
        let warning =
            faults.isEmpty
            ? "" : "<div class=warning><b>\(visit.text("look.hard").markedUp)</b><ul>\(faults.joined())</ul></div>"
        let own = theme.texts[visit.visit.language.rawValue] ?? [:]
        func word(_ name: String, _ text: String? = nil) -> String {
            (text.flatMap { own[$0] } ?? visit.text("look.sample.\(name)")).markedUp
        }
        let brand = (theme.brand ?? visit.application?.name ?? "").markedUp
        // Of letters that end no attribute: `ThemePicture` has seen to it.
        let logo = theme.logo?.inlineText.map { "<img src=\"\($0)\" alt=\"\(brand)\">" } ?? "<b>\(brand)</b>"
        return visit.framed(
            """
            <!DOCTYPE html><html lang="\(visit.visit.language.rawValue)"><meta charset="utf-8"><title>\(brand)</title>
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
                "look.fault",
                [
                    "appearance": text("look.\(fault.appearance.rawValue)"),
                    "front": text("look.colour.\(fault.pair.front.rawValue)"),
                    "back": text("look.colour.\(fault.pair.back.rawValue)"),
                    "ratio": String((fault.ratio * 10).rounded() / 10), "minimum": String(fault.pair.minimum),
                ])
        ]
    }
}
