/* libcurl's functions with variable arguments, one for each type of argument, because Swift cannot call the originals. */
#ifndef OKAERI_CURL_H
#define OKAERI_CURL_H

#include <curl/curl.h>

typedef size_t (*okaeri_curl_transfer)(char *bytes, size_t size, size_t count, void *context);

static inline CURLcode okaeri_curl_set_long(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode okaeri_curl_set_text(CURL *handle, CURLoption option, const char *value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode okaeri_curl_set_list(CURL *handle, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode okaeri_curl_set_pointer(CURL *handle, CURLoption option, void *value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode okaeri_curl_set_transfer(CURL *handle, CURLoption option, okaeri_curl_transfer value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode okaeri_curl_get_long(CURL *handle, CURLINFO info, long *value) {
    return curl_easy_getinfo(handle, info, value);
}

#endif
