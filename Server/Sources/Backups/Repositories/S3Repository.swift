import Domain
import Foundation
package import OutboundServices

/// A bucket, or what begins with a prefix in it: `s3://bucket/prefix`.
package struct S3Repository: BackupRepository {
    /// S3 takes up to 10,000 parts.
    private static let mostParts = 9000
    private static let smallestPart = 8 << 20

    private let bucket: S3Bucket
    private let prefix: String
    package let description: String

    /// - Parameters:
    ///   - url: `s3://bucket` or `s3://bucket/prefix`.
    ///   - environment: Has the variables that all programs for S3 read: `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`,
    ///     perhaps `AWS_SESSION_TOKEN`, `AWS_REGION`, and for another store than Amazon's `AWS_ENDPOINT_URL`.
    ///   - silence: How long the store may say nothing.
    /// - Throws: `BackupFault` when something of it is missing or cannot be used.
    package init(
        _ url: String, environment: [String: String], silence: S3Bucket.SilenceLimits = S3Bucket.SilenceLimits()
    ) throws(BackupFault) {
        let parts = url.dropFirst("s3://".count).split(separator: "/", maxSplits: 1).map(String.init)
        guard let name = parts.first, Self.isBucketName(name) else {
            throw BackupFault("\(url) names no bucket: a bucket in a store is named like s3://bucket/prefix.")
        }
        guard let accessKey = environment["AWS_ACCESS_KEY_ID"], let secretKey = environment["AWS_SECRET_ACCESS_KEY"]
        else {
            throw BackupFault(
                "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY for \(url); “okaeri backup make --help” shows an example."
            )
        }
        let region = environment["AWS_REGION"] ?? environment["AWS_DEFAULT_REGION"] ?? "us-east-1"
        let endpoint = environment["AWS_ENDPOINT_URL"] ?? "https://s3.\(region).amazonaws.com"
        guard endpoint.hasPrefix("https://") || endpoint.hasPrefix("http://") else {
            throw BackupFault("AWS_ENDPOINT_URL must be an address with https:// or http://, and is \(endpoint).")
        }
        bucket = S3Bucket(
            endpoint: endpoint.hasSuffix("/") ? String(endpoint.dropLast()) : endpoint, bucket: name, region: region,
            credentials: S3Bucket.Credentials(
                accessKey: accessKey, secretKey: Secret(secretKey),
                sessionToken: environment["AWS_SESSION_TOKEN"].map { Secret($0) }),
            silence: silence)
        let path = parts.count > 1 ? parts[1] : ""
        prefix = path.isEmpty || path.hasSuffix("/") ? path : path + "/"
        description = url
    }

    /// Parts are read from a file of this machine.
    package var draftFolder: String? { nil }

    package func names(beginningWith beginning: String, after last: String?) throws(BackupFault) -> [String] {
        try asking("listed") { () throws(S3Bucket.Fault) in
            try bucket.keys(prefix: prefix + beginning, after: last.map { prefix + $0 }).map {
                String($0.dropFirst(prefix.count))
            }
        }
    }

    package func claim(_ name: String, _ bytes: [UInt8]) throws(BackupFault) -> Bool {
        try asking("written") { () throws(S3Bucket.Fault) in try bucket.putNew(bytes, as: prefix + name) }
    }

    package func store(
        _ draft: String, as name: String, replacing: Bool, _ tell: (Int, Int) -> Void
    ) throws(BackupFault) {
        let file = try LocalFile(path: draft, name: name)
        let isStored =
            if file.byteCount <= Self.smallestPart {
                try storeWhole(file, replacing: replacing)
            } else {
                try storeParts(of: file, replacing: replacing, tell)
            }
        if !isStored { try accept(file, as: name) }
        unlink(draft)
    }

    /// - Returns: `false` when its name is taken.
    private func storeWhole(_ file: LocalFile, replacing: Bool) throws(BackupFault) -> Bool {
        let bytes = try file.read(from: 0, count: file.byteCount)
        let key = prefix + file.name
        return try asking("written") { () throws(S3Bucket.Fault) in
            guard replacing else { return try bucket.putNew(bytes, as: key) }
            try bucket.put(bytes, as: key)
            return true
        }
    }

    /// - Returns: `false` when its name is taken.
    private func storeParts(
        of file: LocalFile, replacing: Bool, _ tell: (Int, Int) -> Void
    ) throws(BackupFault) -> Bool {
        let key = prefix + file.name
        // Nothing large is sent in vain. Another machine that takes the name meanwhile is found when the object is made.
        if !replacing {
            let isTaken = try asking("read") { () throws(S3Bucket.Fault) in try bucket.has(key) }
            if isTaken { return false }
        }
        let partBytes = max(Self.smallestPart, file.byteCount / Self.mostParts + 1)
        let upload = try asking("written") { () throws(S3Bucket.Fault) in try bucket.beginUpload(of: key) }
        do throws(BackupFault) {
            var tags: [String] = []
            var offset = 0
            while offset < file.byteCount {
                let bytes = try file.read(from: offset, count: min(partBytes, file.byteCount - offset))
                let number = tags.count + 1
                tags.append(
                    try asking("written") { () throws(S3Bucket.Fault) in
                        try bucket.uploadPart(number, of: upload, bytes, as: key)
                    })
                offset += bytes.count
                tell(offset, file.byteCount)
            }
            let all = tags
            let isStored = try asking("written") { () throws(S3Bucket.Fault) in
                try bucket.completeUpload(upload, tags: all, as: key, replacing: replacing)
            }
            // Parts that became no object are of use to nobody. After a lost answer there are none any more.
            if !isStored { try? bucket.abortUpload(upload, of: key) }
            return isStored
        } catch {
            // A store that cannot be reached keeps the parts until its own rule removes them; nobody sees them.
            try? bucket.abortUpload(upload, of: key)
            throw error
        }
    }

    package func file(_ name: String) throws(BackupFault) -> any ReadableFile {
        let byteCount = try asking("read") { () throws(S3Bucket.Fault) in try bucket.byteCount(of: prefix + name) }
        return S3File(name: name, byteCount: byteCount) { offset, count throws(BackupFault) in
            try asking("read") { () throws(S3Bucket.Fault) in
                try bucket.read(prefix + name, from: offset, count: count)
            }
        }
    }

    package func remove(_ name: String) throws(BackupFault) {
        try asking("changed") { () throws(S3Bucket.Fault) in try bucket.remove(prefix + name) }
    }

    package func end(within time: Duration) { bucket.end(within: time) }

    private func asking<Value>(
        _ what: String, _ body: () throws(S3Bucket.Fault) -> Value
    ) throws(BackupFault) -> Value {
        do throws(S3Bucket.Fault) {
            return try body()
        } catch {
            throw BackupFault(
                "\(description) at \(bucket.address) cannot be \(what): \(error.reason). See that the store runs, and that "
                    + "bucket and keys are right, then run the command again; “okaeri backup list” shows what is there."
            )
        }
    }

    private static func isBucketName(_ text: String) -> Bool {
        (3...63).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                (0x61...0x7a).contains($0) || (0x30...0x39).contains($0) || $0 == UInt8(ascii: "-")
                    || $0 == UInt8(ascii: ".")
            }
    }
}

private struct S3File: ReadableFile {
    let name: String
    let byteCount: Int
    let part: (Int, Int) throws(BackupFault) -> [UInt8]

    func read(from offset: Int, count: Int) throws(BackupFault) -> [UInt8] { try part(offset, count) }
}
