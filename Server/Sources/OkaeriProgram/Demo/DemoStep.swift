import Foundation
import OkaeriServer

/// A scene of an old backend's app, as it went.
struct DemoStep: Encodable {
    /// The scene's stable name.
    let scene: String
    let outcome: String
    let user: String

    static func write(_ steps: [DemoStep], _ output: OutputOptions) {
        guard !output.isJSON else { return Console.write(json: ["steps": steps]) }
        for step in steps { Console.write("\(step.outcome)\n  \(step.user)") }
    }
}

extension StorageOptions {
    /// The address of the server that runs on the data folder.
    ///
    /// - Throws: `CommandFault` when none runs there.
    func runningServer() throws(CommandFault) -> URL {
        let running = try settings().requireRunningServer()
        guard let server = URL(string: running.url) else {
            throw .failed("server.json names an address that is none: \(running.url).")
        }
        return server
    }
}
