package import Foundation
public import Okaeri

/// What a person can do on the screen of their authenticator apps.
public enum SecondFactorsEvent: Hashable, Sendable {
    /// What a list with a question before removal knows, and its form.
    case list(RemovalEvent)
    /// The screen is there again, after another one.
    case appeared
    /// Add an app.
    case add
    /// New recovery codes in place of all former ones.
    case replaceCodes
}

/// The screen of the person's authenticator apps: add, remove, new recovery codes.
public struct SecondFactorsModel: RemovalScreen {
    /// Where things stand; it has no fields.
    public package(set) var form = ScreenForm()
    package var list = RemovalList<SecondFactor>()
    /// How many recovery codes were not used yet.
    public private(set) var recoveryCodesLeft = 0

    /// Makes the screen.
    public init() {}

    /// Which screen it is.
    public var screen: ScreenName { .secondFactors }
    /// The apps, oldest first; `nil` until the server has responded.
    public var factors: [SecondFactor]? { list.items }
    /// The question that is open.
    public var question: Removal<SecondFactor>? { list.question }
    /// Whether there are recovery codes to replace.
    public var hasFactors: Bool { list.items?.isEmpty == false }

    package var listRequest: ScreenRequest { .secondFactors }

    package func isRemovable(_ factor: SecondFactor) -> Bool { true }
    /// None is the one in hand, so there are no others to remove together.
    package func isOther(_ factor: SecondFactor) -> Bool { false }

    package func request(for removal: Removal<SecondFactor>) -> ScreenRequest {
        switch removal {
        case .remove(let factor): .removeSecondFactor(factor.id)
        case .removeOthers: listRequest
        }
    }

    /// The screen appears: it asks for the list.
    public mutating func begin() -> [ScreenEffect] { form.run(listRequest) }

    /// Takes an event.
    public mutating func handle(_ event: SecondFactorsEvent) -> [ScreenEffect] {
        if case .list(let event) = event { return handleList(event) }
        guard form.isEnabled else { return [] }
        switch event {
        case .list: return []
        // What waits for a proof goes first.
        case .appeared: return list.items == nil || form.awaitingPresence != nil ? [] : form.run(listRequest)
        case .add:
            // Who adds an app wants that now; the list is asked for again afterwards.
            form.awaitingPresence = nil
            return [.show(.secondFactorEnrolment(.account))]
        case .replaceCodes: return hasFactors ? form.run(.replaceRecoveryCodes) : []
        }
    }

    /// Takes a report.
    public mutating func take(_ report: ScreenReport) -> [ScreenEffect] { takeForm(report) }

    package func request(at instant: Date) -> ScreenRequest? { nil }

    package func outcome(of response: ScreenResponse, to request: ScreenRequest) -> ScreenOutcome? {
        switch (response, request) {
        case (.recoveryCodes, _): .recoveryCodesReplaced
        case (.done, .removeSecondFactor): .secondFactorRemoved
        default: nil
        }
    }

    package mutating func arrive(_ response: ScreenResponse, to request: ScreenRequest, at instant: Date)
        -> [ScreenEffect]
    {
        switch (response, request) {
        case (.secondFactors(let found), _):
            list.items = found.factors
            recoveryCodesLeft = found.recoveryCodesLeft
        case (.recoveryCodes(let codes), _):
            recoveryCodesLeft = codes.codes.count
            return [.show(.recoveryCodes(codes, after: .account))]
        case (.done, .removeSecondFactor(let id)):
            list.drop(id)
            if !hasFactors { recoveryCodesLeft = 0 }
            form.show(ScreenBanner(.success, .key(.secondFactorsRemoved)))
        default: break
        }
        return []
    }

    package mutating func recover(from error: OkaeriError, to request: ScreenRequest, at instant: Date)
        -> [ScreenEffect]?
    {
        // Another device was faster: the app is removed already.
        guard case .secondFactorRefused(.unknown) = error, case .removeSecondFactor(let id) = request else {
            return nil
        }
        list.drop(id)
        return []
    }
}
