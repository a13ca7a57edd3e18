import Domain
import Foundation
import HTTPSupport
import HTTPTypes
import Hummingbird
import OkaeriWire
import PageSupport

/// `/dashboard/app/ID/look`: the theme of the hosted pages, how it looks, and where it is hard to read.
struct LookPage: DashboardPage {
    let permission: AdminPermission? = .readSettings

    func respond(to visit: DashboardVisit) async throws -> Response {
        guard visit.isPost else { return try draw(visit, .none, fault: nil) }
        let (form, who) = (try await visit.visit.form(), try visit.acting(.changeSettings))
        let application = try visit.place()
        do {
            if form.text("act") == "remove" {
                try await visit.useCases.changeTheme(of: application.id, to: nil, by: who)
            } else {
                let draft = try ThemeForm.draft(form, over: application.settings.theme)
                try await visit.useCases.changeTheme(of: application.id, to: draft.value, by: who)
            }
            return visit.redirect(to: "\(visit.path("look"))?done=saved")
        } catch {
            guard case DomainError.fieldsRefused = error else { throw error }
            return try draw(visit, form, fault: visit.text("look.bad"))
        }
    }

    private func draw(_ visit: DashboardVisit, _ form: FormValues, fault: String?) throws -> Response {
        let theme = try visit.place().settings.theme.flatMap { Theme(stored: $0) } ?? Theme()
        let view = ThemeForm(visit: visit, theme: theme, form: form)
        var model: PageTemplates.Model = [
            "fields": view.fields.map(\.model), "colours": view.colours,
            "canChange": visit.access?.may(.changeSettings) == true, "isOwn": visit.application?.settings.theme != nil,
            "preview": visit.path("look/preview"), "picture": theme.logo != nil || theme.backgroundImage != nil,
            "faults": theme.contrastFaults().map { visit.words(for: $0) },
        ]
        model["hasFaults"] = !theme.contrastFaults().isEmpty
        if visit.visit.query.text("done") == "saved", fault == nil { model["notice"] = visit.text("settings.saved") }
        if let fault { model["summary"] = PageSummary(title: fault, errors: []).model }
        return try visit.html(
            "look", title: visit.text("nav.look"), model, status: fault == nil ? .ok : .unprocessableContent
        ).withFrames()
    }
}

/// `/dashboard/app/ID/look/preview`: a screen in the theme that is stored, or in the one that the form sends.
struct LookPreviewPage: DashboardPage {
    let permission: AdminPermission? = .readSettings

    func respond(to visit: DashboardVisit) async throws -> Response {
        let stored = try visit.place().settings.theme
        var theme = stored.flatMap { Theme(stored: $0) } ?? Theme()
        if visit.isPost {
            do {
                theme = try ThemeForm.draft(try await visit.visit.form(), over: stored).theme
            } catch {
                guard case DomainError.fieldsRefused = error else { throw error }
                return visit.framed("<!DOCTYPE html><p>\(visit.text("look.bad").markedUp)</p>")
            }
        }
        let faults = theme.contrastFaults().map {
            "<li>\((visit.words(for: $0)["text"] as? String ?? "").markedUp)</li>"
        }
        let warning =
            faults.isEmpty
            ? "" : "<div class=warning><b>\(visit.text("look.hard").markedUp)</b><ul>\(faults.joined())</ul></div>"
        func word(_ name: String) -> String { visit.text("look.sample.\(name)").markedUp }
        let brand = (theme.brand ?? visit.application?.name ?? "").markedUp
        return visit.framed(
            """
            <!DOCTYPE html><html lang="\(visit.visit.language.rawValue)"><meta charset="utf-8"><title>\(brand)</title>
            <meta name="color-scheme" content="light dark"><style>\(theme.style(backgroundPath: nil))
            body{margin:0;padding:1.5rem;background:var(--okaeri-background);color:var(--okaeri-text);font:1rem/1.55 \
            var(--okaeri-font)}main{max-width:21rem;margin:auto;padding:1.5rem;background:var(--okaeri-surface);\
            border-radius:calc(var(--okaeri-radius)*1.6);display:grid;gap:.9rem}h1,p{margin:0}p{color:\
            var(--okaeri-muted-text)}input{font:inherit;padding:.6rem;border:1px solid var(--okaeri-border);border-radius:\
            var(--okaeri-radius);background:var(--okaeri-surface);color:var(--okaeri-text)}button{font:inherit;\
            font-weight:650;padding:.7rem;border:0;border-radius:var(--okaeri-button-radius);background:\
            var(--okaeri-primary);color:var(--okaeri-on-primary)}button+button{background:var(--okaeri-secondary);color:\
            var(--okaeri-on-secondary)}a{color:var(--okaeri-link)}.bad{color:var(--okaeri-danger)}.good{color:\
            var(--okaeri-success)}.warning{max-width:21rem;margin:0 auto 1rem;padding:.8rem 1rem;background:#fff4ce;color:\
            #402d00;border-radius:8px;font-size:.9rem}.warning ul{margin:.4rem 0 0;padding-left:1.1rem}</style>
            \(warning)<main><b>\(brand)</b><h1>\(word("title"))</h1><p>\(word("lead"))</p>
            <input aria-label="\(word("field"))" value="hanako@example.com"><span class="bad">\(word("bad"))</span>
            <button>\(word("button"))</button><button>\(word("second"))</button>
            <a href="#">\(word("link"))</a><span class="good">\(word("good"))</span></main></html>
            """)
    }
}

