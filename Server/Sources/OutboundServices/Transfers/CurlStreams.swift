import CCurl
import Dispatch
import Foundation
import Synchronization
import Threads

import struct Domain.Application
import struct Domain.Identifier
import class Domain.Observer

/// Asks other servers like `CurlCaller`, with bodies that are streamed both ways: of a body of any length a few pieces are in
/// memory. A thread serves any number of transfers, so that a slow one keeps no other from its turn. But a server can keep the very
/// thread that talks to it at work, and so each application's transfers have one thread, which others share only while all are taken.
package final class CurlStreams: Sendable {
    /// How many threads there are at the most.
    private static let lanes = 16

    package struct Limits: Sendable {
        /// How long name look-up, connection and TLS may take, in all.
        package var connecting: Duration
        /// How long nothing may come or go.
        package var silence: Duration
        /// How long nothing may be taken of a response that has come: libcurl's own limit does not count while it waits. A client
        /// that takes 1000 bytes a second, which its connection asks of it, has what waits in a pipe after 82 seconds at the most.
        package var unread: Duration
        /// How long a whole transfer may take.
        package var whole: Duration
        /// How many transfers may be under way.
        package var transfers: Int

        package init(
            connecting: Duration = .seconds(4), silence: Duration = .seconds(30), unread: Duration = .seconds(90),
            whole: Duration = .seconds(600), transfers: Int = 256
        ) {
            self.connecting = connecting
            self.silence = silence
            self.unread = unread
            self.whole = whole
            self.transfers = transfers
        }
    }

    /// A body that is sent while it is read.
    package struct Upload: Sendable {
        /// `nil` when it is not known before.
        package var byteCount: Int?
        package let pipe: BytePipe
    }

    private let limits: Limits
    private let policy: EgressPolicy
    private let certificates: String?
    private let observer = Observer<String>()
    private let state = Mutex(State())
    private let ended = DispatchGroup()

    private struct State: Sendable {
        var lanes = [Lane](repeating: Lane(), count: CurlStreams.lanes)
        var choice = LaneChoice(lanes: CurlStreams.lanes)
        var counts = TransferCounts()
        var isClosed = false
    }

    /// What a thread serves.
    private struct Lane: Sendable {
        var added: [StreamTransfer] = []
        /// Made at the first call; gone when the thread ends.
        var multi: CurlMulti?
    }

    /// - Parameters:
    ///   - limits: Times and numbers.
    ///   - policy: Who may be asked.
    ///   - certificates: A file of certificates to trust instead of the system's; for tests.
    package init(limits: Limits = Limits(), policy: EgressPolicy, certificates: String? = nil) {
        self.limits = limits
        self.policy = policy
        self.certificates = certificates
    }

    /// Called with a sentence for the log when a transfer fails; the one who caused it learns none of it.
    package func observeFaults(_ observer: @escaping @Sendable (String) -> Void) {
        self.observer.set(observer)
    }

    /// Breaks off what is under way, and ends the threads.
    package func close() async {
        state.withLock { state in
            state.isClosed = true
            for lane in state.lanes { lane.multi?.wake() }
        }
        await withCheckedContinuation { continuation in
            ended.notify(queue: .global()) { continuation.resume() }
        }
    }

    /// A body of a call, to be sent while it is read; without a length when that is not known before.
    package func upload(byteCount: Int?, of call: WebCall) -> Upload {
        Upload(byteCount: byteCount, pipe: BytePipe { [self, owner = call.application] in wake(for: owner) })
    }

    /// Asks, and waits for the head of the response.
    ///
    /// - Parameters:
    ///   - call: The request; it has no body of its own beside an upload.
    ///   - upload: Its body, while it is read.
    ///   - shares: What it counts for; nothing where each tenant has its share by other means.
    /// - Returns: the response, whose body follows.
    /// - Throws: `WebFault`; `tooBusy` while there is no room in all or in one of the shares.
    package func callAsFunction(
        _ call: WebCall, _ upload: Upload? = nil, of shares: [TransferShare] = []
    ) async throws(WebFault) -> StreamedResponse {
        guard let target = policy.target(of: call.url) else {
            throw noted(.addressRefused(reason: "it is not public, or not asked by https"), call)
        }
        let transfer = StreamTransfer(
            call: call, target: target, upload: upload, shares: shares,
            download: BytePipe { [self, owner = call.application] in wake(for: owner) })
        let outcome: Result<StreamedResponse, WebFault> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                transfer.expect(continuation)
                if !begin(transfer) { transfer.respond(.failure(.tooBusy)) }
            }
        } onCancel: {
            transfer.download.leave()
        }
        do {
            return try outcome.get()
        } catch {
            throw noted(error, call)
        }
    }

    /// Whether an address may be asked, as far as its text tells.
    package func mayAsk(_ url: String) -> Bool { policy.target(of: url) != nil }

    private func noted(_ fault: WebFault, _ call: WebCall) -> WebFault {
        if let reason = fault.reason { observer.note("\(EgressPolicy.host(of: call.url)): \(reason)") }
        return fault
    }

    /// Wakes the thread of an application's transfers, if there are any. Those of others have nothing to do: each piece of a body
    /// would be work for all of them.
    private func wake(for application: Identifier<Application>?) {
        state.withLock { state in
            guard let lane = state.choice.lane(of: application) else { return }
            state.lanes[lane].multi?.wake()
        }
    }

    /// Hands a transfer to the thread.
    ///
    /// - Returns: `false` when there are too many, and when there is no thread and the system makes none now.
    private func begin(_ transfer: StreamTransfer) -> Bool {
        let multi = state.withLock { state -> CurlMulti? in
            guard !state.isClosed, state.counts.take(transfer.shares, of: limits.transfers) else { return nil }
            let lane = state.choice.take(for: transfer.call.application)
            guard let multi = state.lanes[lane].multi ?? newMulti(lane) else {
                state.counts.leave(transfer.shares)
                state.choice.leave(transfer.call.application)
                return nil
            }
            state.lanes[lane].multi = multi
            state.lanes[lane].added.append(transfer)
            return multi
        }
        multi?.wake()
        return multi != nil
    }

    /// A set of transfers, and the thread that serves it.
    private func newMulti(_ lane: Int) -> CurlMulti? {
        guard let multi = CurlMulti() else { return nil }
        ended.enter()
        let isStarted = SystemThread.start("okaeri-streams") { [self] in
            run(multi, lane)
            state.withLock { $0.lanes[lane].multi = nil }
            ended.leave()
        }
        if !isStarted { ended.leave() }
        return isStarted ? multi : nil
    }

    private func run(_ multi: CurlMulti, _ lane: Int) {
        var running: [UnsafeMutableRawPointer: RunningStream] = [:]
        var lookups = AbandonedLookups<StreamTransfer>()
        while true {
            let (added, isClosed) = state.withLock { state in
                defer { state.lanes[lane].added = [] }
                return (state.lanes[lane].added, state.isClosed)
            }
            for transfer in added {
                guard !transfer.download.isBroken else {
                    finish(transfer, .failure(Self.brokenOff))
                    continue
                }
                switch RunningStream.begin(transfer, policy, limits, trusting: certificates, in: multi) {
                case .success(let stream): running[stream.handle.pointer] = stream
                case .failure(let fault): finish(transfer, .failure(fault))
                }
            }
            for (pointer, stream) in running {
                if isClosed || stream.transfer.download.isBroken {
                    running[pointer] = nil
                    end(stream, nil, .failure(Self.brokenOff))
                } else if stream.isUnread(for: limits.unread) {
                    running[pointer] = nil
                    end(stream, nil, .failure(.unreachable(reason: "nobody takes the response")))
                } else {
                    stream.goOn()
                }
            }
            for transfer in lookups.takeEnded(at: .now) { leave(transfer) }
            if isClosed, state.withLock({ $0.lanes[lane].added.isEmpty }) { return }
            multi.perform()
            while let (pointer, code) = multi.nextFinished() {
                guard let stream = running.removeValue(forKey: pointer) else { continue }
                end(stream, code, stream.outcome(code))
            }
            multi.wait()
        }

        func end(_ stream: RunningStream, _ code: CURLcode?, _ outcome: Result<StreamTransfer.Head, WebFault>) {
            multi.remove(stream.handle)
            if stream.leavesLookup(code) {
                lookups.add(stream.transfer, at: .now)
            } else {
                leave(stream.transfer)
            }
            respond(stream.transfer, outcome)
        }
    }

    private static let brokenOff = WebFault.unreachable(reason: "the transfer was broken off")

    private func finish(_ transfer: StreamTransfer, _ outcome: Result<StreamTransfer.Head, WebFault>) {
        leave(transfer)
        respond(transfer, outcome)
    }

    /// Another transfer may begin.
    private func leave(_ transfer: StreamTransfer) {
        state.withLock { state in
            state.counts.leave(transfer.shares)
            state.choice.leave(transfer.call.application)
        }
    }

    private func respond(_ transfer: StreamTransfer, _ outcome: Result<StreamTransfer.Head, WebFault>) {
        switch outcome {
        case .success(let head):
            transfer.download.end()
            transfer.respond(.success(head))
        case .failure(let fault):
            transfer.download.breakOff()
            transfer.respond(.failure(fault))
        }
        transfer.upload?.pipe.breakOff()
    }
}

