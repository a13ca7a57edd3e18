import Dispatch
import Foundation
import OkaeriTesting
import Testing

@testable import Okaeri

/// A system that gives an app time in the background, and takes it back when the test says so.
private final class BackgroundTime: Sendable {
    typealias Block = @Sendable (Bool) -> Void
    private let block = Protected<Block?>(nil)
    private let (returned, continuation) = AsyncStream<Void>.makeStream()
    private let isGranted: Bool

    init(isGranted: Bool = true) {
        self.isGranted = isGranted
    }

    var lock: BackgroundLock {
        BackgroundLock { [self] block in
            self.block.withValue { $0 = block }
            guard isGranted else { return expire() }
            // As the system does it: on a thread of its own, which the block may keep.
            Thread.detachNewThread { [continuation] in
                block(false)
                continuation.yield()
            }
        }
    }

    /// The time ends.
    func expire() {
        block.withValue { $0 }?(true)
    }

    /// Waits until the app lets go of its time.
    func waitForReturn() async {
        for await _ in returned { return }
    }
}

@Suite("A lock that keeps the app awake", .timeLimit(.minutes(5)))
struct BackgroundLockTests {
    private let time = BackgroundTime()
    private let releases = Protected(0)

    private func held() -> VaultLock {
        VaultLock { [releases] in releases.withValue { $0 += 1 } }
    }

    @Test("is held until it is released, and then lets the system suspend the app")
    func release() async {
        let lock = time.lock.keepingAppAwake(held())
        #expect(releases.withValue { $0 } == 0)
        lock.release()
        #expect(releases.withValue { $0 } == 1)
        await time.waitForReturn()
        time.expire()
        lock.release()
        #expect(releases.withValue { $0 } == 1)
    }

    @Test("is given free when the time in the background ends, and the system waits for nothing")
    func expiry() async {
        let lock = time.lock.keepingAppAwake(held())
        time.expire()
        #expect(releases.withValue { $0 } == 1)
        await time.waitForReturn()
        lock.release()
        #expect(releases.withValue { $0 } == 1)
    }

    @Test("is given free when nobody holds its value any more")
    func forgotten() async {
        _ = time.lock.keepingAppAwake(held())
        await time.waitForReturn()
        #expect(releases.withValue { $0 } == 1)
    }

    @Test("is given free at once when the system has no time to give")
    func noTime() {
        let refusing = BackgroundTime(isGranted: false)
        let lock = refusing.lock.keepingAppAwake(held())
        #expect(releases.withValue { $0 } == 1)
        lock.release()
        #expect(releases.withValue { $0 } == 1)
    }
}
