import OutboundServices
import ParseAPI

/// Asks the Parse Servers of apps by libcurl, under the rules for all addresses that tenants give.
struct CurlUpstream: ParseUpstream {
    /// A request waits for half a minute at most, and responses are read up to 8 MiB.
    static let limits = CurlCaller.Limits(whole: .seconds(30), answerBytes: 8 * 1024 * 1024)

    let call: CurlCaller

    func callAsFunction(_ request: UpstreamRequest) async -> UpstreamResponse? {
        guard let method = WebCall.Method(rawValue: request.method) else { return nil }
        var asked = WebCall(method, request.url, headers: request.headers)
        if method != .get || !request.body.isEmpty { asked.bytes = request.body }
        do {
            let response = try await call(asked)
            return UpstreamResponse(status: response.status, headers: response.headers, body: response.body)
        } catch {
            // The log has the reason; the app learns that there is no response.
            return nil
        }
    }
}
