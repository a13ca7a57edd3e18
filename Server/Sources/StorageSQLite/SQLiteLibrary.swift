import CSQLite

/// SQLite as a whole, of which a process has one.
enum SQLiteLibrary {
    /// Whether it is set up for us, which is only possible before its first use: nobody asks how much memory it takes,
    /// and its page cache is ours. Without that everything is as right, and a little slower.
    static let isSetUp: Bool = {
        let countsNoMemory = okaeri_sqlite_count_no_memory() == SQLITE_OK
        return PageCache.install() && countsNoMemory
    }()
}
