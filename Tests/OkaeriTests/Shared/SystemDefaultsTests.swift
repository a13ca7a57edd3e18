import Foundation
import OkaeriTesting
import OkaeriWire
import Testing

@testable import Okaeri

#if canImport(Glibc)
    import Glibc
#endif

@Suite("What a client uses when nothing else is set")
struct SystemDefaultsTests {
    @Test(
        "is a folder below the user's state directory (XDG Base Directory)",
        arguments: [
            (["XDG_STATE_HOME": "/var/state"], "/var/state/okaeri"), ([:], "/home-of-hana/.local/state/okaeri"),
            // "All paths set in these environment variables must be absolute", and others are to be ignored.
            (["XDG_STATE_HOME": "state"], "/home-of-hana/.local/state/okaeri"),
            (["XDG_STATE_HOME": "./state"], "/home-of-hana/.local/state/okaeri"),
            (["XDG_STATE_HOME": ""], "/home-of-hana/.local/state/okaeri"),
        ])
    func stateDirectory(environment: [String: String], expected: String) {
        #expect(SystemDefaults.stateDirectory(environment: environment, home: "/home-of-hana").path == expected)
    }

    @Test("is set by this process's own environment")
    func ownEnvironment() {
        let environment = ProcessInfo.processInfo.environment
        let expected = SystemDefaults.stateDirectory(environment: environment, home: NSHomeDirectory())
        #expect(SystemDefaults.stateDirectory() == expected)
    }

    #if os(Linux)
        /// In a process of its own: it changes its environment, and nobody's key may be touched.
        @Test("logs in over the system's network, and keeps key and session in that folder")
        func client() async {
            await #expect(processExitsWith: .success) {
                let folder = try TemporaryFolder()
                setenv("XDG_STATE_HOME", folder.url.path, 1)
                let answer = { (end: String) in
                    """
                    {"user":{"id":"user-1","isAnonymous":true,"emailVerified":false,"phoneVerified":false,"fields":{},\
                    "identities":[],"hasPassword":false,"createdAt":"2026-11-21T00:15:42.000Z",\
                    "updatedAt":"2026-11-21T00:15:42.000Z"},"session":{"id":"session-1","token":"secret",\
                    "expiresAt":"2027-11-21T00:15:42.000Z","idleSeconds":86400},\(end)}
                    """
                }
                let server = try LoopbackServer(
                    [answer(#""isNew":true"#), answer(#""isNew":false,"previousLogInAt":"2026-11-21T00:15:42Z""#)].map {
                        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \($0.utf8.count)\r\n"
                            + "Connection: close\r\n\r\n\($0)"
                    })
                let first = OkaeriClient(server: server.url, application: "demo")
                guard case .firstVisit(let user) = try await first.logInAutomatically() else { exit(2) }
                let second = OkaeriClient(server: server.url, application: "demo")
                guard await second.currentUser == user, case .returning = try await second.logInAutomatically() else {
                    exit(3)
                }
                let files = try FileManager.default.contentsOfDirectory(atPath: folder.url.path + "/okaeri")
                guard Set(files).isSuperset(of: ["demo.key", "demo.record"]), server.requests.count == 2,
                    server.requests.allSatisfy({ $0.hasPrefix("POST /v1/log-in/automatic HTTP/1.1\r\n") })
                else { exit(4) }
                withExtendedLifetime(folder) {}
            }
        }
    #endif
}
