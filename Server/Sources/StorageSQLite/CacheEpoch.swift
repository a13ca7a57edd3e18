import Domain
import Foundation
import Synchronization

/// Two counters in a file that all processes on a data folder share: changes begun and changes finished by commands.
///
/// A server reads them at every look-up in a cache, which costs as much as reading memory. While a command commits,
/// they differ, and nobody believes a cache; afterwards both are new, and every cache begins anew. A command that was
/// killed between the two leaves caches unused until the server starts again, never wrong.
final class CacheEpoch: CacheValidity, @unchecked Sendable {
    // Unchecked: the mapped memory is touched by atomic operations only, and lives as long as this object.
    private let mapped: UnsafeMutableRawPointer
    private static let byteCount = 16

    /// - Throws: `SQLiteOpenFault` when the file cannot be made or mapped.
    init(path: String) throws(SQLiteOpenFault) {
        let descriptor = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw SQLiteOpenFault("The file \(path) cannot be written: \(String(cString: strerror(errno))).")
        }
        defer { close(descriptor) }
        // Written, not only lengthened: a page that a full disk cannot give later would end the process.
        var status = stat()
        let zeros = [UInt8](repeating: 0, count: Self.byteCount)
        guard fstat(descriptor, &status) == 0,
            status.st_size == Self.byteCount || pwrite(descriptor, zeros, Self.byteCount, 0) == Self.byteCount,
            let start = mmap(nil, Self.byteCount, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0),
            start != MAP_FAILED
        else { throw SQLiteOpenFault("The file \(path) cannot be used: \(String(cString: strerror(errno))).") }
        mapped = start
    }

    /// Counters in memory, for a simulator that is all processes itself.
    ///
    /// - Throws: `SQLiteOpenFault` when there is no memory.
    init() throws(SQLiteOpenFault) {
        let start = mmap(nil, Self.byteCount, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)
        guard let start, start != MAP_FAILED else { throw SQLiteOpenFault("There is no memory for counters.") }
        mapped = start
    }

    deinit {
        munmap(mapped, Self.byteCount)
    }

    var epoch: UInt64? {
        let finished = counter(8).pointee.load(ordering: .sequentiallyConsistent)
        let begun = counter(0).pointee.load(ordering: .sequentiallyConsistent)
        return begun == finished ? finished : nil
    }

    /// Call inside the transaction, before its commit.
    func beginChange() {
        counter(0).pointee.add(1, ordering: .sequentiallyConsistent)
    }

    /// Call after the commit, or when there was none.
    func finishChange() {
        counter(8).pointee.add(1, ordering: .sequentiallyConsistent)
    }

    /// Makes both counters equal: a server that starts has no cache yet that could be wrong.
    func settle() {
        counter(8).pointee.store(
            counter(0).pointee.load(ordering: .sequentiallyConsistent), ordering: .sequentiallyConsistent)
    }

    private func counter(_ offset: Int) -> UnsafeMutablePointer<Atomic<UInt64>> {
        (mapped + offset).assumingMemoryBound(to: Atomic<UInt64>.self)
    }
}
