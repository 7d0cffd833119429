#include "core/objects/object_reader.h"

#include "core/base/error.h"
#include "core/base/ids.h"
#include "core/base/numbers.h"
#include "core/base/text.h"
#include "core/objects/store_xml.h"

#include <algorithm>
#include <fstream>
#include <optional>

namespace dailies::objects {

namespace {

constexpr std::uint64_t kPartBytes = 64 << 20;  // of a download's requests
constexpr int kNotSatisfiable = 416;

/// Of an ETag, which some stores put in quotes in one answer and not in the next.
std::string stampOf(std::string etag, const std::string& lastModified) {
    std::erase(etag, '"');
    return etag.empty() ? lastModified : etag;
}

std::string stampOf(const http::Response& response) {
    return stampOf(response.etag, response.lastModified);
}

/// "bytes 0-0/1234" → 1234.
std::optional<std::uint64_t> totalOf(const std::string& contentRange) {
    const auto slash = contentRange.rfind('/');
    const auto total = slash == std::string::npos ? std::nullopt : parseCount(contentRange.substr(slash + 1));
    return total ? std::optional(static_cast<std::uint64_t>(*total)) : std::nullopt;
}

}  // namespace

ObjectReader::ObjectReader(const S3Access& access, std::stop_token stop, std::chrono::seconds patience)
    : m_requests(access, std::move(stop), patience) {}

http::Response ObjectReader::askPart(const std::string& url, std::uint64_t offset, std::uint64_t bytes) {
    return m_requests.send(url, [&](http::Connection& connection, const std::string& address) {
        return connection.getPart(address, offset, bytes);
    });
}

ObjectFacts ObjectReader::facts(const std::string& url) {
    // not HEAD, for which signed URLs do not hold
    const auto response = askPart(url, 0, 1);
    if (response.status == kNotSatisfiable) return {0, stampOf(response)};
    if (response.status != 206 && response.status != 200) m_requests.refuse("read", url, response);
    const auto total = totalOf(response.contentRange);
    if (response.status == 200 || !total)
        throw Error("Cannot read " + sanitizedText(withoutQuery(url)) +
                        ": the server does not answer requests for a part.",
                    "Put it on a server that does, such as an S3 store or nginx.");
    return {*total, stampOf(response)};
}

std::string ObjectReader::read(const std::string& url, std::uint64_t offset, std::uint64_t bytes,
                               const std::string& stamp) {
    if (bytes == 0) return "";
    auto response = askPart(url, offset, bytes);
    if (response.status != 206) m_requests.refuse("read", url, response);
    if (stampOf(response) != stamp)
        throw Error(sanitizedText(withoutQuery(url)) + " has changed since it was opened.",
                    "Start the run anew.");
    if (response.body.size() != bytes)
        throw Error(sanitizedText(withoutQuery(url)) + " ends before byte " + std::to_string(offset + bytes) +
                    ".");
    return std::move(response.body);
}

void ObjectReader::download(const std::string& url, const ObjectFacts& facts,
                            const std::filesystem::path& file) {
    auto part = file;
    part += "-" + newId();
    try {
        std::ofstream out(part, std::ios::binary);
        for (std::uint64_t at = 0; at < facts.bytes && out; at += kPartBytes)
            out << read(url, at, std::min(kPartBytes, facts.bytes - at), facts.stamp);
        out.close();
        if (!out)
            throw Error("Cannot write " + part.string() + ".",
                        "Check that its folder has room and can be written.");
        std::filesystem::rename(part, file);
    } catch (...) {
        std::error_code ignored;
        std::filesystem::remove(part, ignored);
        throw;
    }
}

std::vector<ListedObject> ObjectReader::list(const std::string& url) {
    const auto [bucket, prefix] = bucketKeyOf(url);
    const auto root = "s3://" + bucket + "/";
    std::vector<ListedObject> objects;
    for (std::string token;;) {
        // as the signature has them: encoded, and in the order of their names
        std::string query = "?";
        if (!token.empty()) query += "continuation-token=" + http::urlEncoded(token) + "&";
        query += "list-type=2&prefix=" + http::urlEncoded(prefix);
        const auto response =
            m_requests.send(root, [&](http::Connection& connection, const std::string& address) {
                return connection.get(address + query);
            });
        if (response.status != 200) m_requests.refuse("read", url, response);
        for (const auto& entry : elements(response.body, "Contents")) {
            const auto bytes = parseCount(firstElement(entry, "Size"));
            objects.push_back({root + firstElement(entry, "Key"),
                               {static_cast<std::uint64_t>(bytes.value_or(0)),
                                stampOf(firstElement(entry, "ETag"), firstElement(entry, "LastModified"))}});
        }
        token = firstElement(response.body, "NextContinuationToken");
        if (token.empty() || firstElement(response.body, "IsTruncated") != "true") break;
    }
    std::ranges::sort(objects, {}, &ListedObject::url);
    return objects;
}

}  // namespace dailies::objects
