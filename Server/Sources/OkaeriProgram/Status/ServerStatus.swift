import Domain
import Foundation
import HTTPSupport
import OkaeriServer
@_spi(TotalConversions) import OkaeriWire

/// What `okaeri status` shows.
struct ServerStatus: Encodable {
    private static let secondsPerMinute = 60.0
    private static let secondsPerDay: Int64 = 86_400

    let url: String
    let version: String?
    let uptimeSeconds: Int64
    let applications: Int
    let users: Int
    /// Between two looks; absent when the server started anew meanwhile.
    let logInsPerMinute: Double?
    let mailWaiting: Int
    let mailGivenUp: Int
    let connections: Int64?
    let passwordsWaiting: Int64?
    let memoryBytes: Int64?
    /// Absent for a shared database.
    let databaseBytes: Int64?
    let freeDiskBytes: Int64?
    let storageMilliseconds: Int64
    /// What the loss of the machine would cost; absent without a replica.
    let replicaLagSeconds: Double?

    init(
        _ health: ReadHealth.Findings, from before: MetricsReading, to now: MetricsReading, at url: String,
        _ settings: ServerSettings
    ) {
        self.url = url
        version = ServerInfoFile.read(in: settings.dataFolder)?.version
        uptimeSeconds = Int64(clamping: now.uptimeSeconds ?? 0)
        applications = health.applications
        users = health.users
        logInsPerMinute = Self.rate(from: before, to: now)
        mailWaiting = health.mailWaiting
        mailGivenUp = health.mailGivenUp
        connections = now.connections.map { Int64(clamping: $0) }
        passwordsWaiting = now.passwordsWaiting.map { Int64(clamping: $0) }
        memoryBytes = now.residentBytes.map { Int64(clamping: $0) }
        (databaseBytes, freeDiskBytes) =
            settings.database == nil
            ? (Self.databaseBytes(in: settings.dataFolder), Self.freeBytes(of: settings.dataFolder)) : (nil, nil)
        replicaLagSeconds = now.replicaLagSeconds
        storageMilliseconds = health.storage.wholeMilliseconds
    }

    /// Log-ins a minute, to one decimal.
    static func rate(from before: MetricsReading, to now: MetricsReading) -> Double? {
        guard let begin = before.uptimeSeconds, let end = now.uptimeSeconds, end > begin,
            let first = before.logIns, let last = now.logIns, last >= first
        else { return nil }
        let rate = ((last - first) / (end - begin) * secondsPerMinute * 10).rounded() / 10
        return rate.isFinite ? rate : nil
    }

    /// The database and what was written and is not in it yet.
    private static func databaseBytes(in folder: String) -> Int64? {
        let path = StorageInspection.path(in: folder)
        // The second file comes and goes.
        let sizes = [path, path + "-wal"].compactMap { FileStatus(of: $0)?.byteCount }
        return sizes.isEmpty ? nil : Int64(clamping: sizes.reduce(0, +))
    }

    private static func freeBytes(of folder: String) -> Int64? {
        // What cannot be read is not shown.
        FileStatus.freeBytes(in: folder).map { Int64(clamping: $0) }
    }

    /// As a table.
    var text: String {
        var table = TextTable()
        table.add("server", "\(url)\(version.map { ", Okaeri \($0)" } ?? ""), up \(Self.span(uptimeSeconds))")
        table.add("users", "\(users) in \(applications.counted("application"))")
        table.add("log-ins a minute", logInsPerMinute.map { "\($0)" })
        table.add("mails", "\(mailWaiting) waiting, \(mailGivenUp) given up")
        table.add("connections", connections.map { "\($0)" })
        table.add("passwords waiting", passwordsWaiting.map { "\($0)" })
        table.add("memory", memoryBytes.map(Self.size))
        if let databaseBytes { table.add("database", Self.size(databaseBytes)) }
        if let freeDiskBytes { table.add("free disk", Self.size(freeDiskBytes)) }
        if let replicaLagSeconds { table.add("replica", "\((replicaLagSeconds * 10).rounded() / 10) s behind") }
        table.add("database answers in", "\(storageMilliseconds) ms")
        return table.text()
    }

    private static func size(_ bytes: Int64) -> String {
        let mebibytes = Double(bytes) / 1_048_576
        return mebibytes < 10_240
            ? "\((mebibytes * 10).rounded() / 10) MiB" : "\((mebibytes / 102.4).rounded() / 10) GiB"
    }

    private static func span(_ seconds: Int64) -> String {
        let (days, rest) = seconds.quotientAndRemainder(dividingBy: secondsPerDay)
        let clock = [rest / 3600, rest / 60 % 60, rest % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
        return (days == 0 ? "" : days == 1 ? "1 day " : "\(days) days ") + clock.joined(separator: ":")
    }
}
