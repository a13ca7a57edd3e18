import Domain
import NIOCore
import OutboundServices
import ParseAPI

/// Asks the Parse Servers of apps by libcurl, under the rules for all addresses that tenants give.
struct CurlUpstream: ParseUpstream {
    let streams: CurlStreams
    /// `nil` while no traces are made.
    let tracer: Tracer?

    /// Of all transfers; what others ask is not to wait for one application's server, or for one client that reads nothing.
    private static let maximumOfApplication = 128
    private static let maximumOfAddress = 16
    /// Of those of an application whose responses are held, with all that came before them in their batches.
    private static let maximumHeld = 48
    /// Of one /48 network of IPv6, whose owner has 65,536 networks that count as addresses.
    private static let maximumOfSite = 3 * maximumOfAddress

    func callAsFunction(_ request: UpstreamRequest) async throws -> UpstreamResponse? {
        guard let method = WebCall.Method(rawValue: request.method) else { return nil }
        var call = WebCall(method, request.url, headers: request.headers)
        call.application = request.application
        let shares = shares(of: request)
        switch request.body {
        case .bytes(let bytes):
            if method != .get || !bytes.isEmpty { call.bytes = bytes }
            return await response(to: call, nil, of: shares)
        case .pieces(let byteCount, let read):
            let upload = streams.upload(byteCount: byteCount, of: call)
            return try await withThrowingTaskGroup(of: Outcome.self) { group in
                group.addTask {
                    do {
                        try await read { piece in try await upload.pipe.send(Array(piece.readableBytesView)) }
                        upload.pipe.finish()
                    } catch is BytePipe.Broken {
                        // The other server answered before it had everything, or is gone: the call says which.
                    } catch {
                        upload.pipe.leave()
                        throw error
                    }
                    return .sent
                }
                group.addTask { [call] in .answered(await response(to: call, upload, of: shares)) }
                defer { group.cancelAll() }
                while let outcome = try await group.next() {
                    guard case .answered(let response) = outcome else { continue }
                    // A call whose body was given up may end before reading does, which has the reason.
                    if response != nil || !upload.pipe.isLeft { return response }
                }
                return nil
            }
        }
    }

    private enum Outcome: Sendable {
        case sent
        case answered(UpstreamResponse?)
    }

    /// An address counts when it is one client's: a listed proxy wrote it, or it is of the public internet. Behind a proxy that
    /// is not listed, or a container's gateway, all clients have one private address.
    private func shares(of request: UpstreamRequest) -> [TransferShare] {
        var shares = [TransferShare.application(request.application, maximum: Self.maximumOfApplication)]
        if request.isHeld { shares.append(.held(of: request.application, maximum: Self.maximumHeld)) }
        guard let client = request.client,
            request.isClientForwarded || IPAddress(exactly: client.text)?.isPublic == true
        else { return shares }
        shares.append(.address(client, in: request.application, maximum: Self.maximumOfAddress))
        if let site = TransferShare.site(of: client, in: request.application, maximum: Self.maximumOfSite) {
            shares.append(site)
        }
        return shares
    }

    /// - Returns: `nil` when there is none: the log has the reason.
    private func response(
        to call: WebCall, _ upload: CurlStreams.Upload?, of shares: [TransferShare]
    ) async -> UpstreamResponse? {
        var call = call
        let span = tracer?.beginCall(call.method.rawValue)
        if let span { call.headers += TraceHeaders.of(span) }
        do throws(WebFault) {
            let response = try await streams(call, upload, of: shares)
            span?.endCall(call, status: response.status)
            return UpstreamResponse(status: response.status, headers: response.headers) {
                try await response.next().map { ByteBuffer(bytes: $0) }
            }
        } catch {
            span?.endCall(call, fault: error)
            return nil
        }
    }
}
