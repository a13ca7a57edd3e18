import Domain
import HTTPSupport
import HTTPTypes
import Logging
import OkaeriServer
import OkaeriWire
import Storage
import Testing

/// Strangers cause such faults as often as they like: a line for each fills the disk (requirement 47).
@Suite("The log of what does not work now")
struct UnavailableLogTests {
    private let lines = LineCollector()

    @Test("has no line for mail that was never set up")
    func mail() async throws {
        let server = try await TestServer(logger: Logger(label: "test") { [lines] _ in lines })
        for _ in 0..<5 {
            let answer = try await server.send(
                .post, APIPath.requestLogInCode, body: #"{"email":"hana@example.com"}"#)
            #expect(answer.status == 503)
        }
        #expect(lines.lines.all == [])
    }

    @Test("has one line a minute for each fault of the storage or of another server, and one for all beyond 256")
    func faults() {
        let log = FaultLog(Logger(label: "test") { [lines] _ in lines }, .error, "storage fault")
        let start = ContinuousClock.now
        for millisecond in 0..<1000 { log.note("disk full", at: start + .milliseconds(millisecond)) }
        log.note("disk full", at: start + .seconds(61))
        #expect(lines.lines.all == ["storage fault fault=disk full", "storage fault fault=disk full left_out=999"])
        for number in 0..<2000 { log.note("host \(number)", at: start + .seconds(62)) }
        #expect(lines.lines.all.count == 2 + 256)
    }

    @Test("has one line a minute for each worker while the storage is away, however many lanes it has")
    func workers() async throws {
        let server = try await TestServer(settings: ["dev": "on"])
        let logger = Logger(label: "test") { [lines] _ in lines }
        let (mails, events) = (server.composition.mailWorker(logger), server.composition.eventWorker(logger))
        await server.store.close()
        for _ in 0..<16 {
            _ = await mails.round()
            await events.round()
        }
        #expect(
            lines.lines.all.sorted() == [
                "sending events failed, trying again soon fault=storageUnavailable",
                "sending mail failed, trying again soon fault=storageUnavailable",
            ])
    }

    @Test("has one line a minute for each code, which says how many were left out")
    func codes() {
        let log = UnavailableLog()
        let start = ContinuousClock.now
        #expect(log.left(out: DomainError.storageUnavailable, status: 503, at: start) == 0)
        #expect(log.left(out: DomainError.busy(retryAfter: .seconds(1)), status: 503, at: start) == 0)
        for second in 1..<60 {
            #expect(log.left(out: DomainError.storageUnavailable, status: 503, at: start + .seconds(second)) == nil)
        }
        #expect(log.left(out: DomainError.storageUnavailable, status: 503, at: start + .seconds(60)) == 59)
        #expect(log.left(out: DomainError.busy(retryAfter: .seconds(9)), status: 503, at: start + .seconds(60)) == 0)
        // Faults of the installation have a line each.
        for _ in 0..<3 { #expect(log.left(out: DomainError.secretUnreadable, status: 500, at: start) == 0) }
        for _ in 0..<3 { #expect(log.left(out: CancellationError(), status: 500, at: start) == 0) }
    }

    @Test("has one line a minute for all faults without a code, such as an app's own Parse Server that is away")
    func withoutCode() {
        struct OldFault: Error {}
        let log = UnavailableLog()
        let start = ContinuousClock.now
        #expect(log.left(out: OldFault(), status: 503, at: start) == 0)
        for second in 1..<60 {
            #expect(log.left(out: OldFault(), status: 503, at: start + .seconds(second)) == nil)
        }
        #expect(log.left(out: DomainError.storageUnavailable, status: 503, at: start) == 0)
        #expect(log.left(out: OldFault(), status: 503, at: start + .seconds(60)) == 59)
    }
}
