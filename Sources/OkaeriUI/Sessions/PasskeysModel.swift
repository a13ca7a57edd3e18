package import Foundation
public import Okaeri

/// What a person can do on the screen of their passkeys.
public enum PasskeysEvent: Hashable, Sendable {
    /// What a list with a question before removal knows, and its form.
    case list(RemovalEvent)
    /// Add one.
    case add
    /// Give that one another name: a field for it appears.
    case rename(Passkey.ID)
    /// Leave the name as it is.
    case renameCancelled
}

/// The screen of the person's passkeys: add, rename, remove.
public struct PasskeysModel: RemovalScreen {
    /// The field of a new name, while there is one.
    public package(set) var form = ScreenForm()
    package var list = RemovalList<Passkey>()
    /// The passkey that is getting another name.
    public private(set) var renamed: Passkey?

    /// Makes the screen.
    public init() {}

    /// Which screen it is.
    public var screen: ScreenName { .passkeys }
    /// The passkeys, oldest first; `nil` until the server has responded.
    public var passkeys: [Passkey]? { list.items }
    /// The question that is open.
    public var question: Removal<Passkey>? { list.question }

    package var listRequest: ScreenRequest { .passkeys }

    package func isRemovable(_ passkey: Passkey) -> Bool { true }
    /// None is the one in hand, so there are no others to remove together.
    package func isOther(_ passkey: Passkey) -> Bool { false }

    package func request(for removal: Removal<Passkey>) -> ScreenRequest {
        switch removal {
        case .remove(let passkey): .removePasskey(passkey.id)
        case .removeOthers: listRequest
        }
    }

    /// The screen appears: it asks for the list.
    public mutating func begin() -> [ScreenEffect] { form.run(listRequest) }

    /// Takes an event.
    public mutating func handle(_ event: PasskeysEvent) -> [ScreenEffect] {
        if case .list(let event) = event { return handleList(event) }
        guard form.isEnabled else { return [] }
        switch event {
        case .list: break
        case .add: return form.run(.addPasskey)
        case .rename(let id):
            guard let passkey = list.items?.first(where: { $0.id == id }) else { break }
            renamed = passkey
            form.fields = [
                FormField(
                    .custom("name"), .text, label: .key(.passkeysName),
                    rule: FieldRule(isRequired: true, [.maximumCharacters(100), .noControlCharacters]),
                    text: passkey.name)
            ]
            form.focus = .custom("name")
        case .renameCancelled: endRenaming()
        }
        return []
    }

    /// Takes a report.
    public mutating func take(_ report: ScreenReport) -> [ScreenEffect] { takeForm(report) }

    package func request(at instant: Date) -> ScreenRequest? {
        renamed.map { .renamePasskey($0.id, name: form.text(of: .custom("name"))) }
    }

    package func outcome(of response: ScreenResponse, to request: ScreenRequest) -> ScreenOutcome? {
        switch (response, request) {
        case (.passkeyAdded(let passkey, _), _): .passkeyAdded(passkey)
        case (.done, .removePasskey): .passkeyRemoved
        default: nil
        }
    }

    package mutating func arrive(_ response: ScreenResponse, to request: ScreenRequest, at instant: Date)
        -> [ScreenEffect]
    {
        switch (response, request) {
        case (.passkeys(let passkeys), _): list.items = passkeys
        case (.passkeyAdded(let passkey, _), _):
            list.drop(passkey.id)
            list.items?.append(passkey)
            form.show(ScreenBanner(.success, .key(.passkeysAdded)))
        case (.passkey(let passkey), _):
            if let index = list.items?.firstIndex(where: { $0.id == passkey.id }) { list.items?[index] = passkey }
            endRenaming()
        case (.done, .removePasskey(let id)):
            drop(id)
            form.show(ScreenBanner(.success, .key(.passkeysRemoved)))
        default: break
        }
        return []
    }

    package mutating func recover(from error: OkaeriError, to request: ScreenRequest, at instant: Date)
        -> [ScreenEffect]?
    {
        // Another device was faster: the passkey is removed already.
        guard case .passkeyRefused(.unknown) = error else { return nil }
        switch request {
        case .removePasskey(let id): drop(id)
        case .renamePasskey(let id, _): drop(id)
        default: return nil
        }
        return []
    }

    private mutating func drop(_ id: Passkey.ID) {
        list.drop(id)
        if renamed?.id == id { endRenaming() }
    }

    private mutating func endRenaming() {
        renamed = nil
        form.fields = []
        form.focus = nil
    }
}
