import Domain
import Foundation
import OkaeriWire

/// Rows of Supabase's `auth.identities`, by their user. A file can have millions: each takes some eighty bytes of memory, and there is
/// an end to both.
struct SupabaseIdentities {
    typealias Identity = (provider: String, subject: String)

    /// The most rows about providers. Larger projects have the rows in those of their users, which the guide's query writes.
    static let maximumRows = 4_000_000
    /// The most rows of one user: Supabase has one for each provider.
    static let maximumRowsOfUser = 50
    private static let maximumSubjectBytes = 256 * 1024 * 1024
    private static let maximumProviders = 1000
    private static let maximumNameBytes = 255

    private struct Row {
        /// The row of the same user before it, counted from one; 0 for none.
        let previous: UInt32
        let start: UInt32
        let byteCount: UInt16
        let provider: UInt16
    }

    private var rows: [Row] = []
    /// Each user's last row, counted from one.
    private var last: [UUID: UInt32] = [:]
    private var providers: [String] = []
    private var subjects: [UInt8] = []

    /// Reads a file to its end, JSON or, by its name, CSV.
    ///
    /// - Throws: `CommandFault` with the line, when it cannot be read, and for a row that would be lost.
    init(readingFile path: String) throws(CommandFault) {
        let file = try ImportSourceOptions.records(inFile: path)
        do throws(RecordFile.Fault) {
            while let record = try file.next() {
                let fault = record.fault ?? add(record.bytes, onLine: record.line)
                guard let fault else { continue }
                throw RecordFile.Fault(description: "line \(record.line) \(fault)")
            }
        } catch {
            throw .failed("\(path): \(error).")
        }
    }

    /// - Returns: why the row cannot be taken; `nil` when it is, and when it is about no provider.
    private mutating func add(_ bytes: [UInt8], onLine line: Int) -> String? {
        let value: JSONValue
        do throws(JSONSyntaxError) {
            value = try JSONValue(parsing: bytes)
        } catch {
            return error.reason(in: bytes, of: "the record", onLine: line)
        }
        guard let members = ExportedRecord.members(value), case .string(let user)? = members["user_id"],
            let user = UUID(uuidString: user)
        else { return "has no user_id" }
        guard case .string? = members["provider"] else { return "has no provider" }
        guard let identity = Self.identity(members) else {
            return Self.isOwn(members) ? nil : "has no provider_id"
        }
        guard identity.subject.utf8.count <= Self.maximumNameBytes,
            identity.provider.utf8.count <= Self.maximumNameBytes
        else { return "has a name that is too long" }
        guard rows.count < Self.maximumRows, subjects.count < Self.maximumSubjectBytes else {
            return "is more than can be read: write identities into the rows of their users"
        }
        guard numbers(of: user).count < Self.maximumRowsOfUser else { return "is one too many of its user" }
        let provider = providers.firstIndex(of: identity.provider) ?? providers.count
        if provider == providers.count {
            guard providers.count < Self.maximumProviders else { return "has one provider too many" }
            providers.append(identity.provider)
        }
        // All of them are within the bounds above.
        rows.append(
            Row(
                previous: last[user] ?? 0, start: UInt32(truncatingIfNeeded: subjects.count),
                byteCount: UInt16(truncatingIfNeeded: identity.subject.utf8.count),
                provider: UInt16(truncatingIfNeeded: provider)))
        last[user] = UInt32(truncatingIfNeeded: rows.count)
        subjects += Array(identity.subject.utf8)
        return nil
    }

    /// The indices of a user's rows, the last one first.
    private func numbers(of user: UUID) -> [Int] {
        var (found, next): ([Int], UInt32) = ([], last[user] ?? 0)
        while next > 0 {
            let index = Int(clamping: next - 1)
            found.append(index)
            next = rows[index].previous
        }
        return found
    }

    /// The identities of a user.
    func of(_ user: String) -> [Identity] {
        guard let user = UUID(uuidString: user) else { return [] }
        return numbers(of: user).reversed().map { number in
            let row = rows[number]
            let subject = subjects.dropFirst(Int(clamping: row.start)).prefix(Int(clamping: row.byteCount))
            return (providers[Int(clamping: row.provider)], String(decoding: subject, as: UTF8.self))
        }
    }

    /// Whether a row is about an address or a number, which Supabase itself keeps.
    static func isOwn(_ members: [String: JSONValue]) -> Bool {
        members["provider"] == "email" || members["provider"] == "phone"
    }

    /// A row about a provider.
    static func identity(_ members: [String: JSONValue]) -> Identity? {
        guard !isOwn(members), case .string(let provider)? = members["provider"],
            // Before 2023 the name at the provider was the row's id.
            case .string(let subject)? = members["provider_id"] ?? members["id"], !subject.isEmpty
        else { return nil }
        return (provider, subject)
    }
}
