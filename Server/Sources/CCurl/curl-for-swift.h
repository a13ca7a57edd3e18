/* libcurl's functions with variable arguments, one for each type of argument, because Swift cannot call the originals. */
#ifndef OKAERI_CURL_H
#define OKAERI_CURL_H

#include <curl/curl.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

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

/* Is asked at least once a second; anything but 0 ends the transfer. */
static inline CURLcode okaeri_curl_set_progress(CURL *handle, curl_xferinfo_callback value) {
    return curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, value);
}

/* Is given the address of a connection that is about to be made, and returns its socket, or none. */
typedef curl_socket_t (*okaeri_curl_opening)(
    void *context, curlsocktype purpose, struct curl_sockaddr *address);

static inline CURLcode okaeri_curl_set_open_socket(CURL *handle, okaeri_curl_opening value) {
    return curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, value);
}

static inline curl_socket_t okaeri_curl_no_socket(void) {
    return CURL_SOCKET_BAD;
}

/* The socket that libcurl itself would open. */
static inline curl_socket_t okaeri_curl_open_socket(const struct curl_sockaddr *address) {
    curl_socket_t opened = socket(address->family, address->socktype, address->protocol);
    if (opened != CURL_SOCKET_BAD) fcntl(opened, F_SETFD, FD_CLOEXEC);
    return opened;
}

/* Copies an address in network order: 4 bytes of IPv4, or 16 of IPv6. Returns how many; 0 for any other family. */
static inline int okaeri_curl_address(const struct curl_sockaddr *socket, void *bytes) {
    if (socket->family == AF_INET && socket->addrlen >= sizeof(struct sockaddr_in)) {
        const struct sockaddr_in *address = (const struct sockaddr_in *)(const void *)&socket->addr;
        memcpy(bytes, &address->sin_addr, 4);
        return 4;
    }
    if (socket->family == AF_INET6 && socket->addrlen >= sizeof(struct sockaddr_in6)) {
        const struct sockaddr_in6 *address = (const struct sockaddr_in6 *)(const void *)&socket->addr;
        memcpy(bytes, &address->sin6_addr, 16);
        return 16;
    }
    return 0;
}

static inline CURLcode okaeri_curl_get_long(CURL *handle, CURLINFO info, long *value) {
    return curl_easy_getinfo(handle, info, value);
}

/* Nothing more is received over the connection of the last transfer, if it is open still. What is sent goes out. */
static inline void okaeri_curl_stop_receiving(CURL *handle) {
    curl_socket_t used = CURL_SOCKET_BAD;
    if (curl_easy_getinfo(handle, CURLINFO_ACTIVESOCKET, &used) != CURLE_OK) return;
    if (used != CURL_SOCKET_BAD) shutdown(used, SHUT_RD);
}

/* Where libcurl trusts a file of certificates by itself, leaves out the folder beside it: what is read of a file it keeps for so
   many seconds with a set of transfers, and a folder keeps it from keeping anything. */
static inline CURLcode okaeri_curl_trust_file(CURL *handle, long seconds) {
#if LIBCURL_VERSION_NUM >= 0x075700
    const curl_version_info_data *library = curl_version_info(CURLVERSION_NOW);
    /* An earlier one keeps nothing, and does not know the option. */
    if (library->version_num < 0x075700 || !library->cainfo) return CURLE_OK;
    /* One whose TLS keeps nothing either does not take it. Both go on reading the file and the folder for each transfer. */
    if (curl_easy_setopt(handle, CURLOPT_CA_CACHE_TIMEOUT, seconds) != CURLE_OK) return CURLE_OK;
    CURLcode code = curl_easy_setopt(handle, CURLOPT_CAPATH, (char *)NULL);
    /* TLS without folders needs none to be left out. */
    return code == CURLE_NOT_BUILT_IN ? CURLE_OK : code;
#else
    (void)handle, (void)seconds;
    return CURLE_OK;
#endif
}

/* Whether libcurl has its TLS from OpenSSL, whose words for sets of ciphers it takes then. */
static inline int okaeri_curl_has_openssl(void) {
    const char *library = curl_version_info(CURLVERSION_NOW)->ssl_version;
    return library && strncmp(library, "OpenSSL", 7) == 0;
}

#endif
