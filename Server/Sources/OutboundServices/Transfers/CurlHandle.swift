import CCurl
import Domain
import Foundation
import OkaeriWire

/// One transfer by libcurl: its options, the bytes it sends, and the bytes it received.
///
/// Used by one thread at a time. `perform` blocks until the transfer ends or its time is over.
final class CurlHandle {
    private let handle: UnsafeMutableRawPointer
    /// For libcurl's set of transfers, by which it is found again.
    var pointer: UnsafeMutableRawPointer { handle }
    private var lists: [UnsafeMutablePointer<curl_slist>] = []
    private var outgoing = Outgoing()
    private var incoming: Incoming
    /// Where bytes come from and go to when they are not kept here; each returns what its callback does.
    private var source: ((UnsafeMutableRawBufferPointer) -> Int)?
    private var sink: ((UnsafeRawBufferPointer) -> Int)?
    /// The header fields of the last response, by names in lower case.
    private(set) var headers: [String: String] = [:]
    /// The lines of heads and trailers that came, and their bytes.
    private var lines = 0
    private var lineBytes = 0
    private var mayConnect: ((IPAddress) -> Bool)?
    private var isOver: ((_ hasTakenAll: Bool) -> Bool)?
    /// The last address that `connectOnly` did not permit.
    private(set) var refusedAddress: IPAddress?
    /// Whether `connectOnly` was asked: the name has been looked up.
    private(set) var hasConnected = false

    /// What is sent, and how far it was.
    private struct Outgoing {
        var bytes: [UInt8] = []
        var position = 0
    }

    /// What was received.
    private struct Incoming {
        var bytes: [UInt8] = []
        let maximumBytes: Int
    }

    /// The outcome of a transfer that libcurl could not complete.
    struct Fault: Error, Hashable {
        /// The number that libcurl gives the kind of fault.
        let code: UInt32
        /// The same in words, for the log.
        let reason: String
    }

