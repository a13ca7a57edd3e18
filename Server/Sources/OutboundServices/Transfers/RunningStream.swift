import CCurl
import Domain

/// A transfer under way. Only the thread of `CurlStreams` touches it.
final class RunningStream {
    let transfer: StreamTransfer
    let handle: CurlHandle
    /// How far the call's own bytes were sent.
    private var sent = 0
    private var hasHead = false
    private var isSendingPaused = false
    /// Since when what came waits to be taken; `nil` while it goes on.
    private var unreadSince: ContinuousClock.Instant?

    /// Words of libcurl's callbacks (`CURL_READFUNC_PAUSE`, `CURL_WRITEFUNC_PAUSE`, `CURL_READFUNC_ABORT`).
    private static let pause = 0x1000_0001
    private static let abort = 0x1000_0000

    /// What every transfer has, whatever its times.
    static let options: [(CURLoption, Int)] = [
        // Where a transfer ends, libcurl would wait for the look-up of its name, and with it all transfers of this thread: for as
        // long as the name server that a tenant chose is silent.
        (CURLOPT_QUICK_EXIT, 1),
        // Each has a connection of its own: its address was judged for it.
        (CURLOPT_FRESH_CONNECT, 1), (CURLOPT_FORBID_REUSE, 1),
        (CURLOPT_LOW_SPEED_LIMIT, 1),
    ]

    private init(_ transfer: StreamTransfer, _ handle: CurlHandle) {
        self.transfer = transfer
        self.handle = handle
    }

    static func begin(
        _ transfer: StreamTransfer, _ policy: EgressPolicy, _ limits: CurlStreams.Limits,
        trusting certificates: String?, in multi: CurlMulti
    ) -> Result<RunningStream, WebFault> {
        do throws(CurlHandle.Fault) {
            let whole = min(transfer.call.timeLimit ?? limits.whole, limits.whole)
            let handle = try CurlHandle(
                maximumBytes: 0, connectLimit: min(limits.connecting, whole), timeLimit: whole)
            for (option, value) in options { try handle.set(option, value) }
            try handle.ask(transfer.call, transfer.target, policy, names: [], upload: transfer.upload)
            try handle.trustFile()
            if let certificates { try handle.set(CURLOPT_CAINFO, certificates) }
            try handle.set(CURLOPT_LOW_SPEED_TIME, max(1, Int(clamping: limits.silence.components.seconds)))
            let stream = RunningStream(transfer, handle)
            try handle.stream(
                from: { [unowned stream] in stream.give($0) }, to: { [unowned stream] in stream.take($0) })
            guard multi.add(handle) else { return .failure(.unreachable(reason: "libcurl takes no transfer")) }
            return .success(stream)
        } catch {
            return .failure(.unreachable(reason: error.reason))
        }
    }

    private func give(_ room: UnsafeMutableRawBufferPointer) -> Int {
        guard let pipe = transfer.upload?.pipe else {
            let bytes = transfer.call.bytes ?? []
            let part = bytes[min(sent, bytes.count)...].prefix(room.count)
            room.copyBytes(from: part)
            sent += part.count
            return part.count
        }
        switch pipe.take(room.count) {
        case .bytes(let bytes):
            room.copyBytes(from: bytes)
            return bytes.count
        case .none:
            isSendingPaused = true
            return Self.pause
        case .end: return 0
        case .broken: return Self.abort
        }
    }

    private func take(_ bytes: UnsafeRawBufferPointer) -> Int {
        switch transfer.download.give(Array(bytes)) {
        case .taken:
            if !hasHead {
                hasHead = true
                transfer.respond(.success(head))
            }
            return bytes.count
        case .full:
            unreadSince = .now
            return Self.pause
        case .broken: return 0
        }
    }

    private var head: StreamTransfer.Head {
        StreamTransfer.Head(status: handle.number(CURLINFO_RESPONSE_CODE), headers: handle.headers)
    }

    /// Goes on with what waited for the task.
    func goOn() {
        let (sends, receives) = (
            isSendingPaused && transfer.upload?.pipe.hasNews == true, unreadSince != nil && transfer.download.hasRoom
        )
        guard sends || receives else { return }
        if sends { isSendingPaused = false }
        if receives { unreadSince = nil }
        handle.pause(sending: isSendingPaused, receiving: unreadSince != nil)
    }

    /// Whether nobody has taken anything of the response for so long.
    func isUnread(for limit: Duration) -> Bool {
        guard let unreadSince, !transfer.download.hasRoom else { return false }
        return .now - unreadSince >= limit
    }

    /// Whether the name may still be looked up, by a thread that libcurl leaves alone when the transfer ends. The code says how it
    /// ended; `nil` for one that was broken off.
    func leavesLookup(_ code: CURLcode?) -> Bool {
        !handle.hasConnected && (code == nil || code == CURLE_OPERATION_TIMEDOUT)
    }

    func outcome(_ code: CURLcode) -> Result<StreamTransfer.Head, WebFault> {
        if code == CURLE_OK { return .success(head) }
        if let address = handle.refusedAddress {
            return .failure(.addressRefused(reason: "\(address.text) is not public, or not asked by https"))
        }
        return .failure(.unreachable(reason: CurlHandle.reason(for: code)))
    }
}

/// libcurl's set of transfers. Only the thread of `CurlStreams` uses it, but for `wake`, which any thread may call.
final class CurlMulti: Sendable {
    // libcurl lets one thread call everything and the others `curl_multi_wakeup`; it is freed when no thread has it.
    nonisolated(unsafe) private let pointer: UnsafeMutableRawPointer

    init?() {
        CurlHandle.prepareLibrary()
        guard let pointer = curl_multi_init() else { return nil }
        self.pointer = pointer
    }

    deinit { curl_multi_cleanup(pointer) }

    func wake() { curl_multi_wakeup(pointer) }

    func add(_ handle: CurlHandle) -> Bool { curl_multi_add_handle(pointer, handle.pointer) == CURLM_OK }

    func remove(_ handle: CurlHandle) { curl_multi_remove_handle(pointer, handle.pointer) }

    func perform() {
        var running: Int32 = 0
        curl_multi_perform(pointer, &running)
    }

    /// Waits for the network, for `wake`, or for a second.
    func wait() {
        curl_multi_poll(pointer, nil, 0, 1000, nil)
    }

    func nextFinished() -> (handle: UnsafeMutableRawPointer, code: CURLcode)? {
        var left: Int32 = 0
        while let message = curl_multi_info_read(pointer, &left) {
            guard message.pointee.msg == CURLMSG_DONE, let handle = message.pointee.easy_handle else { continue }
            return (handle, message.pointee.data.result)
        }
        return nil
    }
}
