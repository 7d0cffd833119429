#include "core/objects/object_writer.h"

#include "core/base/error.h"
#include "core/http/http_connection.h"
#include "core/objects/store_xml.h"

#include <algorithm>
#include <fstream>
#include <utility>

namespace dailies::objects {

namespace {

constexpr std::uint64_t kMostParts = 10'000;  // of one object, by S3's rules

/// The next so many bytes; throws where the file ends before.
std::string nextPart(std::ifstream& input, std::uint64_t bytes, const std::filesystem::path& file) {
    std::string part(bytes, '\0');
    if (!input.read(part.data(), static_cast<std::streamsize>(bytes)))
        throw Error("Cannot read " + file.string() + ".", "Check that it is there and can be read.");
    return part;
}

}  // namespace

ObjectWriter::ObjectWriter(S3Access access, std::stop_token stop, std::chrono::seconds patience,
                           std::uint64_t partBytes)
    : m_requests(std::move(access), std::move(stop), patience), m_partBytes(partBytes) {}

http::Response ObjectWriter::request(const char* method, const std::string& url, const std::string& query,
                                     std::string_view bytes) {
    auto response = m_requests.send(url, [&](http::Connection& connection, const std::string& address) {
        return connection.send(method, address + query, bytes);
    });
    if (response.status / 100 != 2) m_requests.refuse("write", url, response);
    return response;
}

void ObjectWriter::upload(const std::filesystem::path& file, const std::string& url) {
    std::error_code unknown;
    const auto bytes = std::filesystem::file_size(file, unknown);
    if (unknown) throw Error("Cannot read " + file.string() + ": " + unknown.message() + ".");
    if (bytes > m_partBytes) return uploadInParts(file, bytes, url);
    std::ifstream input(file, std::ios::binary);
    request("PUT", url, "", nextPart(input, bytes, file));
}

void ObjectWriter::uploadInParts(const std::filesystem::path& file, std::uint64_t bytes,
                                 const std::string& url) {
    const auto partBytes = std::max(m_partBytes, (bytes + kMostParts - 1) / kMostParts);
    const auto id = firstElement(request("POST", url, "?uploads=").body, "UploadId");
    if (id.empty())
        throw Error("Cannot write " + url + ": the server gave no id for an upload in parts.",
                    "Check that it speaks S3.");
    const auto upload = "uploadId=" + http::urlEncoded(id);
    try {
        std::ifstream input(file, std::ios::binary);
        std::string parts;
        for (std::uint64_t at = 0, number = 1; at < bytes; at += partBytes, ++number) {
            const auto part = nextPart(input, std::min(partBytes, bytes - at), file);
            const auto taken =
                request("PUT", url, "?partNumber=" + std::to_string(number) + "&" + upload, part);
            parts += "<Part><PartNumber>" + std::to_string(number) + "</PartNumber><ETag>" + taken.etag +
                     "</ETag></Part>";
        }
        const auto done = request("POST", url, "?" + upload,
                                  "<CompleteMultipartUpload>" + parts + "</CompleteMultipartUpload>");
        // what goes wrong while the parts are joined comes after the status
        if (done.body.find("<Error>") != std::string::npos) m_requests.refuse("write", url, done);
    } catch (...) {
        try {
            request("DELETE", url, "?" + upload);  // parts are paid for until then
        } catch (const std::exception&) {
        }
        throw;
    }
}

void ObjectWriter::remove(const std::string& url) {
    request("DELETE", url, "");
}

}  // namespace dailies::objects
