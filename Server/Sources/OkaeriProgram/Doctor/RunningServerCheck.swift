import Foundation
import Okaeri
import OkaeriServer

/// Whether the server that says it runs on the data folder answers.
struct RunningServerCheck {
    private static let patience: Duration = .seconds(15)

    let folder: String

    func findings() async -> [Finding] {
        guard let running = ServerInfoFile.read(in: folder), let url = URL(string: running.url + "/health/ready") else {
            // Who may not look there cannot know; the finding on the database says so.
            guard StorageInspection.presence(in: folder) != .denied else { return [] }
            return [.ok("server", "No server runs on this data folder.")]
        }
        let name = "the server at \(running.url) (process \(running.pid))"
        do throws(TransportError) {
            let answer = try await CurlTransport.shared.send(
                TransportRequest(method: "GET", url: url, timeout: Self.patience))
            guard answer.status == 200 else {
                return [
                    .failed(
                        "server", "It answers with status \(answer.status): \(name).",
                        advice: "Its log tells why; it goes to standard error.")
                ]
            }
            return [.ok("server", "It is ready: \(name).")]
        } catch {
            guard running.hasPidHere else {
                return [
                    .warning(
                        "server", "It does not answer here: \(name), in another container or on another machine.",
                        advice: "Run “okaeri doctor” where the server runs, such as with “podman exec”.")
                ]
            }
            return [
                .failed(
                    "server", "It does not answer: \(name).",
                    advice: "Look at its log; if it hangs, stop it with “kill \(running.pid)” and start it again.")
            ]
        }
    }
}
