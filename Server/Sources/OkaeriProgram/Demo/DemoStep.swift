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
        let folder = try settings().dataFolder
        guard let running = ServerInfoFile.read(in: folder), let server = URL(string: running.url) else {
            throw .failed(
                "No server runs on the data folder \(folder). Start one with “okaeri serve --data \(folder)”, or name another "
                    + "folder with --data.")
        }
        return server
    }
}
