#include "core/http/http_connection.h"

#include "core/base/text.h"
#include "core/digest/sha256.h"

#include <cstdio>
#include <cstdlib>
#include <curl/curl.h>

namespace dailies::http {

namespace {

std::size_t collect(char* bytes, std::size_t size, std::size_t count, void* body) {
    static_cast<std::string*>(body)->append(bytes, size * count);
    return size * count;
}

/// Those header lines that `Response` tells, into it. Of several answers (a proxy's first) the last one
/// counts.
std::size_t readHeader(char* bytes, std::size_t size, std::size_t count, void* response) {
    const std::string_view line(bytes, size * count);
    auto& into = *static_cast<Response*>(response);
    const auto colon = line.find(':');
    if (line.starts_with("HTTP/")) into.etag = into.lastModified = into.contentRange = {};
    if (colon != std::string_view::npos) {
        const auto name = lowered(line.substr(0, colon));
        auto value = trim(std::string(line.substr(colon + 1)));
        if (name == "etag") into.etag = std::move(value);
        if (name == "last-modified") into.lastModified = std::move(value);
        if (name == "content-range") into.contentRange = std::move(value);
    }
    return line.size();
}

int stopWhenAsked(void* stop, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
    return static_cast<std::stop_token*>(stop)->stop_requested() ? 1 : 0;
}

/// Those of the environment, and this machine itself: clusters have proxies, and servers on their nodes.
const std::string& hostsWithoutProxy() {
    static const std::string kHosts = [] {
        std::string hosts = "localhost,127.0.0.1,::1";
        for (const char* name : {"no_proxy", "NO_PROXY"})
            if (const char* more = std::getenv(name)) hosts += "," + std::string(more);
        return hosts;
    }();
    return kHosts;
}

struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
};

}  // namespace

struct Connection::Curl {
    Credentials access;
    std::stop_token stop;
    std::chrono::seconds silence;
    CURL* easy = nullptr;

