import Foundation

/// Whose a data folder is. A server of that user must be able to use what root has made there.
package enum FolderOwner {
    /// Gives files in a data folder to the folder's owner when root has made them. What another user makes is that user's own.
    ///
    /// - Parameters:
    ///   - paths: The files; one that is not there is passed over.
    ///   - folder: The data folder.
    /// - Returns: the path that cannot be given away, with the reason in `errno`; `nil` when all is well.
    package static func give(_ paths: [String], of folder: String) -> String? {
        guard geteuid() == 0 else { return nil }
        var status = stat()
        guard stat(folder, &status) == 0 else { return folder }
        return paths.first { path in
            // Not what a link leads to, which the owner could have put there.
            lchown(path, status.st_uid, status.st_gid) != 0 && errno != ENOENT
        }
    }
}
