import ArgumentParser
import Hummingbird
import NIOCore

/// A Hummingbird server with one route for each method, that answers a body of a given size and does nothing else but
/// read the request's body where there may be one.
struct BareCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bare", abstract: "Serve one bare route until stopped.")

    @Option(help: "The port to listen at on 127.0.0.1.")
    var port: Int
    @Option(help: "The length of the body that answers GET.")
    var bodyBytes = 500
    @Option(help: "The length of the body that answers POST.")
    var postBodyBytes = 700

    func run() async throws {
        let body = ByteBuffer(repeating: UInt8(ascii: "x"), count: bodyBytes)
        let postBody = ByteBuffer(repeating: UInt8(ascii: "x"), count: postBodyBytes)
        let router = Router()
        router.get("/bare") { _, _ in
            Response(status: .ok, headers: [.contentType: "application/json"], body: ResponseBody(byteBuffer: body))
        }
        router.post("/bare") { request, _ in
            _ = try await request.body.collect(upTo: 1_048_576)
            return Response(
                status: .ok, headers: [.contentType: "application/json"], body: ResponseBody(byteBuffer: postBody))
        }
        let application = Application(
            router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: port)))
        try await application.runService()
    }
}
