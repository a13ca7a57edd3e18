import Foundation

/// Why the system did not do something, by its number of it.
package struct SystemFault: Error, Hashable, CustomStringConvertible {
    package let number: Int32

    package init(number: Int32) {
        self.number = number
    }

    /// In the system's words: `No such file or directory`.
    package var description: String { String(cString: strerror(number)) }
}

extension Error {
    /// Why the system did not do something, in its words as far as they are known; of other errors what they say themselves.
    /// Foundation's own `localizedDescription` is not in the program for use (decision 0202).
    package var systemReason: String {
        if let fault = self as? POSIXError { return SystemFault(number: fault.code.rawValue).description }
        guard let fault = self as? CocoaError else { return "\(self)" }
        if let underlying = fault.underlying { return underlying.systemReason }
        return switch fault.code {
        case .fileNoSuchFile, .fileReadNoSuchFile: SystemFault(number: ENOENT).description
        case .fileReadNoPermission, .fileWriteNoPermission: SystemFault(number: EACCES).description
        case .fileWriteFileExists: SystemFault(number: EEXIST).description
        case .fileWriteOutOfSpace: SystemFault(number: ENOSPC).description
        case .fileWriteVolumeReadOnly: SystemFault(number: EROFS).description
        default: "error \(fault.code.rawValue) of Foundation"
        }
    }
}

/// A file, or a pipe, that is read piece by piece. Foundation's own `FileHandle` is not in the program for use (decision 0202).
package final class FileReader: Sendable {
    private static let chunkBytes = 64 * 1024

    /// What the system knows it by.
    package let descriptor: Int32
    private let isOurs: Bool

    /// Opens a file.
    ///
    /// - Throws: `SystemFault`.
    package init(path: String) throws(SystemFault) {
        descriptor = open(path, O_RDONLY | O_CLOEXEC)
        isOurs = descriptor >= 0
        guard isOurs else { throw SystemFault(number: errno) }
    }

    /// Reads what somebody else opened and closes.
    package init(descriptor: Int32) {
        self.descriptor = descriptor
        isOurs = false
    }

    deinit {
        if isOurs { close(descriptor) }
    }

    /// How large it is; `nil` for what is no file, such as a pipe.
    package var byteCount: UInt64? {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return UInt64(exactly: status.st_size)
    }

    /// The next bytes, as many as come at once; none at the end.
    ///
    /// - Throws: `SystemFault`.
    package func read(upTo count: Int) throws(SystemFault) -> [UInt8] {
        while true {
            var number: Int32 = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
                // A caller that has no other use for the reader could let go of it, and close the file, before.
                let got = withExtendedLifetime(self) { Foundation.read(descriptor, buffer.baseAddress, count) }
                if got < 0 { number = errno }
                filled = max(0, got)
            }
            if number == EINTR { continue }
            guard number == 0 else { throw SystemFault(number: number) }
            return bytes
        }
    }

    /// All that is left, up to a number of bytes.
    ///
    /// - Throws: `SystemFault`.
    package func readAll(upTo count: Int) throws(SystemFault) -> [UInt8] {
        var all: [UInt8] = []
        while all.count < count {
            let part = try read(upTo: min(Self.chunkBytes, count - all.count))
            guard !part.isEmpty else { break }
            all += part
        }
        return all
    }
}
