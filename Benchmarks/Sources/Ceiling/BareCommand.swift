import ArgumentParser
import Hummingbird
import NIOCore

/// A Hummingbird server with one route that answers a body of a given size and does nothing else.
struct BareCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bare", abstract: "Serve one bare route until stopped.")

    @Option(help: "The port to listen at on 127.0.0.1.")
    var port: Int
    @Option(help: "The length of the answer's body.")
    var bodyBytes = 500

    func run() async throws {
        let body = ByteBuffer(repeating: UInt8(ascii: "x"), count: bodyBytes)
        let router = Router()
        for method: HTTPRequest.Method in [.get, .post] {
            router.on("/bare", method: method) { _, _ in
                Response(
                    status: .ok, headers: [.contentType: "application/json"],
                    body: ResponseBody(byteBuffer: body))
            }
        }
        let application = Application(
            router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port)))
        try await application.runService()
    }
}
