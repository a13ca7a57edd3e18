import Glibc
import Measuring
import NIOCore

/// What all connections of a run share.
///
/// `@unchecked Sendable` is safe because everything here is touched on the one event loop of the run only.
final class LoadState: @unchecked Sendable {
    enum Phase { case warmingUp, measuring, over }

    private(set) var phase = Phase.warmingUp
    private(set) var result: LoadResult
    private var supply: RequestSupply
    private var histogram = LatencyHistogram()
    private let server: ProcessUsage?
    private let generator = ProcessUsage(of: getpid())
    private var began = NIODeadline.now()
    private var serverTime = 0.0
    private var generatorTime = 0.0

    /// - Parameters:
    ///   - result: The run's scenario and connections, to be filled in.
    ///   - supply: The requests to send.
    ///   - server: The server's process, when it can be seen.
    init(_ result: LoadResult, supply: RequestSupply, server: ProcessUsage?) {
        self.result = result
        self.supply = supply
        self.server = server
    }

    /// The next request to send; `nil` when the run is over.
    func nextRequest() -> ByteBuffer? {
        guard phase != .over else { return nil }
        if let request = supply.take() { return request }
        result.ranOut = true
        finish()
        return nil
    }

    /// Notes an answer.
    ///
    /// - Parameters:
    ///   - head: The answer's head.
    ///   - started: When the request was sent.
    func note(_ head: AnswerHead, started: NIODeadline) {
        // A refused request fails the run even when it fell into the warm-up.
        guard (200..<300).contains(head.status) else {
            result.failures += 1
            return
        }
        guard phase == .measuring else { return }
        histogram.record(nanoseconds: (NIODeadline.now() - started).nanoseconds)
        result.bodyBytes = head.bodyBytes
    }

    /// Notes a connection that could not be made, broke or sent what is no answer.
    func noteBrokenConnection() {
        result.failures += 1
    }

    /// Ends the warm-up.
    func beginMeasuring() {
        guard phase == .warmingUp else { return }
        phase = .measuring
        began = NIODeadline.now()
        serverTime = server?.processorMicroseconds ?? 0
        generatorTime = generator.processorMicroseconds
    }

    /// Ends the run and works out its figures.
    func finish() {
        guard phase != .over else { return }
        let wasMeasuring = phase == .measuring
        phase = .over
        guard wasMeasuring else { return }
        let microseconds = Double((NIODeadline.now() - began).nanoseconds) / 1000
        let count = Double(max(1, histogram.count))
        let serverTime = (server?.processorMicroseconds ?? 0) - serverTime
        result.seconds = microseconds / 1_000_000
        result.requests = histogram.count
        result.requestsPerSecond = Double(histogram.count) / result.seconds
        result.medianMicroseconds = histogram.microseconds(atQuantile: 0.5)
        result.p99Microseconds = histogram.microseconds(atQuantile: 0.99)
        result.serverMicrosecondsPerRequest = serverTime / count
        result.serverShare = serverTime / microseconds
        result.generatorShare = (generator.processorMicroseconds - generatorTime) / microseconds
        result.residentMebibytes = server?.residentMebibytes ?? 0
    }
}
