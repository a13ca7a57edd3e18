import Foundation

/// What a keeper does without being asked: it reads the vault again after a failure or a hint, repeats a log-in that
/// found no network, saves what could not be saved, and delivers log-outs. It goes on, ever more slowly, until
/// everything is done.
extension SessionKeeper {
    /// Sees to it that the work is under way.
    func workInBackground() {
        // What waits because the server asked for it does not keep the vault waiting.
        if waitsForServer, record == nil || !unsaved.isEmpty {
            recovery?.cancel()
            recovery = nil
            waitsForServer = false
        }
        guard recovery == nil, configuration.worksInBackground else { return }
        // Nobody awaits this task: it holds the keeper only while it works, and the keeper's end cancels it.
        recovery = Task { [weak self, clock] in
            var failures = 0
            while true {
                failures += 1
                guard let delay = await self?.backgroundDelay(afterFailures: failures) else { return }
                // A cancelled wait means that the keeper is gone, or that another task goes on.
                guard (try? await clock.sleep(for: delay)) != nil else { return }
                guard let isDone = await self?.workAfterWait(), !isDone else { return }
            }
        }
    }

    private func workAfterWait() async -> Bool {
        waitsForServer = false
        return await workOnce()
    }

    private func backgroundDelay(afterFailures failures: Int) -> Duration {
        let delay = configuration.retry.delay(
            afterFailures: failures, limit: configuration.retry.maximumBackgroundDelay, fraction: randomness.fraction())
        waitsForServer = false
        // The vault is not the server's to put off.
        guard let patience, record != nil, unsaved.isEmpty else { return delay }
        // With a clock that was put back the end may be far away: never wait longer than was asked for.
        let left = min(patience.until.timeIntervalSince(clock.now), patience.asked.inSeconds)
        guard left > 0 else { return delay }
        waitsForServer = true
        // Later than asked by up to a quarter, so that not all devices come back in the same moment.
        return max(delay, .seconds(left * (1 + randomness.fraction() / 4)))
    }

    /// Listens to the vault's hints.
    func listen() {
        guard listening == nil else { return }
        let hints = vault.hints(for: application)
        // Nobody awaits this task: it holds the keeper only while it works, and the keeper's end cancels it.
        listening = Task { [weak self] in
            for await _ in hints {
                guard let self else { return }
                await self.takeHint()
            }
        }
    }

    private func takeHint() async {
        guard recovery == nil else {
            await workOnce()
            return
        }
        // A vault that cannot be read after all has started the background work.
        _ = try? await read()
    }

    /// One round of everything that waits.
    ///
    /// - Returns: Whether nothing is left to do.
    @discardableResult
    func workOnce() async -> Bool {
        let isReadable = (try? await read()) != nil && unsaved.isEmpty
        if isReadable, machine.wanted != nil {
            // Its failure decides nothing here: what is still wanted is tried again.
            _ = try? await outcome { .repetitionAsked(caller: $0) }
        }
        let isDelivered = isReadable ? await deliverLogOuts() : false
        guard isReadable, isDelivered, machine.wanted == nil, unsaved.isEmpty,
            record?.pendingRevocations.isEmpty == true
        else { return false }
        // When a hint came before its time, the loop sleeps still: it must not go on beside the next one.
        recovery?.cancel()
        recovery = nil
        return true
    }
}
