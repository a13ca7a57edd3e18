import CSQLite

/// SQLite's own page cache, but that a commit does not look through all of it.
///
/// After each commit SQLite drops the pages past the database's end; for that its cache looks through all its pages when
/// it ever held one past that end. It did: a full page of a table is split, and to bring the new pages into order SQLite
/// gives one of them for a moment the number of a page that is never used, a gigabyte into the file. So nearly every
/// commit that adds rows would read all the cache, which is more than the processor holds near. Here the highest number
/// is kept without those moments.
enum PageCache {
    /// - Returns: Whether SQLite uses it from now on; `false` when SQLite was in use before, and goes on as it was.
    static func install() -> Bool {
        guard var methods = system?.pointee else { return false }
        methods.xCreate = { pageSize, extraSize, isPurgeable in
            guard let system = PageCache.system,
                let pages = system.pointee.xCreate(pageSize, extraSize, isPurgeable)
            else { return nil }
            let counter = UnsafeMutablePointer<CountedPages>.allocate(capacity: 1)
            counter.initialize(to: CountedPages(pages, methods: system, pageSize: pageSize))
            return OpaquePointer(counter)
        }
        methods.xDestroy = { cache in
            PageCache.system(cache) { $0.xDestroy($1) }
            PageCache.counted(cache)?.deinitialize(count: 1).deallocate()
        }
        methods.xFetch = { cache, number, mayMake in PageCache.counted(cache)?.pointee.fetch(number, mayMake) }
        methods.xRekey = { cache, page, old, new in
            PageCache.counted(cache)?.pointee.renumber(page, from: old, to: new)
        }
        methods.xTruncate = { cache, limit in PageCache.counted(cache)?.pointee.drop(from: limit) }
        methods.xUnpin = { cache, page, isDropped in PageCache.system(cache) { $0.xUnpin($1, page, isDropped) } }
        methods.xCachesize = { cache, count in PageCache.system(cache) { $0.xCachesize($1, count) } }
        methods.xPagecount = { cache in PageCache.system(cache) { $0.xPagecount($1) } ?? 0 }
        methods.xShrink = { cache in PageCache.system(cache) { $0.xShrink($1) } }
        return okaeri_sqlite_use_page_cache(&methods) == SQLITE_OK
    }

    // SQLite's own, written once.
    nonisolated(unsafe) private static let system: UnsafePointer<sqlite3_pcache_methods2>? = {
        let methods = UnsafeMutablePointer<sqlite3_pcache_methods2>.allocate(capacity: 1)
        methods.initialize(to: sqlite3_pcache_methods2())
        return okaeri_sqlite_page_cache(methods) == SQLITE_OK ? UnsafePointer(methods) : nil
    }()

    /// Hands a call on to SQLite's own.
    @discardableResult @inline(__always)
    private static func system<Answer>(
        _ cache: OpaquePointer?, _ call: (sqlite3_pcache_methods2, OpaquePointer) -> Answer
    ) -> Answer? {
        counted(cache).map { call($0.pointee.methods.pointee, $0.pointee.pages) }
    }

    /// What `xCreate` gave.
    private static func counted(_ cache: OpaquePointer?) -> UnsafeMutablePointer<CountedPages>? {
        cache.map { UnsafeMutablePointer($0) }
    }
}

/// The pages of one connection, and the highest of their numbers.
struct CountedPages {
    let pages: OpaquePointer
    let methods: UnsafePointer<sqlite3_pcache_methods2>
    /// The number that a page has only while others take their numbers: the one where SQLite locks the file.
    private let spareNumber: UInt32
    private var highest: UInt32 = 0
    private var isSpareNumberTaken = false

    init(_ pages: OpaquePointer, methods: UnsafePointer<sqlite3_pcache_methods2>, pageSize: Int32) {
        self.pages = pages
        self.methods = methods
        spareNumber = UInt32(0x4000_0000 / max(1, pageSize)) + 1
    }

    // `mayMake` is not 0 when the page is made where it is missing.
    mutating func fetch(_ number: UInt32, _ mayMake: Int32) -> UnsafeMutablePointer<sqlite3_pcache_page>? {
        if mayMake != 0, number > highest { highest = number }
        return methods.pointee.xFetch(pages, number, mayMake)
    }

    mutating func renumber(_ page: UnsafeMutablePointer<sqlite3_pcache_page>?, from old: UInt32, to new: UInt32) {
        if old == spareNumber { isSpareNumberTaken = false }
        if new == spareNumber { isSpareNumberTaken = true } else if new > highest { highest = new }
        methods.pointee.xRekey(pages, page, old, new)
    }

    /// Drops the pages with this number and higher ones.
    mutating func drop(from limit: UInt32) {
        guard isSpareNumberTaken || highest >= limit else { return }
        methods.pointee.xTruncate(pages, limit)
        highest = limit == 0 ? 0 : limit - 1
        isSpareNumberTaken = false
    }
}
