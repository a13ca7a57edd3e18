#include <sqlite3.h>

// Swift cannot call functions with a variable number of arguments. All of these are for the time before SQLite is used;
// afterwards they answer SQLITE_MISUSE and change nothing.

/// Tells the page cache that SQLite would use.
static inline int okaeri_sqlite_page_cache(sqlite3_pcache_methods2 *methods) {
    return sqlite3_config(SQLITE_CONFIG_GETPCACHE2, methods);
}

/// Sets the page cache that SQLite uses.
static inline int okaeri_sqlite_use_page_cache(sqlite3_pcache_methods2 *methods) {
    return sqlite3_config(SQLITE_CONFIG_PCACHE2, methods);
}

/// Lets SQLite count no memory, so that it needs no lock to take and give back some.
static inline int okaeri_sqlite_count_no_memory(void) {
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}
