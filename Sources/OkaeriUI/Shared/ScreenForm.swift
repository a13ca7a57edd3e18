public import Foundation
import Okaeri
@_spi(TotalConversions) import OkaeriWire

/// The fields of a screen, what stands in them, and whether something is under way.
public struct ScreenForm: Hashable, Sendable {
    /// The fields, from top to bottom.
    public package(set) var fields: [FormField]
    /// The field that has, or shall have, the focus.
    public package(set) var focus: FieldID?
    /// Where things stand.
    public package(set) var phase: Phase = .idle
    /// What stands above the fields.
    public package(set) var banner: ScreenBanner?
    /// Until when the server wants no further try.
    public package(set) var pause: ScreenCountdown?

    /// The number of the latest try: reports of earlier ones come too late.
    package var attempt = 0
    /// What was asked last, to be asked again.
    package var latest: ScreenRequest?
    /// What was refused until the person proves to be there, to be asked again once.
    package var awaitingPresence: ScreenRequest?
    /// Where a response led that came while the screen was gone.
    package var missed: [ScreenEffect] = []

    /// Where things stand.
    public enum Phase: Hashable, Sendable {
        /// The person has the word.
        case idle
        /// The app is asked whether it may begin.
        case asking
        /// The server is asked. Nothing can be typed, sent or dismissed.
        case running
        /// The server is asked, and the screen is gone.
        case abandoned
        /// It went well; there is nothing more to do.
        case done
    }

    package init(_ fields: [FormField] = []) {
        self.fields = fields
    }

    /// A field; `nil` when the form has none of that name.
    public subscript(_ id: FieldID) -> FormField? { fields.first { $0.id == id } }

    /// The text of a field.
    public func text(of id: FieldID) -> String { self[id]?.text ?? "" }

    /// Whether the server is asked.
    public var isRunning: Bool { phase == .running }
    /// Whether something can be typed.
    public var isEnabled: Bool { phase == .idle }
    /// Whether it can be sent.
    public var canSubmit: Bool { phase == .idle && !(pause?.isRunning ?? false) }
    /// Whether the person can leave.
    public var canDismiss: Bool { phase != .running }

    /// Whether Return in a field sends the form; otherwise it moves on to the next field.
    public func returnSubmits(in id: FieldID) -> Bool { next(after: id) == nil }

    /// The field that Return leads to: the next one that is typed.
    func next(after id: FieldID) -> FieldID? {
        guard let index = fields.firstIndex(where: { $0.id == id }) else { return nil }
        return fields[(index + 1)...].first { !$0.kind.isTicked && !$0.kind.isChosen }?.id
    }
}

/// A line above the fields.
public struct ScreenBanner: Hashable, Sendable {
    /// What kind of news it is.
    public enum Kind: Hashable, Sendable {
        /// Something is wrong.
        case failure
        /// Something has gone well.
        case success
        /// Something to know.
        case information
    }

    /// What kind of news it is.
    public let kind: Kind
    /// Over the message, if anything.
    public let title: ScreenMessage?
    /// The news.
    public let message: ScreenMessage
    /// Whether a deleted account can be restored here.
    public let offersRestoring: Bool

    package init(_ kind: Kind, title: ScreenMessage? = nil, _ message: ScreenMessage, offersRestoring: Bool = false) {
        self.kind = kind
        self.title = title
        self.message = message
        self.offersRestoring = offersRestoring
    }
}

/// A time to wait, as it was when the clock was last looked at.
public struct ScreenCountdown: Hashable, Sendable {
    /// When it is over.
    public private(set) var end: Date
    private var now: Date
    private let duration: Duration

    init(_ duration: Duration, from now: Date) {
        end = now.addingTimeInterval(duration.inSeconds)
        self.now = now
        self.duration = duration
    }

    /// Looks at the clock. When it was put back, nobody waits longer than at first.
    mutating func look(at instant: Date) {
        now = instant
        end = min(end, instant.addingTimeInterval(duration.inSeconds))
    }

    /// How many seconds are left, rounded up.
    public var secondsLeft: Int { max(0, Int(clamping: end.timeIntervalSince(now).rounded(.up))) }
    /// Whether it is not over.
    public var isRunning: Bool { secondsLeft > 0 }
}

extension ScreenCountdown? {
    /// Looks at the clock; a wait that is over is there no more.
    ///
    /// - Returns: Whether to look again.
    mutating func tick(at instant: Date) -> Bool {
        self?.look(at: instant)
        if self?.isRunning == false { self = nil }
        return self != nil
    }
}

/// What a person can do with any form.
public enum FormEvent: Hashable, Sendable {
    /// A field has another text.
    case typed(FieldID, String)
    /// A check box has been ticked, or no longer is.
    case ticked(FieldID, Bool)
    /// Another field has the focus, or none.
    case focused(FieldID?)
    /// Return was pressed in a field.
    case returned(FieldID)
    /// A password shall be readable, or no longer.
    case revealed(FieldID, Bool)
    /// The button that the form is for.
    case submit
    /// The dismiss button.
    case dismiss
    /// The screen is gone, for whatever reason.
    case disappeared
    /// The screen is there, for the first time or again.
    case appeared
    /// The person has proved to be there, as the screen had asked for: it goes on.
    case presenceProved
}

extension FieldKind {
    /// Whether it is chosen from a list, not typed.
    var isChosen: Bool {
        if case .choice = self { true } else { false }
    }
}

extension ScreenForm: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The fields without their texts.
    public var description: String { "\(fields) \(phase)" }
    /// The fields without their texts.
    public var debugDescription: String { description }
    /// The fields without their texts.
    public var customMirror: Mirror { Mirror(self, children: ["fields": fields, "phase": phase]) }
}