    /// A handle with time limits, without signals, and without a TLS before 1.2, whatever the system's libraries would still take.
    ///
    /// The other side is a stranger, and its transfer has a thread that others wait for. So it speaks HTTP/1.1, whose bytes that are
    /// no response are few, and no exchange of keys whose numbers it chooses: one by 10,000 bits takes half a second.
    ///
    /// - Parameters:
    ///   - maximumBytes: The most bytes that are taken from the other side; more fail the transfer.
    ///   - connectLimit: How long name look-up, connection and TLS may take, in all.
    ///   - timeLimit: How long the whole transfer may take.
    /// - Throws: `Fault` when libcurl cannot make one, that is, without memory.
    init(maximumBytes: Int, connectLimit: Duration, timeLimit: Duration) throws(Fault) {
        _ = Self.library
        guard let handle = curl_easy_init() else {
            throw Fault(code: CURLE_FAILED_INIT.rawValue, reason: "libcurl cannot make a handle")
        }
        self.handle = handle
        incoming = Incoming(maximumBytes: maximumBytes)
        try set(CURLOPT_NOSIGNAL, 1)
        try set(CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2)
        try set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1)
        if okaeri_curl_has_openssl() != 0 { try set(CURLOPT_SSL_CIPHER_LIST, "DEFAULT:!DHE") }
        try set(CURLOPT_CONNECTTIMEOUT_MS, connectLimit.curlMilliseconds)
        try set(CURLOPT_TIMEOUT_MS, timeLimit.curlMilliseconds)
    }

    deinit {
        curl_easy_cleanup(handle)
        for list in lists { curl_slist_free_all(list) }
    }

    func set(_ option: CURLoption, _ value: Int) throws(Fault) {
        try check(okaeri_curl_set_long(handle, option, value))
    }

    /// libcurl copies the text.
    func set(_ option: CURLoption, _ value: String) throws(Fault) {
        try check(okaeri_curl_set_text(handle, option, value))
    }

    func set(_ option: CURLoption, _ values: [String]) throws(Fault) {
        var list: UnsafeMutablePointer<curl_slist>?
        for value in values { list = curl_slist_append(list, value) }
        guard let list else { return }
        lists.append(list)
        try check(okaeri_curl_set_list(handle, option, list))
    }

    /// Trusts the system's file of certificates alone, which is read once in ten minutes for all transfers of a set. Else each of them
    /// read it anew, which takes twenty times as long as its handshake.
    func trustFile() throws(Fault) {
        try check(okaeri_curl_trust_file(handle, 600))
    }

    /// Asks before each connection, with the very address that it is about to be made to: later than any name look-up.
    func connectOnly(to isPermitted: @escaping (IPAddress) -> Bool) throws(Fault) {
        mayConnect = isPermitted
        // The context is this object, which lives until a transfer returns.
        try check(
            okaeri_curl_set_pointer(handle, CURLOPT_OPENSOCKETDATA, Unmanaged.passUnretained(self).toOpaque()))
        try check(
            okaeri_curl_set_open_socket(handle) { context, _, address in
                guard let address, let transfer = CurlHandle.from(context), transfer.permits(address) else {
                    return okaeri_curl_no_socket()
                }
                return okaeri_curl_open_socket(address)
            })
    }

    private func permits(_ socket: UnsafePointer<curl_sockaddr>) -> Bool {
        hasConnected = true
        var bytes: (UInt64, UInt64) = (0, 0)
        let address: IPAddress
        switch withUnsafeMutableBytes(of: &bytes, { okaeri_curl_address(socket, $0.baseAddress) }) {
        case 4: address = IPAddress(ipv4: UInt32(truncatingIfNeeded: UInt64(bigEndian: bytes.0) >> 32))
        case 16: address = IPAddress(high: UInt64(bigEndian: bytes.0), low: UInt64(bigEndian: bytes.1))
        default: return false
        }
        guard let mayConnect, mayConnect(address) else {
            refusedAddress = address
            return false
        }
        return true
    }

    /// Ends the transfer before its time limit, as if that were over.
    ///
    /// - Parameter isOver: Asked at least once a second, with whether libcurl has taken all bytes that `perform` was to send.
    /// - Throws: `Fault`.
    func endEarly(when isOver: @escaping (_ hasTakenAll: Bool) -> Bool) throws(Fault) {
        self.isOver = isOver
        // The context is this object, which lives until a transfer returns.
        try check(okaeri_curl_set_pointer(handle, CURLOPT_XFERINFODATA, Unmanaged.passUnretained(self).toOpaque()))
        try check(
            okaeri_curl_set_progress(handle) { context, _, _, _, _ in
                guard let transfer = CurlHandle.from(context), let isOver = transfer.isOver else { return 0 }
                return isOver(transfer.hasTakenAll) ? 1 : 0
            })
        try set(CURLOPT_NOPROGRESS, 0)
    }

    /// The number that libcurl tells about the transfer, as `CURLINFO_RESPONSE_CODE`.
    func number(_ info: CURLINFO) -> Int {
        var value = 0
        return okaeri_curl_get_long(handle, info, &value) == CURLE_OK ? value : 0
    }

    /// Whether libcurl has taken all bytes that `perform` was to send.
    var hasTakenAll: Bool { outgoing.position == outgoing.bytes.count }

    /// Sends the bytes, if any, and waits for the end.
    ///
    /// - Returns: the bytes of the answer's body.
    /// - Throws: `Fault`.
    func perform(sending bytes: [UInt8] = []) throws(Fault) -> [UInt8] {
        outgoing = Outgoing(bytes: bytes)
        try setCallbacks()
        let outcome = withExtendedLifetime(self) { curl_easy_perform(handle) }
        try check(outcome == CURLE_ABORTED_BY_CALLBACK ? CURLE_OPERATION_TIMEDOUT : outcome)
        return incoming.bytes
    }

    /// Receives nothing more. When a handle goes, libcurl says `QUIT` to a mail server, and would wait for the answer for as long as for
    /// any other: no limit of the transfer holds by then.
    func stopReceiving() { okaeri_curl_stop_receiving(handle) }

    /// Takes bytes from elsewhere, and hands on what comes, once the transfer is in a set.
    func stream(
        from source: @escaping (UnsafeMutableRawBufferPointer) -> Int,
        to sink: @escaping (UnsafeRawBufferPointer) -> Int
    ) throws(Fault) {
        (self.source, self.sink) = (source, sink)
        try setCallbacks()
    }

    /// Rests or goes on in each direction (`CURLPAUSE_RECV`, `CURLPAUSE_SEND`).
    func pause(sending: Bool, receiving: Bool) {
        // What fails here ends the transfer, which says so itself.
        _ = curl_easy_pause(handle, (receiving ? 1 : 0) | (sending ? 4 : 0))
    }

    private func setCallbacks() throws(Fault) {
        // All contexts are this object, which lives until the transfer ends.
        let context = Unmanaged.passUnretained(self).toOpaque()
        try check(okaeri_curl_set_pointer(handle, CURLOPT_READDATA, context))
        try check(
            okaeri_curl_set_transfer(handle, CURLOPT_READFUNCTION) { start, size, count, context in
                CurlHandle.from(context)?.give(start, size * count) ?? 0
            })
        try check(okaeri_curl_set_pointer(handle, CURLOPT_WRITEDATA, context))
        try check(
            okaeri_curl_set_transfer(handle, CURLOPT_WRITEFUNCTION) { start, size, count, context in
                CurlHandle.from(context)?.take(start, size * count) ?? 0
            })
        try check(okaeri_curl_set_pointer(handle, CURLOPT_HEADERDATA, context))
        try check(
            okaeri_curl_set_transfer(handle, CURLOPT_HEADERFUNCTION) { start, size, count, context in
                CurlHandle.from(context)?.takeHeader(start, size * count) ?? 0
            })
    }

    private static func from(_ context: UnsafeMutableRawPointer?) -> CurlHandle? {
        context.map { Unmanaged<CurlHandle>.fromOpaque($0).takeUnretainedValue() }
    }

    private func give(_ start: UnsafeMutablePointer<CChar>?, _ room: Int) -> Int {
        guard let start else { return 0 }
        if let source { return source(UnsafeMutableRawBufferPointer(start: start, count: room)) }
        let count = min(room, outgoing.bytes.count - outgoing.position)
        outgoing.bytes.withUnsafeBytes { bytes in
            guard count > 0, let first = bytes.baseAddress else { return }
            UnsafeMutableRawPointer(start).copyMemory(from: first + outgoing.position, byteCount: count)
        }
        outgoing.position += count
        return count
    }

    private func take(_ start: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
        guard let start else { return 0 }
        if let sink { return sink(UnsafeRawBufferPointer(start: start, count: count)) }
        guard incoming.bytes.count + count <= incoming.maximumBytes else { return 0 }
        incoming.bytes.append(contentsOf: UnsafeRawBufferPointer(start: start, count: count))
        return count
    }

    /// The most header fields that are kept, and the longest.
    private static let maximumHeaders = 64
    private static let maximumHeaderBytes = 4096
    /// The most lines of heads and trailers that a transfer may have, and their bytes. libcurl keeps each of them, and bounds
    /// trailers by nothing but time.
    private static let maximumLines = 1000
    private static let maximumLineBytes = 256 * 1024

    /// Keeps a header field of a stranger's. It is looked at as bytes: a name or a value that is not stream-safe would hold up
    /// all transfers of the thread (requirement 47), and counts as not sent, as in requests.
    private func takeHeader(_ start: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
        guard let start else { return count }
        (lines, lineBytes) = (lines + 1, lineBytes + count)
        // Another number than the line's ends the transfer.
        guard lines <= Self.maximumLines, lineBytes <= Self.maximumLineBytes else { return 0 }
        let line = UnsafeRawBufferPointer(start: start, count: count)
        // A status line begins another response: that before was an interim one.
        if line.starts(with: "HTTP/".utf8) { headers = [:] }
        guard headers.count < Self.maximumHeaders, count <= Self.maximumHeaderBytes,
            let colon = line.firstIndex(of: UInt8(ascii: ":"))
        else { return count }
        let name = line[..<colon]
        var value = line[line.index(after: colon)...]
        while let first = value.first, Self.isSpace(first) { value.removeFirst() }
        while let last = value.last, Self.isSpace(last) { value.removeLast() }
        guard !name.isEmpty, name.allSatisfy({ (0x21...0x7e).contains($0) }),
            let text = StreamSafeText.text(of: value)
        else { return count }
        headers[String(decoding: name, as: UTF8.self).lowercased()] = text
        return count
    }

    /// What stands around values, and ends lines.
    private static func isSpace(_ byte: UInt8) -> Bool {
        [UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n")].contains(byte)
    }

    private func check(_ code: CURLcode) throws(Fault) {
        guard code != CURLE_OK else { return }
        throw Fault(code: code.rawValue, reason: Self.reason(for: code))
    }

    /// What a kind of fault means, in libcurl's words but for one: it takes bytes that are not wanted for bytes that no disk has room for.
    static func reason(for code: CURLcode) -> String {
        code == CURLE_WRITE_ERROR ? "it answers with more than is read" : String(cString: curl_easy_strerror(code))
    }

    static func prepareLibrary() { _ = library }

    /// Made ready once for the process, before the first handle.
    private static let library: Void = {
        curl_global_init(Int(clamping: CURL_GLOBAL_DEFAULT))
    }()
}

extension Duration {
    /// Whole milliseconds, at least 1, because 0 means no limit to libcurl.
    fileprivate var curlMilliseconds: Int {
        max(1, Int(clamping: wholeMilliseconds))
    }
}
