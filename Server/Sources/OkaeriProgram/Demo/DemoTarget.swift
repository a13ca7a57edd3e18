import Foundation
import OkaeriServer

/// Where the demo's app lives: its server, its application there, and the device's own storage.
struct DemoTarget {
    let server: URL
    let application: String
    let state: URL

    /// Takes what is not given from the data folder, as `make run` leaves it.
    ///
    /// - Parameters:
    ///   - server: The server's address; by default that of the server that runs on the data folder.
    ///   - application: The application's id; by default the one in the file `demo/application.json`.
    ///   - state: The folder that stands for the device's storage.
    ///   - settings: Where the data folder is.
    /// - Throws: `CommandFault` when the address is none, or the application is not given and there is no such file.
    init(server: String?, application: String?, state: String?, settings: ServerSettings) throws(CommandFault) {
        let folder = URL(fileURLWithPath: settings.dataFolder).appendingPathComponent("demo")
        // Without a running server the app is offline at the address where one would listen.
        let address =
            server ?? ServerInfoFile.read(in: settings.dataFolder)?.url ?? settings.url(port: settings.port)
        guard let url = URL(string: address), ["http", "https"].contains(url.scheme), url.host != nil else {
            throw .usage("--server must be an http or https address such as http://127.0.0.1:8080, not “\(address)”.")
        }
        self.server = url
        if let application {
            self.application = application
        } else {
            self.application = try Self.application(in: folder)
        }
        self.state = state.map { URL(fileURLWithPath: $0) } ?? folder.appendingPathComponent("device")
    }

    private static func application(in folder: URL) throws(CommandFault) -> String {
        let file = folder.appendingPathComponent("application.json")
        do {
            return try JSONDecoder().decode(CreatedApplication.self, from: Data(contentsOf: file)).id
        } catch {
            throw .failed(
                "There is no demo application: \(file.relativePath) cannot be read. Run “make run”, which makes one, or "
                    + "make one with “okaeri application create Demo” and name it with --application.")
        }
    }

    private struct CreatedApplication: Decodable {
        let id: String
    }
}
