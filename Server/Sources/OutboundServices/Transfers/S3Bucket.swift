import CCurl
import Crypto
package import Domain
import Foundation
import Synchronization
import Threads

/// A bucket of a store that speaks S3, with the bucket's name in the path. Calls block.
///
/// The operator names the store, so that it may be anywhere, also on this machine. Each request is signed by libcurl (AWS
/// Signature Version 4), sent up to three times while the store does not answer, and holds a part of an object in memory.
/// A server that starts or stops waits for it, and so a store that says nothing at all has less time than one that is slow.
package struct S3Bucket: Sendable {
    package struct Fault: Error, Hashable {
        package let reason: String
        /// Whether there was no answer, so that another try may have one.
        fileprivate var isOfTransport = false
        /// The status of an answer that refused.
        fileprivate var status = 0
    }

    package struct Credentials: Sendable {
        package let accessKey: String
        package let secretKey: Secret
        package let sessionToken: Secret?

        package init(accessKey: String, secretKey: Secret, sessionToken: Secret?) {
            self.accessKey = accessKey
            self.secretKey = secretKey
            self.sessionToken = sessionToken
        }
    }

    /// How long nothing may come or go, in whole seconds.
    package struct SilenceLimits: Sendable {
        /// Before what a store lists, reads or removes.
        package var reading: Duration
        /// Before a store says that it has what it was sent, which it may write down first.
        package var storing: Duration

        package init(reading: Duration = .seconds(20), storing: Duration = .seconds(60)) {
            self.reading = reading
            self.storing = storing
        }
    }

    /// When nobody waits for the store any more.
    private final class Ending: Sendable {
        private let time = Mutex<ContinuousClock.Instant?>(nil)

        var hasCome: Bool { time.withLock { $0.map { $0 <= .now } ?? false } }

        func come(within duration: Duration) {
            let new = ContinuousClock.now + duration
            time.withLock { $0 = min($0 ?? new, new) }
        }
    }

    private enum Method: String {
        case get = "GET"
        case head = "HEAD"
        case put = "PUT"
        case post = "POST"
        case delete = "DELETE"
    }

    private struct Response {
        let status: Int
        let headers: [String: String]
        let body: [UInt8]
    }

    private static let tries = 3
    private static let maximumAnswerBytes = 64 << 20
    /// A list may have so many parts without a key, and so many keys. A replica of a year has fewer than ten millions.
    private static let (emptyParts, maximumKeys) = (100, 10_000_000)
    /// The beginning of every list, also of an empty one. A page that a proxy or another program gives has none.
    private static let listElement = Array("<ListBucketResult".utf8)
    private static let unlessThere = "If-None-Match: *"
    // What a store says of an object with a condition; a conflict is that of two requests at once, of which one may ask again.
    private static let (isMissing, isInConflict, isThere, isUnknown) = (404, 409, 412, 501)

    private let endpoint: String
    private let bucket: String
    private let region: String
    private let credentials: Credentials
    private let silence: SilenceLimits
    private let ending = Ending()

    /// - Parameters:
    ///   - endpoint: The store's address, without a slash at its end.
    ///   - bucket: The bucket's name.
    ///   - region: As it is signed.
    ///   - credentials: Whose the bucket is.
    ///   - silence: How long nothing may come or go.
    package init(
        endpoint: String, bucket: String, region: String, credentials: Credentials, silence: SilenceLimits
    ) {
        self.endpoint = endpoint
        self.bucket = bucket
        self.region = region
        self.credentials = credentials
        self.silence = silence
    }

    /// What has not ended after a time fails then, and so does whatever is asked later.
    package func end(within time: Duration) { ending.come(within: time) }

    package var address: String { "\(endpoint)/\(bucket)" }

    /// Stores an object whose bytes are all there.
    ///
    /// - Throws: `Fault` when the store refuses, or says nothing in three tries.
    package func put(_ bytes: [UInt8], as key: String) throws(Fault) {
        try Self.demandTag(of: perform(.put, key, body: bytes))
    }

    /// Every store gives what it has stored a tag. Something else at its address, as a proxy whose store is away, says 200 as well.
    private static func demandTag(of response: Response) throws(Fault) {
        guard response.headers["etag"] != nil else {
            throw Fault(reason: "it answers without an ETag, which stores give")
        }
    }

    /// Stores an object unless there is one of that name.
    ///
    /// A store that says that it does not know the condition is asked for the object first; one that takes no notice of it
    /// stores the object in any case.
    ///
    /// - Returns: whether it was stored. Also `false` when this very call stored it, and had to ask again as the answer was lost.
    /// - Throws: `Fault` when the store refuses for another reason.
    package func putNew(_ bytes: [UInt8], as key: String) throws(Fault) -> Bool {
        do throws(Fault) {
            try Self.demandTag(of: perform(.put, key, headers: [Self.unlessThere], body: bytes))
            return true
        } catch {
            if error.status == Self.isThere { return false }
            guard error.status == Self.isUnknown else { throw error }
        }
        guard try !has(key) else { return false }
        try put(bytes, as: key)
        return true
    }

    package func has(_ key: String) throws(Fault) -> Bool {
        do throws(Fault) {
            _ = try perform(.head, key)
            return true
        } catch {
            if error.status == Self.isMissing { return false }
            throw error
        }
    }

    /// Begins an object that comes in parts of at least 5 MiB, all but the last.
    ///
    /// - Returns: The upload's id.
    /// - Throws: `Fault` when the store refuses, or names no upload.
    package func beginUpload(of key: String) throws(Fault) -> String {
        let answer = try perform(.post, key, query: "uploads=", body: [])
        guard let id = Self.elements("UploadId", in: answer.body).first else {
            throw Fault(reason: "the store names no upload")
        }
        return id
    }

    /// - Returns: The part's tag, for `completeUpload`.
    /// - Throws: `Fault` when the store refuses, or gives no tag.
    package func uploadPart(_ number: Int, of upload: String, _ bytes: [UInt8], as key: String) throws(Fault) -> String
    {
        let query = "partNumber=\(number)&uploadId=\(upload.percentEncoded)"
        guard let tag = try perform(.put, key, query: query, body: bytes).headers["etag"] else {
            throw Fault(reason: "the store gives a part no tag")
        }
        return tag
    }

    /// Makes the object of its parts.
    ///
    /// - Returns: `false` when nothing is replaced and there is one of that name already; see `putNew`.
    /// - Throws: `Fault` when the store refuses, or says after its status that it made no object.
    package func completeUpload(
        _ upload: String, tags: [String], as key: String, replacing: Bool
    ) throws(Fault) -> Bool {
        let parts = tags.enumerated().map { number, tag in
            "<Part><PartNumber>\(number + 1)</PartNumber><ETag>\(tag)</ETag></Part>"
        }
        let body = "<CompleteMultipartUpload>\(parts.joined())</CompleteMultipartUpload>"
        let query = "uploadId=\(upload.percentEncoded)"
        let answer: Response
        do throws(Fault) {
            answer = try perform(
                .post, key, query: query, headers: replacing ? [] : [Self.unlessThere], body: Array(body.utf8))
        } catch {
            if !replacing, error.status == Self.isUnknown {
                guard try !has(key) else { return false }
                return try completeUpload(upload, tags: tags, as: key, replacing: true)
            }
            // Asked again after a lost answer, a store may also say that there is no such upload any more.
            guard !replacing, [Self.isThere, Self.isMissing].contains(error.status), try has(key) else { throw error }
            return false
        }
        // The status comes before the work is done: only the document says how it ended.
        guard Self.elements("ETag", in: answer.body).first != nil else {
            throw Fault(
                reason: Self.elements("Message", in: answer.body).first ?? "the store made no object of the parts")
        }
        return true
    }

    /// Forgets the parts of an upload that failed.
    ///
    /// - Throws: `Fault` when the store refuses.
    package func abortUpload(_ upload: String, of key: String) throws(Fault) {
        _ = try perform(.delete, key, query: "uploadId=\(upload.percentEncoded)")
    }

    package func byteCount(of key: String) throws(Fault) -> Int {
        let text = try perform(.head, key).headers["content-length"] ?? ""
        guard let count = Int(text, radix: 10), count >= 0 else { throw Fault(reason: "the store gives no length") }
        return count
    }

    package func read(_ key: String, from offset: Int, count: Int) throws(Fault) -> [UInt8] {
        guard count > 0 else { return [] }
        let bytes = try perform(.get, key, headers: ["Range: bytes=\(offset)-\(offset + count - 1)"]).body
        guard bytes.count == count else { throw Fault(reason: "the store gave another part than was asked for") }
        return bytes
    }

    package func remove(_ key: String) throws(Fault) {
        _ = try perform(.delete, key)
    }

    /// The keys that begin with a prefix, behind one of them in the order of their bytes.
    ///
    /// - Throws: `Fault` when the store refuses a part of the list, its answer is none, or its list does not end: a part leads to one
    ///   that was read already, or very many bring nothing.
    package func keys(prefix: String, after last: String?) throws(Fault) -> [String] {
        let beginning = last.map { "&start-after=\($0.percentEncoded)" } ?? ""
        var keys: [String] = []
        var tokens: Set<String> = []
        var from = ""
        while true {
            let answer = try perform(.get, "", query: "\(from)list-type=2&prefix=\(prefix.percentEncoded)\(beginning)")
            guard answer.body.firstRange(of: Self.listElement) != nil else {
                throw Fault(reason: "it answers, but with no list as a store has")
            }
            keys += Self.elements("Key", in: answer.body)
            guard let token = Self.elements("NextContinuationToken", in: answer.body).first?.percentEncoded else {
                return keys
            }
            guard tokens.insert(token).inserted, tokens.count <= keys.count + Self.emptyParts,
                keys.count <= Self.maximumKeys
            else { throw Fault(reason: "the store's list has no end") }
            from = "continuation-token=\(token)&"
        }
    }

    private func perform(
        _ method: Method, _ key: String, query: String = "", headers: [String] = [], body: [UInt8]? = nil
    ) throws(Fault) -> Response {
        var attempt = 1
        while true {
            do throws(Fault) {
                let response = try send(method, key, query, headers, body)
                let isForNow = response.status >= 500 && response.status != Self.isUnknown
                guard isForNow || response.status == Self.isInConflict, attempt < Self.tries, !ending.hasCome else {
                    return try Self.accepted(response)
                }
            } catch {
                guard attempt < Self.tries, error.isOfTransport, !ending.hasCome else { throw error }
            }
            SystemThread.sleep(.seconds(attempt))
            attempt += 1
        }
    }

    private func send(
        _ method: Method, _ key: String, _ query: String, _ headers: [String], _ body: [UInt8]?
    ) throws(Fault) -> Response {
        do throws(CurlHandle.Fault) {
            let handle = try CurlHandle(
                maximumBytes: Self.maximumAnswerBytes, connectLimit: .seconds(10), timeLimit: .seconds(300))
            let path = key.pieces(at: "/").map { "/" + String($0).percentEncoded }.joined()
            try handle.set(CURLOPT_URL, address + path + (query.isEmpty ? "" : "?\(query)"))
            try handle.endEarly { [ending] _ in ending.hasCome }
            if let silence = limit(of: method, hasBody: body?.isEmpty == false) {
                try handle.set(CURLOPT_LOW_SPEED_LIMIT, 1)
                try handle.set(CURLOPT_LOW_SPEED_TIME, max(1, Int(clamping: silence.components.seconds)))
            }
            try handle.set(CURLOPT_PROTOCOLS_STR, "http,https")
            try handle.set(CURLOPT_FOLLOWLOCATION, 0)
            // `http_proxy` of the environment is meant for other programs, as for all other connections of ours.
            try handle.set(CURLOPT_PROXY, "")
            try handle.set(CURLOPT_USERAGENT, "okaeri")
            try handle.set(CURLOPT_AWS_SIGV4, "aws:amz:\(region):s3")
            try handle.set(CURLOPT_USERPWD, "\(credentials.accessKey):\(credentials.secretKey.revealed)")
            let digest = Hexadecimal.text(of: SHA256.hash(data: body ?? []))
            // libcurl signs every header that is named here, also one without a value, which it does not send.
            var lines = ["x-amz-content-sha256: \(digest)"] + headers
            // Large parts are sent at once, whatever the store says of "Expect: 100-continue".
            try handle.set(CURLOPT_EXPECT_100_TIMEOUT_MS, 1)
            if let token = credentials.sessionToken { lines.append("x-amz-security-token: \(token.revealed)") }
            try handle.set(CURLOPT_HTTPHEADER, lines)
            if let body {
                try handle.set(CURLOPT_UPLOAD, 1)
                try handle.set(CURLOPT_INFILESIZE, body.count)
            }
            if method == .head { try handle.set(CURLOPT_NOBODY, 1) }
            if method != .head, method != .get { try handle.set(CURLOPT_CUSTOMREQUEST, method.rawValue) }
            let bytes = try handle.perform(sending: body ?? [])
            return Response(status: handle.number(CURLINFO_RESPONSE_CODE), headers: handle.headers, body: bytes)
        } catch {
            throw Fault(reason: error.reason, isOfTransport: true)
        }
    }

    /// How long nothing may come or go; `nil` while an object is made of its parts, which can take as long as the whole request may.
    private func limit(of method: Method, hasBody: Bool) -> Duration? {
        switch method {
        case .get, .head, .delete: silence.reading
        case .put: silence.storing
        case .post: hasBody ? nil : silence.reading
        }
    }

    private static func accepted(_ response: Response) throws(Fault) -> Response {
        guard !(200...299).contains(response.status) else { return response }
        let code = elements("Code", in: response.body).first.map { " (\($0))" } ?? ""
        throw Fault(reason: "the store answers \(response.status)\(code)", status: response.status)
    }

    /// The texts of all elements of a name that hold nothing but text, in the order of a document. By bytes: a text may begin
    /// with an accent, which is one character with the bracket before it.
    static func elements(_ name: String, in document: [UInt8]) -> [String] {
        let (opening, closing) = (Array("\(name)>".utf8), Array("/\(name)>".utf8))
        // A tag and the text behind it.
        let parts = document.split(separator: UInt8(ascii: "<"), omittingEmptySubsequences: false).dropFirst()
        return zip(parts, parts.dropFirst()).compactMap { part, next in
            part.starts(with: opening) && next.starts(with: closing) ? text(part.dropFirst(opening.count)) : nil
        }
    }

    /// What stands for signs of markup (XML 1.0 §4.6), also as stores write quotation marks that are made with Go.
    private static let references: [(name: [UInt8], sign: UInt8)] = [
        (Array("amp;".utf8), UInt8(ascii: "&")), (Array("lt;".utf8), UInt8(ascii: "<")),
        (Array("gt;".utf8), UInt8(ascii: ">")), (Array("quot;".utf8), UInt8(ascii: "\"")),
        (Array("#34;".utf8), UInt8(ascii: "\"")), (Array("apos;".utf8), UInt8(ascii: "'")),
        (Array("#39;".utf8), UInt8(ascii: "'")),
    ]

    private static func text(_ written: ArraySlice<UInt8>) -> String {
        let pieces = written.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
        var plain = Array(pieces[0])
        for piece in pieces.dropFirst() {
            let reference = references.first { piece.starts(with: $0.name) }
            plain.append(reference?.sign ?? UInt8(ascii: "&"))
            plain += piece.dropFirst(reference?.name.count ?? 0)
        }
        return String(decoding: plain, as: UTF8.self)
    }
}
