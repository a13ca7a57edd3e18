package import Foundation
import Okaeri

/// What an event in a form comes to.
package enum FormStep: Hashable, Sendable {
    case nothing
    case submitted
    case dismissed
    /// Ask the server once more.
    case again(ScreenRequest)
    /// What a response led to that came while the screen was gone.
    case missed([ScreenEffect])
}

extension ScreenForm {
    /// Takes an event.
    package mutating func handle(_ event: FormEvent) -> FormStep {
        switch event {
        case .typed(let id, let text): type(text, in: id)
        case .ticked(let id, let isOn): type(isOn ? "true" : "", in: id)
        case .focused(let id): focus = id
        case .revealed(let id, let isRevealed): change(id) { $0.isRevealed = isRevealed && $0.kind.isSecret }
        case .returned(let id):
            guard isEnabled else { break }
            guard let next = next(after: id) else { return canSubmit ? .submitted : .nothing }
            focus = next
        case .submit:
            if canSubmit { return .submitted }
        case .dismiss:
            guard phase != .running, phase != .abandoned else { break }
            leave()
            return .dismissed
        case .disappeared: leave()
        case .appeared: return comeBack()
        case .presenceProved:
            // Once: a screen that comes back hears of the same proof again.
            if phase == .idle, let request = awaitingPresence { return .again(request) }
        }
        return .nothing
    }

    /// The screen is gone: what is under way ends without it.
    private mutating func leave() {
        switch phase {
        case .running: phase = .abandoned
        case .asking:
            attempt += 1
            phase = .idle
        case .idle, .abandoned, .done: break
        }
    }

    /// The screen is there again, after another one or in a tab: what is under way goes on with it.
    private mutating func comeBack() -> FormStep {
        if phase == .abandoned { phase = .running }
        defer { missed = [] }
        return missed.isEmpty ? .nothing : .missed(missed)
    }

    private mutating func type(_ text: String, in id: FieldID) {
        guard isEnabled else { return }
        change(id) { field in
            let text = Self.taken(text, by: field.kind)
            guard text != field.text else { return }
            field.text = text
            field.fault = nil
        }
        rateStrength()
    }

    private static func taken(_ text: String, by kind: FieldKind) -> String {
        switch kind {
        case .oneTimeCode: CodeText.digits(text, atMost: 8)
        case .longCode: CodeText.grouped(text, atMost: 16)
        case .multiline: String(text.prefix(FormField.maximumCharacters))
        case .choice(let choices): choices.contains { $0.value == text } ? text : ""
        default: String(text.filter { !$0.isNewline }.prefix(FormField.maximumCharacters))
        }
    }

    /// A new password is rated against everything else that was typed.
    mutating func rateStrength() {
        let context = fields.filter { !$0.kind.isSecret && !$0.kind.isTicked }.map(\.text)
        for index in fields.indices where fields[index].kind == .newPassword {
            let text = fields[index].text
            fields[index].strength = text.isEmpty ? nil : PasswordStrength(of: text, context: context)
        }
    }

    mutating func change(_ id: FieldID, _ body: (inout FormField) -> Void) {
        for index in fields.indices where fields[index].id == id { body(&fields[index]) }
    }

    /// Asks the app whether it may begin.
    package mutating func ask(from screen: ScreenName) -> [ScreenEffect] {
        guard canSubmit else { return [] }
        attempt += 1
        phase = .asking
        banner = nil
        var values: [FieldID: String] = [:]
        for field in fields {
            let isTrimmed = field.kind == .email && (screen == .signUp || screen == .upgrade)
            values[field.id] = isTrimmed ? field.text.trimmingCharacters(in: .whitespacesAndNewlines) : field.text
        }
        return [ScreenEffect(.ask(Submission(screen: screen, values: values), attempt: attempt))]
    }

    /// Takes what the app says, and looks at the form's own rules.
    ///
    /// - Returns: Whether the server may be asked.
    package mutating func take(_ verdict: Verdict, _ number: Int) -> Bool {
        guard phase == .asking, number == attempt else { return false }
        phase = .idle
        switch verdict {
        case .stop: return false
        case .refuse(let texts):
            show(texts.mapValues(ValidationError.told))
            return false
        case .proceed:
            var faults: [FieldID: ValidationError] = [:]
            for field in fields { faults[field.id] = field.currentFault() }
            show(faults)
            return faults.isEmpty
        }
    }

    /// Puts faults beside their fields, takes all others away, and leads to the first one.
    package mutating func show(_ faults: [FieldID: ValidationError]) {
        for index in fields.indices { fields[index].fault = faults[fields[index].id] }
        guard let first = fields.first(where: { $0.fault != nil }) else { return }
        focus = first.id
        banner = ScreenBanner(.failure, .key(.errorSummary))
    }

    /// Shows news above the fields.
    package mutating func show(_ banner: ScreenBanner?, focus: FieldID? = nil) {
        self.banner = banner
        if let focus { self.focus = focus }
    }

    /// It went well: nothing that is secret stays in the fields.
    package mutating func finish() {
        phase = .done
        for index in fields.indices where fields[index].kind.isSecret {
            fields[index].text = ""
            fields[index].strength = nil
        }
        latest = nil
        awaitingPresence = nil
    }

    /// Asks the server.
    package mutating func run(_ request: ScreenRequest) -> [ScreenEffect] {
        guard phase == .idle else { return [] }
        attempt += 1
        phase = .running
        banner = nil
        latest = request
        awaitingPresence = nil
        return [ScreenEffect(.call(request, attempt: attempt))]
    }

    /// Whether a response counts.
    package mutating func conclude(_ number: Int) -> Landing {
        guard number == attempt else { return .tooLate }
        switch phase {
        case .running:
            phase = .idle
            return .inTime
        case .abandoned:
            phase = .idle
            return .abandoned
        case .idle, .asking, .done: return .tooLate
        }
    }

    package enum Landing: Hashable, Sendable {
        case inTime, abandoned, tooLate
    }

    /// Looks at the clock.
    ///
    /// - Returns: Whether to look again.
    package mutating func tick(at instant: Date) -> Bool { pause.tick(at: instant) }

    /// Begins to wait, when the server asked for it.
    mutating func wait(after error: OkaeriError, at instant: Date) -> Bool {
        guard case .rateLimited(let retryAfter) = error, let retryAfter, retryAfter > .zero else { return false }
        pause = ScreenCountdown(retryAfter, from: instant)
        return true
    }
}
