#ifndef EMBEDDED_FILES_H
#define EMBEDDED_FILES_H

#include <stddef.h>

/// A file of the repository that is part of the program.
struct embedded_file {
    /// Below `Server/Sources`.
    const char *path;
    /// UTF-8 without U+0000, which stands at its end.
    const unsigned char *text;
};

/// All of them; behind the last one stands one without a path.
const struct embedded_file *embedded_files(void);

/// How many bytes the text has.
size_t embedded_file_size(const struct embedded_file *file);

#endif
