import Foundation
import Measuring

/// How long does somebody wait who looks at 100,000 users, and how much memory does a file of all of them take?
struct DashboardPhase {
    let workbench: Workbench
    let isQuick: Bool

    /// Every filter of the list, alone and the slowest pairs.
    private static var filters: [String] {
        let day = Date.now.addingTimeInterval(-15 * 86_400).formatted(.iso8601.year().month().day())
        return [
            "", "kind=anonymous", "kind=registered", "disabled=true", "leaving=true", "weak=true", "provider=device",
            "provider=apple", "protocol=native", "protocol=ncmb", "seenSince=\(day)", "notSeenSince=\(day)",
            "search=player", "kind=anonymous&seenSince=\(day)", "kind=registered&seenSince=\(day)",
        ]
    }

    func measure(into report: inout Report) throws {
        let users = isQuick ? 1_000 : 100_000
        let data = try workbench.seeded(users: users).copy(to: workbench.folder + "/run")
        let server = try ServerUnderTest.okaeri(workbench, on: data)
        defer { server.child.stop() }
        let base = try "http://127.0.0.1:\(server.port)/v1/admin/applications/\(data.application)"
        var slowest = (filter: "", milliseconds: 0.0)
        for filter in Self.filters {
            let times = try ask(["\(base)/users?\(filter)"], times: isQuick ? 3 : 21, key: data.adminKey)
            let median = times.map(\.milliseconds).median
            workbench.progress("\(filter.isEmpty ? "no filter" : filter): \(String(format: "%.1f", median)) ms")
            if median >= slowest.milliseconds { slowest = (filter, median) }
        }
        report.add(
            ratio: "dashboard, first page of the slowest filter, milliseconds", slowest.milliseconds,
            "\(users) users, 50 on the page, median of 21: \(slowest.filter.isEmpty ? "no filter" : slowest.filter)")
        let before = server.child.usage.residentMebibytes
        for form in ["csv", "json"] {
            let export = try ask(["\(base)/export?form=\(form)"], times: 1, key: data.adminKey)[0]
            workbench.progress(
                "\(form): \(export.bytes / 1_000_000) MB in \(Int(export.milliseconds)) ms, "
                    + "\(Int(server.child.usage.residentMebibytes)) MiB afterwards")
        }
        report.add(
            ratio: "dashboard, memory that two exports take, MiB",
            max(0, server.child.usage.residentMebibytes - before),
            "\(users) users as CSV, then as JSON Lines; resident before \(Int(before)) MiB")
    }

    private struct Answer {
        let milliseconds: Double
        let bytes: Int
    }

    /// Asks for the same again and again, over one connection.
    private func ask(_ addresses: [String], times: Int, key: String) throws -> [Answer] {
        var arguments = ["--silent", "--fail", "--header", "Authorization: Bearer \(key)"]
        arguments += ["--write-out", "%{time_total} %{size_download}\\n"]
        for _ in 0..<times {
            for address in addresses { arguments += ["--output", "/dev/null", address] }
        }
        let text = try Child("/usr/bin/curl", arguments, processor: Workbench.otherProcessor).outputText()
        return text.split(separator: "\n").map { line in
            let parts = line.split(separator: " ")
            return Answer(
                milliseconds: (parts.first.flatMap { Double($0) } ?? 0) * 1000,
                bytes: parts.last.flatMap { Int($0) } ?? 0)
        }
    }
}
