public import Foundation
import Okaeri

/// What a person can do on the screen that ends an account.
public enum DeletionEvent: Hashable, Sendable {
    /// Something in the form.
    case form(FormEvent)
    /// Get everything that is stored first.
    case export
    /// Bring the account back.
    case restore
}

/// The screen that ends an account: what happens, one's data first, a word that confirms, and the way back.
public struct DeletionModel: FormScreen {
    /// Its one field: the word that confirms.
    public package(set) var form: ScreenForm
    /// When everything is erased, once that was asked for.
    public private(set) var erasedAt: Date?
    /// Everything about the user, once it was asked for.
    public private(set) var exported: Data?
    /// Whether the account has come back.
    public private(set) var isRestored = false
    /// The word that confirms.
    public let word: String

    /// Makes the screen.
    ///
    /// - Parameter word: The word that confirms, in the person's language; see ``TextKey/deletionWord``.
    public init(word: String) {
        self.word = word
        // Case and width are no reason to try again: see `handle`.
        let rule = FieldRule(isRequired: true, [.oneOf([word])])
        form = ScreenForm([
            FormField(.confirmation, .text, label: .key(.deletionConfirmation, ["word": word]), rule: rule)
        ])
    }

    /// Which screen it is.
    public var screen: ScreenName { .deletion }
    /// Whether the word stands there.
    public var isConfirmed: Bool { form.text(of: .confirmation) == word }

    /// The screen appears.
    public mutating func begin() -> [ScreenEffect] { [] }

    /// Takes an event.
    public mutating func handle(_ event: DeletionEvent) -> [ScreenEffect] {
        switch event {
        case .form(.typed(.confirmation, let text)):
            let typed = text.trimmingCharacters(in: .whitespaces)
            let isMeant = typed.countAtServer < 100 && typed.foldedForComparison == word.foldedForComparison
            return handleForm(.typed(.confirmation, isMeant ? word : text))
        case .form(.submit) where erasedAt != nil, .form(.returned) where erasedAt != nil: return []
        case .form(let event): return handleForm(event)
        case .export: return erasedAt == nil ? form.run(.exportUser) : []
        case .restore: return erasedAt == nil || isRestored ? [] : form.run(.restoreUser)
        }
    }

    /// Takes a report.
    public mutating func take(_ report: ScreenReport) -> [ScreenEffect] { takeForm(report) }

    package func request(at instant: Date) -> ScreenRequest? { erasedAt == nil ? .deleteUser : nil }

    package func outcome(of response: ScreenResponse, to request: ScreenRequest) -> ScreenOutcome? {
        switch response {
        case .erasedAt(let date): .deletionRequested(erasedAt: date)
        case .export(let data): .exported(data)
        case .welcome(let welcome): .restored(welcome)
        default: nil
        }
    }

    package mutating func arrive(_ response: ScreenResponse, to request: ScreenRequest, at instant: Date)
        -> [ScreenEffect]
    {
        switch response {
        case .erasedAt(let date):
            erasedAt = date
            form.fields = []
        case .export(let data): exported = data
        case .welcome(let welcome):
            isRestored = true
            form.finish()
            form.show(ScreenBanner(.success, .key(.deletionRestored)))
            return [.show(.home(welcome.user))]
        default: break
        }
        return []
    }
}

extension String {
    /// The text without what keyboards make different: case and width.
    var foldedForComparison: String { compatible.lowercased() }
}
