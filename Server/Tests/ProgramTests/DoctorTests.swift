import Domain
import Foundation
import Storage
import StorageSQLite
import Testing

@Suite("okaeri doctor")
struct DoctorTests {
    private let folder = TestFolder()

    private struct Report: Decodable {
        let isHealthy: Bool
        let findings: [Finding]

        struct Finding: Decodable {
            let check: String
            let outcome: String
            let state: String
            let advice: String?
        }

        subscript(check: String) -> Finding? { findings.first { $0.check == check } }
    }

    @Test("finds nothing to complain about beside a server that runs")
    func healthy() async throws {
        let server = try await TestServer(data: folder.path)
        let (status, report) = try await examine()
        #expect(status == 0)
        #expect(report.isHealthy)
        #expect(
            report.findings.allSatisfy {
                $0.outcome == "ok" || ["disk", "mail", "sealing key apart"].contains($0.check)
            }, "\(report)")
        #expect(report["server"]?.state.contains(server.url) == true)
        let text = try await Program.run("doctor", "--data", folder.path)
        #expect(text.status == 0)
        #expect(text.output.contains("ok  "))
    }

    @Test("knows of a server for development that runs, also without --dev: its mails go to the outbox")
    func developmentMails() async throws {
        let server = try await TestServer(data: folder.path, options: ["--dev"])
        let mail = try await examine().report["mail"]
        #expect(mail?.outcome == "ok" && mail?.state.contains("okaeri mail outbox") == true)
        try await server.stop()
        #expect(try await examine().report["mail"]?.outcome == "warning")
    }

    @Test("names a file that cannot be written, and sends nobody to a backup for it", arguments: ["", "-wal", "-shm"])
    func rights(ending: String) async throws {
        let server = try await TestServer(data: folder.path)
        // What a server leaves that stops is one file.
        try await server.stop(SIGKILL)
        chmod(folder.path, 0o777)
        let files = ["", "-wal", "-shm"].map { folder.path + "/okaeri.sqlite" + $0 }
        for file in files { chmod(file, file.hasSuffix("sqlite" + ending) ? 0o444 : 0o666) }
        let finished = try await Confinement.byRights.start(["doctor", "--json", "--data", folder.path]).finished()
        let report = try JSONDecoder().decode(Report.self, from: Data(finished.output.utf8))
        let finding = try #require(report["database"])
        #expect(finished.status == 1 && finding.outcome == "failed")
        #expect(finding.state.contains("okaeri.sqlite\(ending) cannot be written"), "\(finding)")
        #expect(finding.advice?.contains("chown") == true && finding.advice?.contains("backup") == false)
    }

    @Test("finds a missing folder")
    func missingFolder() async throws {
        let (status, report) = try await examine()
        #expect(status == 1)
        #expect(!report.isHealthy)
        #expect(report["data folder"]?.outcome == "failed")
        #expect(report["data folder"]?.advice != nil)
        #expect(!FileManager.default.fileExists(atPath: folder.path))
    }

    @Test("finds a sealing key that is cut, gone, another, or open to everybody")
    func brokenSealingKey() async throws {
        _ = try await Program.run("keys", "rotate", "--data", folder.path)
        _ = try await Program.run("application", "create", "Demo", "--data", folder.path)
        _ = try await Program.run("keys", "rotate", "--data", folder.path)
        let file = folder.path + "/sealing.key"
        let right = try #require(FileManager.default.contents(atPath: file))

        chmod(file, 0o644)
        #expect(try await examine().report["sealing key"]?.outcome == "warning")
        chmod(file, 0o600)
        for wrong in [Data(right.dropLast()), Data(repeating: 1, count: 32)] {
            try wrong.write(to: URL(fileURLWithPath: file))
            let (status, report) = try await examine()
            #expect(status == 1)
            #expect(report["sealing key"]?.outcome == "failed", "\(report)")
        }
        try FileManager.default.removeItem(atPath: file)
        let report = try await examine().report
        let gone = report["sealing key"]
        #expect(gone?.outcome == "failed" && gone?.advice?.contains("“okaeri backup” stores none") == true)
        #expect(report["sealing key apart"]?.outcome == "ok", "no key is in the folder")
        #expect(!FileManager.default.fileExists(atPath: file), "a diagnosis makes no key")
        try right.write(to: URL(fileURLWithPath: file))
        chmod(file, 0o600)
        #expect(try await examine().status == 0)
    }

    @Test("warns of a sealing key in the data folder, by whatever name, and of one that others can read")
    func sealingKeyFiles() async throws {
        _ = try await Program.run("application", "create", "Demo", "--data", folder.path)
        let elsewhere = TestFolder()
        try FileManager.default.createDirectory(atPath: elsewhere.path, withIntermediateDirectories: true)
        let (within, apart) = (folder.path + "/sealing.key", elsewhere.path + "/key")
        try FileManager.default.copyItem(atPath: within, toPath: apart)
        chmod(apart, 0o600)
        func outcomes(_ environment: [String: String]) async throws -> [String?] {
            let report = try await examine(environment: environment).report
            return [report["sealing key"]?.outcome, report["sealing key apart"]?.outcome]
        }
        #expect(try await outcomes(["OKAERI_SEALING_KEY": "file:\(within)"]) == ["ok", "warning"])
        #expect(try await outcomes(["OKAERI_SEALING_KEY": "file:\(apart)"]) == ["ok", "ok"])
        let link = elsewhere.path + "/link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: within)
        let both = ["OKAERI_SEALING_KEY": "file:\(apart)", "OKAERI_SEALING_KEYS": "sealing-key,file:\(link)"]
        #expect(try await outcomes(both) == ["ok", "warning"])
        chmod(apart, 0o644)
        #expect(try await outcomes(["OKAERI_SEALING_KEY": "file:\(apart)"]) == ["warning", "ok"])
    }

    @Test("warns of a server open to all that does not know its address")
    func noPublicAddress() async throws {
        _ = try await Program.run("application", "create", "Demo", "--data", folder.path)
        let open = try await examine("--listen", "0.0.0.0:8080")
        #expect(open.status == 0)
        #expect(open.report["public address"]?.outcome == "warning")
        #expect(open.report["pages"]?.state.contains("http://127.0.0.1:8080") == true)
        let plain = try await examine("--listen", "0.0.0.0:8080", "--public-url", "http://id.example.com")
        #expect(plain.report["public address"]?.outcome == "warning" && plain.report["pages"]?.outcome == "warning")
        let right = try await examine("--listen", "0.0.0.0:8080", "--public-url", "https://id.example.com")
        #expect(right.report["public address"]?.outcome == "ok" && right.report["pages"]?.outcome == "ok")
        let shouted = try await examine("--listen", "0.0.0.0:8080", "--public-url", "HTTPS://id.example.com")
        #expect(shouted.report["public address"]?.outcome == "ok" && shouted.report["pages"]?.outcome == "ok")
        for (path, isNamed) in [("/", false), ("/id", true), ("/id/", true)] {
            let shared = try await examine("--public-url", "https://id.example.com\(path)")
            #expect(shared.report["public address"]?.outcome == "ok")
            #expect(shared.report["public address"]?.state.contains("/dashboard of its host") == isNamed, "\(path)")
        }
        // A listed proxy says by which scheme browsers came; an address that is set counts more.
        let listed = try await examine("--listen", "0.0.0.0:8080", "--trusted-proxies", "10.0.0.1")
        #expect(listed.report["pages"]?.outcome == "ok")
        let both = try await examine(
            "--listen", "0.0.0.0:8080", "--trusted-proxies", "10.0.0.1", "--public-url", "http://id.example.com")
        #expect(both.report["pages"]?.outcome == "warning")
        #expect(try await examine("--rate-limits", "off").report["rate limits"]?.outcome == "warning")
    }

    @Test(
        "warns of a variable that is no setting, and names the one that was meant",
        arguments: [
            ("OKAERI_LISTN", "OKAERI_LISTEN"), ("OKAERI_PUBLC_URL", "OKAERI_PUBLIC_URL"),
            ("OKAERI_STMP_URL", "OKAERI_SMTP_URL"), ("OKAERI_BACKUP_REPOSITRY", "OKAERI_BACKUP_REPOSITORY"),
            ("OKAERI_WEATHER", nil), ("OKAERI_WEATHER_PORT", nil),
        ])
    func misspelt(name: String, meant: String?) async throws {
        let variables = try await examine(environment: [name: "x"]).report["variables"]
        #expect(variables?.outcome == "warning" && variables?.state.contains("\(name) is no setting") == true)
        #expect(variables?.state.contains("Did you mean") == (meant != nil))
        if let meant { #expect(variables?.state.contains("Did you mean \(meant)?") == true) }
        // Kubernetes sets the others for its services `okaeri` and `okaeri-db`.
        let known = [
            "OKAERI_BACKUP_KEY": "x", "OKAERI_LOG_LEVEL": "info", "OKAERI_SERVICE_HOST": "10.0.0.1",
            "OKAERI_DB_SERVICE_HOST": "10.0.0.2", "OKAERI_DB_SERVICE_PORT": "5432",
            "OKAERI_DB_SERVICE_PORT_POSTGRES": "5432", "OKAERI_DB_PORT": "tcp://10.0.0.2:5432",
            "OKAERI_DB_PORT_5432_TCP": "tcp://10.0.0.2:5432", "OKAERI_DB_PORT_5432_TCP_PROTO": "tcp",
            "OKAERI_DB_PORT_5432_TCP_PORT": "5432", "OKAERI_DB_PORT_5432_TCP_ADDR": "10.0.0.2",
        ]
        #expect(try await examine(environment: known).report["variables"]?.outcome == "ok")
    }

    @Test("finds settings that cannot be used, and a clock that went back or is ahead")
    func settingsAndClock() async throws {
        let wrong = try await examine("--listen", "here")
        #expect(wrong.status == 1)
        #expect(wrong.report["settings"]?.outcome == "failed")
        _ = try await Program.run("application", "create", "Demo", "--data", folder.path)
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: 86_400)], ofItemAtPath: folder.path + "/okaeri.sqlite")
        let late = try await examine()
        #expect(late.status == 1)
        #expect(late.report["clock"]?.state.contains("the clock went back") == true)
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path)
        where name.hasPrefix("okaeri.sqlite") {
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -3_456_000)], ofItemAtPath: "\(folder.path)/\(name)")
        }
        let early = try await examine().report["clock"]
        #expect(early?.outcome == "warning" && early?.state.contains("40 days ago") == true, "\(early?.state ?? "")")
    }

    @Test("warns of a link of mails that no rule of now lets through")
    func refusedLink() async throws {
        let created = try await Program.run("application", "create", "Demo", "--data", folder.path, "--json")
        let id = Identifier<Application>(rawValue: try created.json(CreatedApplication.self).id)
        #expect(try await examine().report["links"] == nil)
        let store = try SQLiteStore(.folder(folder.path), role: .command)
        try await store.write { transaction throws(DomainError) in
            guard var application = try transaction.application(id) else { return }
            application.settings.mail.resetURL = "javascript:alert(1)"
            try transaction.update(application)
        }
        await store.close()
        let (status, report) = try await examine()
        #expect(status == 0 && report["links"]?.outcome == "warning")
        #expect(report["links"]?.state.contains("Demo: mail.resetURL must be an https address") == true, "\(report)")
    }

    @Test("warns of users who should have been erased, where no server runs for long enough")
    func overdueErasure() async throws {
        let created = try await Program.run("application", "create", "Demo", "--data", folder.path, "--json")
        let id = Identifier<Application>(rawValue: try created.json(CreatedApplication.self).id)
        #expect(try await examine().report["erasure"]?.outcome == "ok")
        let requested = Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000)) - .days(30)
        let store = try SQLiteStore(.folder(folder.path), role: .command)
        try await store.write { transaction throws(DomainError) in
            var user = User(
                id: Identifier(rawValue: "leaving"), application: id, createdAt: requested, updatedAt: requested)
            try transaction.insert(user)
            user.deletionRequestedAt = requested
            try transaction.updateStanding(of: user)
        }
        await store.close()
        let (status, report) = try await examine()
        let erasure = report["erasure"]
        #expect(status == 0 && erasure?.outcome == "warning")
        #expect(erasure?.state.contains("Demo: 1 deleted user should have been erased") == true, "\(report)")
        #expect(erasure?.advice?.contains("an hour in a row") == true)
    }

    @Test("finds a server that hangs")
    func hangingServer() async throws {
        let server = try await TestServer(data: folder.path)
        server.process.signal(SIGSTOP)
        let (status, report) = try await examine()
        server.process.signal(SIGCONT)
        #expect(status == 1)
        #expect(report["server"]?.outcome == "failed")
    }

    private func examine(
        _ options: String..., environment: [String: String] = [:]
    ) async throws -> (status: Int32, report: Report) {
        let finished = try await Program.run(
            ["doctor", "--json", "--data", folder.path] + options, environment: environment)
        return (finished.status, try finished.json())
    }
}
