import CEmbeddedFiles

/// Files of the repository that are part of the program: templates, string tables, style sheets, scripts, and the description of
/// the API. They stand in `CEmbeddedFiles/embedded_files.c`.
package enum EmbeddedFiles {
    /// A file by its path below `Server/Sources`, which has to be in the list.
    package static func bytes(of path: String) -> [UInt8] {
        guard let file = all.first(where: { $0.path == path }) else {
            preconditionFailure("\(path) is not in embedded_files.c")
        }
        return file.bytes
    }

    /// All files of a folder by their names. An `ending` is what their names have, and is left off.
    package static func folder(_ path: String, ending: String = "") -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        for file in all where file.path.hasPrefix("\(path)/") && file.path.hasSuffix(ending) {
            files[String(file.path.dropFirst(path.count + 1).dropLast(ending.count))] = file.bytes
        }
        return files
    }

    private struct File {
        let path: String
        let text: UnsafeBufferPointer<UInt8>

        var bytes: [UInt8] { Array(text) }
    }

    private static var all: [File] {
        var files: [File] = []
        var next = embedded_files()
        while let file = next, let path = file.pointee.path {
            let text = UnsafeBufferPointer(start: file.pointee.text, count: embedded_file_size(file))
            files.append(File(path: String(cString: path), text: text))
            next = file.successor()
        }
        return files
    }
}
