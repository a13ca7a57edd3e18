import Foundation
package import Okaeri
import OutboundServices

/// The SDK's requests by libcurl, for commands and their tests.
///
/// `URLSession` on Linux keeps two threads busy as long as it waits for a response (Swift 6.3.1: the socket stays writable, and
/// each time that is handled as news), and so takes the processor from the server that it asks.
package struct CurlTransport: Transport {
    /// The one that commands share. Its threads start at the first request.
    package static let shared = CurlTransport(requestsAtOnce: 6)

    /// The longest response that is read, in bytes.
    private static let maximumBytes = 4_194_304
    private static let longest: Duration = .seconds(120)

    private let caller: CurlCaller

    package init(requestsAtOnce: Int) {
        caller = CurlCaller(
            limits: CurlCaller.Limits(whole: Self.longest, answerBytes: Self.maximumBytes, calls: requestsAtOnce),
            policy: .unlimited)
    }

    package func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        guard let method = WebCall.Method(rawValue: request.method) else {
            throw .unreachable("\(request.method) is not sent by commands")
        }
        let headers = request.headers.all.map { (name: $0.key, value: $0.value) }
        var call = WebCall(method, request.url.absoluteString, headers: headers)
        call.bytes = request.body.map(Array.init)
        call.timeLimit = request.timeout
        do throws(WebFault) {
            let response = try await caller(call)
            return TransportResponse(
                status: response.status, headers: HeaderFields(response.headers), body: Data(response.body))
        } catch {
            throw .unreachable("\(error)")
        }
    }
}
