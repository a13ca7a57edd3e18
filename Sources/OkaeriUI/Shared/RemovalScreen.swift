/// What a person can do on a screen with a list from which items are removed.
public enum RemovalEvent: Hashable, Sendable {
    /// The dismiss button, and what else all screens know.
    case form(FormEvent)
    /// Ask the server once more.
    case reload
    /// Remove the item with that id: it is asked first. Nothing happens for an item that cannot be removed.
    case remove(String)
    /// Remove all others: it is asked first.
    case removeOthers
    /// "Yes."
    case confirmed
    /// "No, don't."
    case refused
}

/// A removal that the person is asked about before it happens.
public enum Removal<Item: Hashable & Sendable>: Hashable, Sendable {
    /// Of this item.
    case remove(Item)
    /// Of all others.
    case removeOthers
}

/// The items of a list, and the question that is open.
package struct RemovalList<Item: Hashable & Sendable & Identifiable>: Hashable, Sendable {
    /// `nil` until the server has responded.
    package var items: [Item]?
    package var question: Removal<Item>?

    package init() {}

    /// Takes an item off the list that is no longer on the server.
    package mutating func drop(_ id: Item.ID) { items?.removeAll { $0.id == id } }
}

/// A screen with a list from which one item, or all others together, are removed after a question.
package protocol RemovalScreen: FormScreen {
    associatedtype Item: Hashable & Sendable & Identifiable where Item.ID == String
    var list: RemovalList<Item> { get set }
    /// What asks the server for the list.
    var listRequest: ScreenRequest { get }
    func isRemovable(_ item: Item) -> Bool
    /// Whether the item goes when all others are removed.
    func isOther(_ item: Item) -> Bool
    /// What removes it on the server.
    func request(for removal: Removal<Item>) -> ScreenRequest
}

extension RemovalScreen {
    /// Whether there is something that "all others" removes.
    package var listHasOthers: Bool { list.items?.contains(where: isOther) ?? false }

    /// Takes an event.
    package mutating func handleList(_ event: RemovalEvent) -> [ScreenEffect] {
        if case .form(let event) = event { return handleForm(event) }
        guard form.isEnabled else { return [] }
        switch event {
        case .form: break
        case .reload: return form.run(listRequest)
        case .remove(let id): list.question = list.items?.first { $0.id == id && isRemovable($0) }.map(Removal.remove)
        case .removeOthers: list.question = listHasOthers ? .removeOthers : nil
        case .refused: list.question = nil
        case .confirmed:
            guard let removal = list.question else { break }
            list.question = nil
            return form.run(request(for: removal))
        }
        return []
    }
}