/// Asks other servers with a time limit of each call's own, and takes whole responses. A call waits for no thread, so its
/// time is all its own.
package struct StreamCaller: WebCaller {
    private let streams: CurlStreams
    private let maximumBytes: Int

    /// - Parameters:
    ///   - streams: Makes the transfers.
    ///   - maximumBytes: The longest body. Of a longer one comes one byte more, and the transfer is broken off.
    package init(_ streams: CurlStreams, maximumBytes: Int) {
        self.streams = streams
        self.maximumBytes = maximumBytes
    }

    package func mayAsk(_ url: String) -> Bool { streams.mayAsk(url) }

    package func callAsFunction(_ call: WebCall) async throws(WebFault) -> WebResponse {
        let streamed = try await streams(call)
        var response = WebResponse(status: streamed.status, body: [])
        response.headers = streamed.headers
        do throws(BytePipe.Broken) {
            while response.body.count <= maximumBytes, let piece = try await streamed.next() { response.body += piece }
        } catch {
            throw .unreachable(reason: "the response broke off")
        }
        response.body = Array(response.body.prefix(maximumBytes + 1))
        return response
    }
}

/// A response whose body comes while it is taken. The transfer ends with the last reference to it.
package final class StreamedResponse: Sendable {
    package let status: Int
    /// By names in lower case.
    package let headers: [String: String]
    private let pipe: BytePipe

    fileprivate init(_ head: StreamTransfer.Head, _ pipe: BytePipe) {
        (status, headers) = (head.status, head.headers)
        self.pipe = pipe
    }

    deinit { pipe.leave() }

    /// The next piece; `nil` at the end.
    ///
    /// - Throws: `BytePipe.Broken` when the other server broke off, or was too slow.
    package func next() async throws(BytePipe.Broken) -> [UInt8]? { try await pipe.next() }
}

/// One transfer, as the task and the thread both see it.
final class StreamTransfer: Sendable {
    struct Head: Sendable {
        var status: Int
        var headers: [String: String]
    }

    let call: WebCall
    let target: EgressPolicy.Target
    let upload: CurlStreams.Upload?
    let shares: [TransferShare]
    let download: BytePipe
    private let waiter = Mutex<CheckedContinuation<Result<StreamedResponse, WebFault>, Never>?>(nil)

    init(
        call: WebCall, target: EgressPolicy.Target, upload: CurlStreams.Upload?, shares: [TransferShare],
        download: BytePipe
    ) {
        self.call = call
        self.target = target
        self.upload = upload
        self.shares = shares
        self.download = download
    }

    func expect(_ continuation: CheckedContinuation<Result<StreamedResponse, WebFault>, Never>) {
        waiter.withLock { $0 = continuation }
    }

    /// Resumes the task; nothing happens the second time.
    func respond(_ outcome: Result<Head, WebFault>) {
        let continuation = waiter.withLock { waiter in
            defer { waiter = nil }
            return waiter
        }
        continuation?.resume(returning: outcome.map { StreamedResponse($0, download) })
    }
}