    /// As at the beginning, with the connection still open.
    void begin(const std::string& url, std::string& body) {
        curl_easy_reset(easy);
        set(CURLOPT_URL, url.c_str());
#if LIBCURL_VERSION_NUM >= 0x075500
        set(CURLOPT_PROTOCOLS_STR, "http,https");
#else
        set(CURLOPT_PROTOCOLS, static_cast<long>(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
        set(CURLOPT_NOPROXY, hostsWithoutProxy().c_str());
        set(CURLOPT_NOSIGNAL, 1L);
        set(CURLOPT_CONNECTTIMEOUT, 10L);
        // whatever TCP believes of it
        set(CURLOPT_LOW_SPEED_LIMIT, 1L);
        set(CURLOPT_LOW_SPEED_TIME, static_cast<long>(silence.count()));
        set(CURLOPT_TCP_KEEPALIVE, 1L);
        set(CURLOPT_USERAGENT, "dailies");
        set(CURLOPT_WRITEFUNCTION, collect);
        set(CURLOPT_WRITEDATA, &body);
        set(CURLOPT_NOPROGRESS, 0L);
        set(CURLOPT_XFERINFOFUNCTION, stopWhenAsked);
        set(CURLOPT_XFERINFODATA, &stop);
        if (!access.token.empty()) {
            set(CURLOPT_HTTPAUTH, CURLAUTH_BEARER);
            set(CURLOPT_XOAUTH2_BEARER, access.token.c_str());
        } else if (!access.user.empty() || !access.password.empty()) {
            if (access.signature.empty())
                set(CURLOPT_HTTPAUTH, CURLAUTH_BASIC);
            else
                set(CURLOPT_AWS_SIGV4, access.signature.c_str());
            set(CURLOPT_USERNAME, access.user.c_str());
            set(CURLOPT_PASSWORD, access.password.c_str());
        }
        if (!access.certificate.empty()) set(CURLOPT_CAINFO, access.certificate.c_str());
        if (access.insecureTls) {
            set(CURLOPT_SSL_VERIFYPEER, 0L);
            set(CURLOPT_SSL_VERIFYHOST, 0L);
        }
    }

    template <class Value>
    void set(CURLoption option, Value value) {
        curl_easy_setopt(easy, option, value);
    }

    /// `sent`: what the request carries, which a signature covers.
    Response perform(std::string& body, std::initializer_list<const char*> headerLines,
                     std::string_view sent = {}) {
        curl_slist* headers = nullptr;
        for (const char* line : headerLines) headers = curl_slist_append(headers, line);
        // S3 demands it, and not every libcurl adds it
        if (!access.signature.empty()) {
            Sha256 hash;
            hash.add(sent);
            headers = curl_slist_append(headers, ("x-amz-content-sha256: " + hash.hex()).c_str());
        }
        if (!access.sessionToken.empty())
            headers = curl_slist_append(headers, ("x-amz-security-token: " + access.sessionToken).c_str());
        set(CURLOPT_HTTPHEADER, headers);
        Response response;
        set(CURLOPT_HEADERFUNCTION, readHeader);
        set(CURLOPT_HEADERDATA, &response);
        const CURLcode code = curl_easy_perform(easy);
        curl_slist_free_all(headers);
        switch (code) {
            case CURLE_OK:
                break;
            case CURLE_ABORTED_BY_CALLBACK:
                throw Cancelled();
            case CURLE_URL_MALFORMAT:
            case CURLE_UNSUPPORTED_PROTOCOL:
                throw InputError("The server address is not an HTTP(S) URL.",
                                 "Use a URL such as https://example.org:5000.");
            case CURLE_PEER_FAILED_VERIFICATION:
            case CURLE_SSL_CACERT_BADFILE:
            case CURLE_SSL_CONNECT_ERROR:
                throw Error(
                    std::string("No secure connection to the server: ") + curl_easy_strerror(code) + ".",
                    "Check that it speaks HTTPS. The certificate of an MLflow server of your own is named in "
                    "MLFLOW_TRACKING_SERVER_CERT_PATH.");
            default:
                throw ConnectionError(curl_easy_strerror(code));
        }
        response.body = std::move(body);
        long status = 0;
        curl_off_t wait = 0;
        curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
        if (curl_easy_getinfo(easy, CURLINFO_RETRY_AFTER, &wait) == CURLE_OK && wait > 0)
            response.retryAfter = std::chrono::seconds(wait);
        response.status = static_cast<int>(status);
        return response;
    }
};

Connection::Connection(Credentials access, std::stop_token stop, std::chrono::seconds silence)
    : m_curl(std::make_unique<Curl>(Curl{std::move(access), std::move(stop), silence})) {
    static const CURLcode initialised = curl_global_init(CURL_GLOBAL_DEFAULT);
    m_curl->easy = initialised == CURLE_OK ? curl_easy_init() : nullptr;
    if (!m_curl->easy) throw Error("The HTTP library could not be started.");
}

Connection::~Connection() {
    curl_easy_cleanup(m_curl->easy);
}

Response Connection::get(const std::string& url) {
    std::string body;
    m_curl->begin(url, body);
    return m_curl->perform(body, {});
}

Response Connection::getPart(const std::string& url, std::uint64_t first, std::uint64_t count) {
    std::string body;
    body.reserve(count);
    m_curl->begin(url, body);
    const auto range = std::to_string(first) + "-" + std::to_string(first + count - 1);
    m_curl->set(CURLOPT_RANGE, range.c_str());
    const auto& access = m_curl->access;
    if (access.token.empty() && access.user.empty()) {  // nobody's key can reach another server
        m_curl->set(CURLOPT_FOLLOWLOCATION, 1L);
        m_curl->set(CURLOPT_MAXREDIRS, 5L);
    }
    return m_curl->perform(body, {});
}

Response Connection::post(const std::string& url, const std::string& json) {
    std::string body;
    m_curl->begin(url, body);
    m_curl->set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(json.size()));
    m_curl->set(CURLOPT_POSTFIELDS, json.data());
    // without "Expect", which costs a round trip on every batch
    return m_curl->perform(body, {"Content-Type: application/json", "Expect:"});
}

Response Connection::put(const std::string& url, const std::filesystem::path& file) {
    const std::unique_ptr<std::FILE, CloseFile> input(std::fopen(file.c_str(), "rb"));
    if (!input) throw Error("Cannot read " + file.string() + ".", "Check its permissions.");
    std::string body;
    m_curl->begin(url, body);
    m_curl->set(CURLOPT_UPLOAD, 1L);
    m_curl->set(CURLOPT_READDATA, input.get());
    m_curl->set(CURLOPT_INFILESIZE_LARGE, static_cast<curl_off_t>(std::filesystem::file_size(file)));
    return m_curl->perform(body, {"Content-Type: application/octet-stream", "Expect:"});
}

Response Connection::send(const char* method, const std::string& url, std::string_view bytes) {
    std::string body;
    m_curl->begin(url, body);
    m_curl->set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(bytes.size()));
    m_curl->set(CURLOPT_POSTFIELDS, bytes.empty() ? "" : bytes.data());
    m_curl->set(CURLOPT_CUSTOMREQUEST, method);
    // no "Expect:" to spare the round trip: libcurl would sign the header and not send it
    return m_curl->perform(body, {"Content-Type: application/octet-stream"}, bytes);
}

}  // namespace dailies::http
