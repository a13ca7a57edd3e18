import Foundation
import HTTPTypes
package import Hummingbird
import HummingbirdCore
import NIOCore
package import Logging
import Synchronization

/// Serves fake providers on a loopback port, each below a path of its own.
package final class FakeProviderServer: Sendable {
    private let providers = Mutex<[String: any FakeProvider]>([:])

    package init() {}

    /// Puts a provider at `/name`.
    package func add(_ provider: any FakeProvider, named name: String) {
        providers.withLock { $0[name] = provider }
    }

    /// Puts a provider at a name that no other one has.
    ///
    /// - Returns: The name.
    package func add(_ provider: any FakeProvider) -> String {
        providers.withLock { providers in
            let name = "provider-\(providers.count)"
            providers[name] = provider
            return name
        }
    }

    /// Serves on any free port until the process ends.
    ///
    /// - Returns: The address; one where nobody listens when there is no free port.
    package func start() -> Task<String, Never> {
        Task {
            let (addresses, continuation) = AsyncStream<String>.makeStream()
            // Nobody awaits it: it holds nothing but its port, which the end of the process frees.
            Task.detached {
                try await self.run(logger: Logger(label: "fake") { _ in SwiftLogNoOpLogHandler() }) {
                    continuation.yield($0)
                }
            }
            return await addresses.first { _ in true } ?? "http://127.0.0.1:9"
        }
    }

    /// Serves until it is cancelled or the program is asked to stop.
    ///
    /// - Parameters:
    ///   - port: The port; 0 for any free one.
    ///   - logger: The log.
    ///   - onListening: Called once with the address, `http://127.0.0.1:4711`.
    /// - Throws: when the port cannot be listened on.
    package func run(
        port: Int = 0, logger: Logger, onListening: @escaping @Sendable (String) async -> Void
    ) async throws {
        try await application(port: port, logger: logger, onListening: onListening).run()
    }

    /// The same as a service, for programs that run several.
    package func application(
        port: Int = 0, logger: Logger, onListening: @escaping @Sendable (String) async -> Void
    ) -> some ApplicationProtocol {
        Application(
            responder: CallbackResponder { (request: Request, _: BasicRequestContext) in await self.respond(to: request)
            },
            configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port)),
            onServerRunning: { channel in
                await onListening("http://127.0.0.1:\(channel.localAddress?.port ?? port)")
            },
            logger: logger)
    }

    private func respond(to request: Request) async -> Response {
        let parts = request.uri.path.split(separator: "/", maxSplits: 1)
        guard let name = parts.first, let provider = providers.withLock({ $0[String(name)] }) else {
            return Response(status: .notFound)
        }
        var headers: [String: String] = [:]
        for field in request.headers { headers[field.name.canonicalName] = field.value }
        // A body that breaks off is no request worth an answer.
        guard let body = try? await request.body.collect(upTo: 1024 * 1024) else {
            return Response(status: .badRequest)
        }
        let answer = await provider.answer(
            FakeRequest(
                method: request.method.rawValue, path: parts.count > 1 ? "/\(parts[1])" : "/",
                query: FakeRequest.fields(request.uri.query ?? ""), headers: headers,
                body: Array(body.readableBytesView)))
        if let file = answer.file {
            return Response(
                status: .init(code: answer.status), headers: [.contentType: file.type],
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: file.bytes)))
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // JSON values always encode.
        guard let json = answer.json, let bytes = try? encoder.encode(json) else {
            return Response(
                status: .init(code: answer.status), headers: answer.location.map { [.location: $0] } ?? [:])
        }
        return Response(
            status: .init(code: answer.status), headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }
}
