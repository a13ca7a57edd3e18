import Dispatch

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#endif

/// Tells when a file in a folder was replaced, by whichever process.
enum DirectoryWatch {
    /// One element for each time that the file may have been replaced. Ends at once when the folder is missing.
    static func changes(of directory: String, file: String) -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        guard let watch = start(directory, file, onChange: { continuation.yield() }) else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { _ in watch.cancel() }
        return stream
    }

    /// A watch that goes on until it is cancelled.
    ///
    /// Unchecked but safe: a source may be cancelled from any thread (`dispatch_source_cancel`), and nothing else is done
    /// with it once it runs.
    private struct Watch: @unchecked Sendable {
        let source: any DispatchSourceProtocol

        func cancel() { source.cancel() }
    }

    #if canImport(Darwin)
        /// Watches a folder for changes of its entries, whichever they are (kqueue).
        private static func start(
            _ directory: String, _ file: String, onChange: @escaping @Sendable () -> Void
        ) -> Watch? {
            let descriptor = open(directory, O_EVTONLY | O_CLOEXEC)
            guard descriptor >= 0 else { return nil }
            let source = DispatchSource.makeFileSystemObjectSource(
                fileDescriptor: descriptor, eventMask: .write, queue: .global(qos: .utility))
            source.setEventHandler { onChange() }
            source.setCancelHandler { close(descriptor) }
            source.resume()
            return Watch(source: source)
        }
    #elseif canImport(Glibc)
        /// Watches a folder for files that are moved into it or removed (inotify).
        private static func start(
            _ directory: String, _ file: String, onChange: @escaping @Sendable () -> Void
        ) -> Watch? {
            let descriptor = inotify_init1(Int32(clamping: IN_NONBLOCK) | Int32(clamping: IN_CLOEXEC))
            guard descriptor >= 0 else { return nil }
            guard inotify_add_watch(descriptor, directory, UInt32(clamping: IN_MOVED_TO | IN_DELETE)) >= 0 else {
                close(descriptor)
                return nil
            }
            let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .global(qos: .utility))
            source.setEventHandler {
                if names(from: descriptor).contains(file) { onChange() }
            }
            source.setCancelHandler { close(descriptor) }
            source.resume()
            return Watch(source: source)
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
                    let length = rest.dropFirst(12).prefix(4).reversed().reduce(0) {
                        $0 << 8 | Int(truncatingIfNeeded: $1)
                    }
                    names.insert(String(decoding: rest.dropFirst(16).prefix(length).prefix { $0 != 0 }, as: UTF8.self))
                    rest = rest.dropFirst(16 + length)
                }
            }
        }
    #else
        /// No hints on other systems.
        private static func start(
            _ directory: String, _ file: String, onChange: @escaping @Sendable () -> Void
        ) -> Watch? {
            nil
        }
    #endif
}
