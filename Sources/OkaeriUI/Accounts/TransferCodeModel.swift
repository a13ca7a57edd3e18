package import Foundation
public import Okaeri
@_spi(TotalConversions) import OkaeriWire

/// What a person can do on the screen that gives a code for another device.
public enum TransferCodeEvent: Hashable, Sendable {
    /// The dismiss button, and what else all screens know.
    case form(FormEvent)
    /// Make a code, instead of the earlier one.
    case issue
    /// Put the code where it can be pasted.
    case copy
    /// Make the code worthless.
    case withdraw
}

/// The screen that gives a code for another device (引き継ぎコード), with its QR code. While it is open, it looks for a
/// device that has joined, and leads to the question whether that was the person.
public struct TransferCodeModel: FormScreen {
    /// Where things stand; it has no fields.
    public package(set) var form = ScreenForm()
    /// The code, while it is good for something.
    public private(set) var code: TransferCode?
    private var countdown: ScreenCountdown?
    /// The devices that the person was asked about: who leaves the question unanswered is not sent back to it.
    private var asked: Set<Notice.ID> = []
    private var isGone = false
    private var ticks = 0
    /// How many seconds pass from one look for a device that has joined to the next.
    private static let secondsBetweenLooks = 5

    /// Makes the screen.
    public init() {}

    /// Which screen it is.
    public var screen: ScreenName { .transferCode }

    /// The screen appears. A code is made when it is asked for, and not before; a device that joined by an earlier one may wait.
    public mutating func begin() -> [ScreenEffect] { [ScreenEffect(.lookForTransfers)] }

    /// Takes an event.
    public mutating func handle(_ event: TransferCodeEvent) -> [ScreenEffect] {
        switch event {
        case .form(let event):
            if case .disappeared = event { isGone = true }
            if case .appeared = event { isGone = false }
            return handleForm(event)
        case .issue: return form.run(.issueTransferCode)
        case .copy: return code.map { [ScreenEffect(.copy($0.code))] } ?? []
        case .withdraw: return code == nil ? [] : form.run(.withdrawTransferCode)
        }
    }

    /// Takes a report.
    public mutating func take(_ report: ScreenReport) -> [ScreenEffect] {
        if case .transfersKnown(let notices) = report.kind { return ask(about: notices) }
        let effects = takeForm(report)
        guard case .woke = report.kind, code != nil else { return effects }
        ticks = (ticks + 1) % Self.secondsBetweenLooks
        return ticks == 0 ? effects + [ScreenEffect(.lookForTransfers)] : effects
    }

    private mutating func ask(about notices: [Notice]) -> [ScreenEffect] {
        // What comes at a bad moment is seen with the next look.
        guard form.isEnabled, !isGone, notices.contains(where: { !asked.contains($0.id) }) else { return [] }
        asked.formUnion(notices.map(\.id))
        return [.show(.transferNotice)]
    }

    package mutating func tick(at instant: Date) -> Bool {
        let isPaused = form.tick(at: instant)
        countdown?.look(at: instant)
        if let countdown, !countdown.isRunning {
            self.countdown = nil
            code = nil
            form.show(ScreenBanner(.information, .key(.transferExpired)))
        }
        return isPaused || countdown != nil
    }

    /// Nobody shall find the code in a screen that was left.
    package mutating func forgetSecrets() { code = nil }

    package func request(at instant: Date) -> ScreenRequest? { nil }

    package func outcome(of response: ScreenResponse, to request: ScreenRequest) -> ScreenOutcome? {
        switch response {
        case .transferCode(let code): .transferCodeIssued(code)
        case .done: .transferCodeWithdrawn
        default: nil
        }
    }

    package mutating func arrive(_ response: ScreenResponse, to request: ScreenRequest, at instant: Date)
        -> [ScreenEffect]
    {
        guard case .transferCode(let code) = response else {
            self.code = nil
            countdown = nil
            return []
        }
        self.code = code
        countdown = ScreenCountdown(.seconds(clamping: code.expiresAt.timeIntervalSince(instant)), from: instant)
        return [.wake]
    }
}
