import CCurl
import Foundation
import Synchronization
import Threads

/// Asks other servers by libcurl, on threads of its own.
///
/// Only https, with certificates checked; http is for loopback addresses, where the fakes of tests and of development
/// listen. Redirections are not followed: an answer from elsewhere is not the provider's (requirement 44).
package final class CurlCaller: WebCaller {
    package struct Limits: Sendable {
        /// How long name look-up, connection and TLS may take, in all.
        package var connecting: Duration
        /// How long the whole call may take.
        package var whole: Duration
        /// The longest answer that is read.
        package var answerBytes: Int

        package init(
            connecting: Duration = .seconds(4), whole: Duration = .seconds(10), answerBytes: Int = 256 * 1024
        ) {
            self.connecting = connecting
            self.whole = whole
            self.answerBytes = answerBytes
        }
    }

    /// Calls under way at once, and calls that may wait for them.
    private static let threadCount = 6
    private static let maximumWaiting = 256

    private let limits: Limits
    private let asksThisMachine: Bool
    private let observer = Mutex<(@Sendable (String) -> Void)?>(nil)
    /// Made at the first call: commands and most servers never make one.
    private let threads = Mutex<WorkerThreads?>(nil)

    /// - Parameters:
    ///   - limits: Times and sizes.
    ///   - asksThisMachine: Whether http is allowed to loopback addresses.
    package init(limits: Limits = Limits(), asksThisMachine: Bool = false) {
        self.limits = limits
        self.asksThisMachine = asksThisMachine
    }

    /// Called with a sentence for the log when a call fails; whoever caused it learns none of it.
    package func observeFaults(_ observer: @escaping @Sendable (String) -> Void) {
        self.observer.withLock { $0 = observer }
    }

    /// Ends the threads when the calls under way are over.
    package func close() async {
        await threads.withLock { $0 }?.close()
    }

    package func callAsFunction(_ call: WebCall) async throws(WebFault) -> WebAnswer {
        guard let protocols = Self.allowedProtocols(for: call.url, onThisMachine: asksThisMachine) else {
            throw .addressRefused
        }
        let limits = limits
        let outcome: Result<WebAnswer, WebFault>
        do {
            outcome = try await workers().run { Self.perform(call, protocols, limits) }
        } catch {
            throw .tooBusy
        }
        if case .failure(.unreachable(let reason)) = outcome {
            // The host alone: paths and queries can hold tokens.
            let host = URLComponents(string: call.url)?.host ?? ""
            observer.withLock { $0 }?("\(host): \(reason)")
        }
        return try outcome.get()
    }

    private func workers() -> WorkerThreads {
        threads.withLock { threads in
            if let threads { return threads }
            let new = WorkerThreads(
                name: "okaeri-calls", count: Self.threadCount, maximumWaiting: Self.maximumWaiting)
            threads = new
            return new
        }
    }

    /// Whether an address may be asked.
    ///
    /// - Parameters:
    ///   - url: The address.
    ///   - onThisMachine: Whether http to loopback addresses counts.
    /// - Returns: `false` also for what is no address, and for one with a name or password in it.
    package static func isAllowed(_ url: String, onThisMachine: Bool) -> Bool {
        allowedProtocols(for: url, onThisMachine: onThisMachine) != nil
    }

    private static func allowedProtocols(for url: String, onThisMachine: Bool) -> String? {
        guard let parts = URLComponents(string: url), let host = parts.host?.lowercased(), !host.isEmpty,
            parts.user == nil, parts.password == nil
        else { return nil }
        switch parts.scheme?.lowercased() {
        case "https": return "https"
        case "http" where onThisMachine && ["127.0.0.1", "::1", "[::1]", "localhost"].contains(host): return "http"
        default: return nil
        }
    }

    private static func perform(
        _ call: WebCall, _ protocols: String, _ limits: Limits
    ) -> Result<WebAnswer, WebFault> {
        do throws(CurlHandle.Fault) {
            let handle = try CurlHandle(
                maximumBytes: limits.answerBytes, connectLimit: limits.connecting, timeLimit: limits.whole)
            try handle.set(CURLOPT_URL, call.url)
            try handle.set(CURLOPT_PROTOCOLS_STR, protocols)
            try handle.set(CURLOPT_FOLLOWLOCATION, 0)
            try handle.set(CURLOPT_SSL_VERIFYPEER, 1)
            try handle.set(CURLOPT_SSL_VERIFYHOST, 2)
            try handle.set(CURLOPT_USERAGENT, "okaeri")
            // Without it the proxy of an environment variable would see the calls to this machine.
            if protocols == "http" { try handle.set(CURLOPT_NOPROXY, "*") }
            var lines = ["Accept: application/json", "Expect:"]
            lines += call.headers.map { "\($0.name): \($0.value)" }
            try handle.set(CURLOPT_HTTPHEADER, lines)
            if call.method == .post {
                let body = call.body ?? ""
                try handle.set(CURLOPT_POSTFIELDSIZE, body.utf8.count)
                try handle.set(CURLOPT_COPYPOSTFIELDS, body)
            }
            let bytes = try handle.perform()
            return .success(WebAnswer(status: handle.number(CURLINFO_RESPONSE_CODE), body: bytes))
        } catch {
            return .failure(.unreachable(reason: error.reason))
        }
    }
}
