import CCurl
import Domain
import Synchronization
import Threads

/// Asks other servers by libcurl, on threads of its own.
///
/// Only what an `EgressPolicy` permits, with certificates checked. Redirections are not followed: an answer from elsewhere is
/// not the provider's. Proxies of the environment are passed by, because they would look names up instead of us
/// (requirement 44).
package final class CurlCaller: WebCaller {
    package struct Limits: Sendable {
        /// How long name look-up, connection and TLS may take, in all.
        package var connecting: Duration
        /// How long the whole call may take.
        package var whole: Duration
        /// The longest answer that is read.
        package var answerBytes: Int
        /// Calls under way at once, each on a thread.
        package var calls: Int

        package init(
            connecting: Duration = .seconds(4), whole: Duration = .seconds(10), answerBytes: Int = 256 * 1024,
            calls: Int = 6
        ) {
            self.connecting = connecting
            self.whole = whole
            self.answerBytes = answerBytes
            self.calls = calls
        }
    }

    /// Calls that may wait for those under way.
    private static let maximumWaiting = 256

    private let limits: Limits
    package let policy: EgressPolicy
    private let certificates: String?
    private let resolve: @Sendable () -> [String]
    private let observer = Observer<String>()
    /// Made at the first call: commands and most servers never make one.
    private let threads = Mutex<WorkerThreads?>(nil)

    /// - Parameters:
    ///   - limits: Times and sizes.
    ///   - policy: Who may be asked.
    ///   - certificates: A file of certificates to trust instead of the system's; for tests.
    ///   - resolve: What stands in for name look-up at each call, as `CURLOPT_RESOLVE` takes it; for tests.
    package init(
        limits: Limits = Limits(), policy: EgressPolicy, certificates: String? = nil,
        resolve: @escaping @Sendable () -> [String] = { [] }
    ) {
        self.limits = limits
        self.policy = policy
        self.certificates = certificates
        self.resolve = resolve
    }

    /// How long name look-up, connection and TLS may take, in all.
    package var connecting: Duration { limits.connecting }

    /// One like it, with threads of its own, for addresses that tenants name.
    package func forTenants() -> CurlCaller {
        var limits = limits
        limits.calls = IdentityProviders.lanesOfTenants
        return CurlCaller(limits: limits, policy: policy.forTenants, certificates: certificates, resolve: resolve)
    }

    /// One like it, with threads of its own, for the provider of the admins.
    package func forAdmins() -> CurlCaller {
        var limits = limits
        limits.calls = IdentityProviders.callsOfAdmins
        return CurlCaller(limits: limits, policy: policy, certificates: certificates, resolve: resolve)
    }

    /// Called with a sentence for the log when a call fails; its caller learns none of it.
    package func observeFaults(_ observer: @escaping @Sendable (String) -> Void) {
        self.observer.set(observer)
    }

    /// Ends the threads when the calls under way are over.
    package func close() async {
        await threads.withLock { $0 }?.close()
    }

    package func mayAsk(_ url: String) -> Bool { policy.target(of: url) != nil }

    package func callAsFunction(_ call: WebCall) async throws(WebFault) -> WebResponse {
        guard let target = policy.target(of: call.url) else {
            throw logged(.addressRefused(reason: "it is not public, or not asked by https"), call)
        }
        let (limits, policy, certificates, resolve) = (limits, policy, certificates, resolve)
        let outcome: Result<WebResponse, WebFault>
        do {
            outcome = try await workers().run {
                Self.perform(call, target, policy, limits, certificates, resolve())
            }
        } catch {
            throw .tooBusy
        }
        switch outcome {
        case .success(let answer): return answer
        case .failure(let fault): throw logged(fault, call)
        }
    }

    private func logged(_ fault: WebFault, _ call: WebCall) -> WebFault {
        if let reason = fault.reason { observer.note("\(EgressPolicy.host(of: call.url)): \(reason)") }
        return fault
    }

    private func workers() -> WorkerThreads {
        threads.withLock { threads in
            if let threads { return threads }
            let new = WorkerThreads(
                name: "okaeri-calls", count: limits.calls, maximumWaiting: Self.maximumWaiting)
            threads = new
            return new
        }
    }

    private static func perform(
        _ call: WebCall, _ target: EgressPolicy.Target, _ policy: EgressPolicy, _ limits: Limits,
        _ certificates: String?, _ names: [String]
    ) -> Result<WebResponse, WebFault> {
        let handle: CurlHandle
        let whole = min(call.timeLimit ?? limits.whole, limits.whole)
        do throws(CurlHandle.Fault) {
            handle = try CurlHandle(
                maximumBytes: limits.answerBytes, connectLimit: min(limits.connecting, whole), timeLimit: whole)
            try handle.ask(call, target, policy, names: names, upload: nil)
            if let certificates { try handle.set(CURLOPT_CAINFO, certificates) }
        } catch {
            return .failure(.unreachable(reason: error.reason))
        }
        do throws(CurlHandle.Fault) {
            let bytes = try handle.perform(sending: call.bytes ?? [])
            var response = WebResponse(status: handle.number(CURLINFO_RESPONSE_CODE), body: bytes)
            response.headers = handle.headers
            return .success(response)
        } catch {
            guard let address = handle.refusedAddress else { return .failure(.unreachable(reason: error.reason)) }
            return .failure(.addressRefused(reason: "\(address.text) is not public, or not asked by https"))
        }
    }
}

