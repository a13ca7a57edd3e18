import CCurl
import Testing

@testable import OutboundServices

/// A name that a tenant gives can lead to a name server that says nothing.
@Suite("A silent name server")
struct SilentNameServerTests {
    @Test("is left alone by every transfer that ends: libcurl waits for no look-up on the thread that serves all")
    func quickExit() {
        let value = RunningStream.options.first { option, _ in option == CURLOPT_QUICK_EXIT }?.1
        #expect(value == 1)
    }

    @Test("keeps the share of a transfer that left it until the look-up has surely ended")
    func abandoned() {
        var lookups = AbandonedLookups<Int>()
        let start = ContinuousClock.now
        lookups.add(1, at: start)
        lookups.add(2, at: start + .seconds(10))
        let ended = [29, 30, 30, 50].map { lookups.takeEnded(at: start + .seconds($0)) }
        #expect(ended == [[], [1], [], [2]])
    }
}
