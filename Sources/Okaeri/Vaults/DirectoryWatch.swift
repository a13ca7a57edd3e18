import Dispatch

#if canImport(Glibc)
    import Glibc
#endif

/// Tells when a file in a folder was replaced, by whichever process.
enum DirectoryWatch {
    #if canImport(Glibc)
        /// One element for each time that the file is moved into place or removed (inotify). Ends at once when the
        /// folder is missing.
        static func changes(of directory: String, file: String) -> AsyncStream<Void> {
            let (stream, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
            let descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
            guard descriptor >= 0, inotify_add_watch(descriptor, directory, UInt32(IN_MOVED_TO | IN_DELETE)) >= 0 else {
                if descriptor >= 0 { close(descriptor) }
                continuation.finish()
                return stream
            }
            let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .global(qos: .utility))
            source.setEventHandler {
                if names(from: descriptor).contains(file) { continuation.yield() }
            }
            source.setCancelHandler { close(descriptor) }
            let stop = Cancellation(source: source)
            continuation.onTermination = { _ in stop.source.cancel() }
            source.resume()
            return stream
        }

        /// Unchecked but safe: a source may be cancelled from any thread (dispatch_source_cancel), and nothing else is
        /// done with it here.
        private struct Cancellation: @unchecked Sendable {
            let source: any DispatchSourceRead
        }

        /// The names in all waiting events: after a head of 16 bytes (whose last four are the name's length) each has a
        /// name that is filled up with zeros.
        private static func names(from descriptor: Int32) -> Set<String> {
            var names: Set<String> = []
            var buffer = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = read(descriptor, &buffer, buffer.count)
                guard count > 0 else { return names }
                var rest = buffer[..<count]
                while rest.count >= 16 {
                    let length = rest.dropFirst(12).prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
                    names.insert(String(decoding: rest.dropFirst(16).prefix(length).prefix { $0 != 0 }, as: UTF8.self))
                    rest = rest.dropFirst(16 + length)
                }
            }
        }
    #else
        /// No hints.
        static func changes(of directory: String, file: String) -> AsyncStream<Void> {
            AsyncStream { $0.finish() }
        }
    #endif
}
