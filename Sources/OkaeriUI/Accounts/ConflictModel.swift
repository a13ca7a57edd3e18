public import Foundation
public import Okaeri

/// What a person can do on the screen for two accounts.
public enum ConflictEvent: Hashable, Sendable {
    /// The dismiss button, and what else all screens know.
    case form(FormEvent)
    /// Look at both accounts once more, after a failure.
    case reload
    /// What to do with them.
    case chosen(MergeChoice)
    /// Do it.
    case confirmed
    /// Take the merge apart again.
    case undo
    /// Leave the merge as it is, or apart, and go on.
    case finished
}

/// The screen for two accounts of one person: both are shown, one is chosen, or they are brought together.
public struct ConflictModel: FormScreen {
    /// Where things stand; it has no fields.
    public package(set) var form = ScreenForm()
    /// Both accounts, and what a merge would make of them.
    public private(set) var preview: MergePreview?
    /// What the person has chosen.
    public private(set) var choice: MergeChoice?
    /// How it ended.
    public private(set) var result: MergeResult?
    /// Whether the merge was undone.
    public private(set) var isUndone = false
    /// Who is logged in after that.
    private var userAfterUndo: User?
    private let conflict: MergeConflict

    /// Makes the screen.
    public init(_ conflict: MergeConflict) {
        self.conflict = conflict
    }

    /// Which screen it is.
    public var screen: ScreenName { .conflict }
    /// Until when it can be decided.
    public var expiresAt: Date { conflict.expiresAt }
    /// What the server does with them: it brings a guest's account into another one, but a registered user's into none.
    public var choices: [MergeChoice] {
        guard let preview else { return [] }
        return preview.current.isAnonymous ? [.keep, .switch, .merge] : [.keep, .switch]
    }
    /// Whether the choice can be confirmed.
    public var canConfirm: Bool { form.isEnabled && preview != nil && choice != nil && result == nil }
    /// Whether the merge can be taken apart.
    public var canUndo: Bool { form.phase != .running && result?.merge != nil && !isUndone }

    /// The screen appears: it asks for both accounts.
    public mutating func begin() -> [ScreenEffect] { form.run(.preview(conflict)) }

    /// Takes an event.
    public mutating func handle(_ event: ConflictEvent) -> [ScreenEffect] {
        switch event {
        case .form(let event): return handleForm(event)
        case .reload: return preview == nil ? form.run(.preview(conflict)) : []
        case .chosen(let choice):
            if form.isEnabled, result == nil, choices.contains(choice) { self.choice = choice }
            return []
        case .confirmed:
            guard canConfirm, let choice else { return [] }
            return form.run(.resolve(conflict, choice))
        case .undo:
            guard canUndo, let merge = result?.merge else { return [] }
            return form.run(.undoMerge(merge))
        case .finished:
            guard form.isEnabled, let user = result.map({ userAfterUndo ?? $0.user }) else { return [] }
            form.finish()
            return [.show(.home(user))]
        }
    }

    /// Takes a report.
    public mutating func take(_ report: ScreenReport) -> [ScreenEffect] { takeForm(report) }

    package func request(at instant: Date) -> ScreenRequest? { nil }

    package func outcome(of response: ScreenResponse, to request: ScreenRequest) -> ScreenOutcome? {
        switch response {
        case .resolved(let result): .resolved(result)
        case .mergeUndone: .mergeUndone
        default: nil
        }
    }

    package mutating func arrive(_ response: ScreenResponse, to request: ScreenRequest, at instant: Date)
        -> [ScreenEffect]
    {
        switch response {
        case .preview(let preview): self.preview = preview
        case .resolved(let result):
            self.result = result
            // A merge stays on the screen, so that it can be undone; all else is over.
            guard result.merge != nil else { return [.show(.home(result.user))] }
            form.show(ScreenBanner(.success, .key(.conflictDone)))
        case .mergeUndone(let user):
            isUndone = true
            userAfterUndo = user
            form.show(ScreenBanner(.success, .key(.conflictUndone)))
        default: break
        }
        return []
    }
}