extension CurlHandle {
    /// Sets everything of a request but its times and where its bytes go.
    ///
    /// - Throws: `Fault`.
    func ask(
        _ call: WebCall, _ target: EgressPolicy.Target, _ policy: EgressPolicy, names: [String],
        upload: CurlStreams.Upload?
    ) throws(Fault) {
        // libcurl sends a value as it is: behind the end of its line others would begin.
        guard call.headers.allSatisfy({ $0.value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f || $0 == 0x09 } }) else {
            throw Fault(code: CURLE_BAD_FUNCTION_ARGUMENT.rawValue, reason: "a header has a sign that ends it")
        }
        try set(CURLOPT_URL, call.url)
        // What was judged is what is sent: no dot segment is resolved.
        try set(CURLOPT_PATH_AS_IS, 1)
        try set(CURLOPT_PROTOCOLS_STR, target.scheme.rawValue)
        try set(CURLOPT_FOLLOWLOCATION, 0)
        try set(CURLOPT_PROXY, "")
        try set(CURLOPT_SSL_VERIFYPEER, 1)
        try set(CURLOPT_SSL_VERIFYHOST, 2)
        try set(CURLOPT_USERAGENT, "okaeri")
        try set(CURLOPT_RESOLVE, names)
        try connectOnly { policy.permits($0, for: target) }
        var lines = ["Expect:"]
        if !call.headers.contains(where: { $0.name == "Accept" }) { lines.append("Accept: application/json") }
        // libcurl would call any body a form.
        if call.bytes != nil || upload != nil, !call.headers.contains(where: { $0.name == "Content-Type" }) {
            lines.append("Content-Type:")
        }
        if let upload, upload.byteCount == nil { lines.append("Transfer-Encoding: chunked") }
        lines += call.headers.map { "\($0.name): \($0.value)" }
        try set(CURLOPT_HTTPHEADER, lines)
        if let upload {
            try set(CURLOPT_POST, 1)
            try set(CURLOPT_POSTFIELDSIZE, upload.byteCount ?? -1)
            try set(CURLOPT_CUSTOMREQUEST, call.method.rawValue)
        } else if let bytes = call.bytes {
            try set(CURLOPT_POST, 1)
            try set(CURLOPT_POSTFIELDSIZE, bytes.count)
            try set(CURLOPT_CUSTOMREQUEST, call.method.rawValue)
        } else if call.method != .get {
            let body = call.body ?? ""
            try set(CURLOPT_POSTFIELDSIZE, body.utf8.count)
            try set(CURLOPT_COPYPOSTFIELDS, body)
            try set(CURLOPT_CUSTOMREQUEST, call.method.rawValue)
        }
    }
}
