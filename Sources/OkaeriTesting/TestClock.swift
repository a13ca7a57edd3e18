public import Foundation
public import Okaeri

/// A clock that stands still until a test moves it. Those who wait by it wait until then.
public final class TestClock: WallClock {
    private struct Contents {
        var now: Date
        var sleepers: [Int: Sleeper] = [:]
        var nextSleeper = 0
        var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private struct Sleeper {
        let until: Date
        let continuation: CheckedContinuation<Bool, Never>
    }

    private let contents: Protected<Contents>

    /// Sets the clock. The default is 2026-11-21 00:15:42 UTC.
    public init(_ now: Date = Date(timeIntervalSince1970: 1_795_220_142)) {
        contents = Protected(Contents(now: now))
    }

    /// The instant at which the clock stands.
    public var now: Date { contents.withValue { $0.now } }

    /// How long the sleepers still have to sleep, the shortest first.
    public var pendingSleeps: [Duration] {
        contents.withValue { contents in
            contents.sleepers.values.map { .seconds($0.until.timeIntervalSince(contents.now)) }.sorted()
        }
    }

    /// Waits until the clock was moved that far.
    public func sleep(for duration: Duration) async throws(CancellationError) {
        let number = contents.withValue { contents in
            contents.nextSleeper += 1
            return contents.nextSleeper
        }
        let isAwake = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                lieDown(number, for: duration.inSeconds, continuation)
            }
        } onCancel: {
            contents.withValue { $0.sleepers.removeValue(forKey: number) }?.continuation.resume(returning: false)
        }
        guard isAwake, !Task.isCancelled else { throw CancellationError() }
    }

    private func lieDown(_ number: Int, for seconds: TimeInterval, _ continuation: CheckedContinuation<Bool, Never>) {
        let watchers: [CheckedContinuation<Void, Never>]? = contents.withValue { contents in
            // Cancelled before it lay down: nobody would wake it.
            guard !Task.isCancelled else { return nil }
            contents.sleepers[number] = Sleeper(
                until: contents.now.addingTimeInterval(seconds), continuation: continuation)
            let count = contents.sleepers.count
            defer { contents.watchers.removeAll { $0.count <= count } }
            return contents.watchers.filter { $0.count <= count }.map(\.continuation)
        }
        guard let watchers else { return continuation.resume(returning: false) }
        for watcher in watchers { watcher.resume() }
    }

    /// Moves the clock and wakes everybody whose time has come.
    ///
    /// - Parameter duration: How far, forwards or backwards.
    public func advance(by duration: Duration) {
        let woken = contents.withValue { contents in
            contents.now.addTimeInterval(duration.inSeconds)
            // A microsecond of patience, because binary fractions do not add up exactly.
            let due = contents.sleepers.filter { $0.value.until <= contents.now.addingTimeInterval(0.000_001) }
            for number in due.keys { contents.sleepers[number] = nil }
            return due.values.sorted { $0.until < $1.until }
        }
        for sleeper in woken { sleeper.continuation.resume(returning: true) }
    }

    /// Moves the clock to the moment at which the next sleeper wakes.
    ///
    /// - Returns: How far that was; `nil` when nobody sleeps.
    @discardableResult
    public func advanceToNextSleeper() -> Duration? {
        guard let next = pendingSleeps.first else { return nil }
        advance(by: next)
        return next
    }

    /// Waits until so many sleep by this clock.
    ///
    /// - Parameter count: How many at least.
    public func waitForSleepers(_ count: Int = 1) async {
        await withCheckedContinuation { continuation in
            let isThere = contents.withValue { contents in
                if contents.sleepers.count >= count { return true }
                contents.watchers.append((count, continuation))
                return false
            }
            if isThere { continuation.resume() }
        }
    }
}