/// A theme as fields of a form. Pictures and texts stay what they are, as the command line has set them.
struct ThemeForm {
    let visit: DashboardVisit
    let theme: Theme
    let form: FormValues

    private static let shapes = ["rounded", "capsule", "square"]
    private static let fonts = ["system", "serif", "rounded", "monospaced"]

    /// - Throws: `fieldsRefused`.
    static func draft(_ form: FormValues, over stored: JSONValue?) throws(DomainError) -> ThemeDraft {
        var members: [String: JSONValue] = [:]
        if case .object(let kept)? = stored { members = kept }
        func set(_ name: String, _ value: JSONValue?) { members[name] = value }
        set("brand", form.text("brand").isEmpty ? nil : .string(form.text("brand")))
        let radius = form.text("cornerRadius")
        guard radius.isEmpty || Int(radius) != nil else {
            throw .fieldsRefused([FieldFault(field: "theme.cornerRadius", rule: .notOffered)])
        }
        set("cornerRadius", Int(radius).map { .integer(Int64($0)) })
        set("buttonShape", form.text("buttonShape").isEmpty ? nil : .string(form.text("buttonShape")))
        set("font", form.text("font").isEmpty ? nil : .string(form.text("font")))
        for appearance in Theme.Appearance.allCases {
            var colours: [String: JSONValue] = [:]
            for token in Theme.ColourToken.allCases {
                let text = form.text("\(appearance.rawValue).\(token.rawValue)")
                // The standard colour is none of the theme's own.
                let standard = Theme().colour(token, in: appearance).hex
                if !text.isEmpty, text.uppercased() != standard.uppercased() { colours[token.rawValue] = .string(text) }
            }
            set(appearance.rawValue, colours.isEmpty ? nil : .object(colours))
        }
        if !form.text("noPictures").isEmpty {
            set("logo", nil)
            set("backgroundImage", nil)
        }
        return try ThemeDraft(.object(members))
    }

    var fields: [PageField] {
        func choices(_ words: [String]) -> [(value: String, label: String)] {
            [("", visit.text("look.standard"))] + words.map { ($0, visit.text("look.\($0)")) }
        }
        func field(
            _ name: String, _ value: String, _ kind: PageField.Kind = .text, _ words: [String] = [], hint: String? = nil
        ) -> PageField {
            PageField(
                name, label: visit.text("look.\(name)"), kind: kind, value: form[name] ?? value, hint: hint,
                isRequired: false, choices: words.isEmpty ? [] : choices(words))
        }
        var fields = [
            field("brand", theme.brand ?? ""),
            field(
                "cornerRadius", theme.cornerRadius.map(String.init) ?? "", .number,
                hint: visit.text("look.cornerRadiusHint")),
            field("buttonShape", theme.buttonShape?.rawValue ?? "", .select, Self.shapes),
            field("font", theme.font?.rawValue ?? "", .select, Self.fonts),
        ]
        if theme.logo != nil || theme.backgroundImage != nil { fields.append(field("noPictures", "", .checkbox)) }
        return fields
    }

    var colours: [PageTemplates.Model] {
        Theme.ColourToken.allCases.map { token in
            func value(_ appearance: Theme.Appearance) -> String {
                form["\(appearance.rawValue).\(token.rawValue)"] ?? theme.colour(token, in: appearance).hex
            }
            return [
                "token": token.rawValue, "label": visit.text("look.colour.\(token.rawValue)"), "light": value(.light),
                "dark": value(.dark),
            ]
        }
    }
}

extension DashboardVisit {
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
