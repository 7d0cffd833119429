#include "core/objects/object_reader.h"

#include "core/base/error.h"
#include "core/base/ids.h"
#include "core/base/numbers.h"
#include "core/base/text.h"
#include "core/http/retry.h"

#include <algorithm>
#include <fstream>
#include <optional>

namespace dailies::objects {

namespace {

constexpr std::string_view kBucketScheme = "s3://";
constexpr std::uint64_t kPartBytes = 64 << 20;  // of a download's requests
constexpr int kNotSatisfiable = 416;

bool isInBucket(std::string_view url) {
    return url.starts_with(kBucketScheme);
}

struct BucketKey {
    std::string bucket, key;
};

BucketKey bucketKeyOf(const std::string& url) {
    const auto rest = url.substr(kBucketScheme.size());
    const auto slash = rest.find('/');
    if (slash == 0 || rest.empty())
        throw InputError(sanitizedText(url) + " names no bucket.",
                         "It looks like s3://bucket/folder/000000.tar.");
    return {rest.substr(0, slash), slash == std::string::npos ? "" : rest.substr(slash + 1)};
}

http::Credentials signing(const S3Access& access) {
    http::Credentials credentials;
    if (access.keyId.empty()) return credentials;
    credentials.user = access.keyId;
    credentials.password = access.secret;
    credentials.signature = "aws:amz:" + access.region + ":s3";
    credentials.sessionToken = access.sessionToken;
    return credentials;
}

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

/// Of an XML text, in which stores write names.
std::string unescaped(std::string_view text) {
    static const std::pair<std::string_view, char> kEntities[] = {
        {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}, {"&#39;", '\''}, {"&amp;", '&'}};
    std::string plain;
    while (!text.empty()) {
        const auto* found = std::ranges::find_if(
            kEntities, [&](const auto& entity) { return text.starts_with(entity.first); });
        const bool isEntity = found != std::end(kEntities);
        plain += isEntity ? found->second : text.front();
        text.remove_prefix(isEntity ? found->first.size() : 1);
    }
    return plain;
}

/// What stands in all elements of that name in a store's XML, as it stands there. Those that count here have
/// no attributes.
std::vector<std::string> elements(const std::string& xml, const std::string& name) {
    const auto begin = "<" + name + ">", end = "</" + name + ">";
    std::vector<std::string> found;
    for (std::size_t at = xml.find(begin); at != std::string::npos; at = xml.find(begin, at)) {
        at += begin.size();
        const auto close = xml.find(end, at);
        if (close == std::string::npos) break;
        found.push_back(xml.substr(at, close - at));
    }
    return found;
}

/// The text of the first element of that name; empty: there is none.
std::string firstElement(const std::string& xml, const std::string& name) {
    const auto all = elements(xml, name);
    return all.empty() ? "" : unescaped(all.front());
}

}  // namespace

bool isObjectUrl(std::string_view text) {
    return isInBucket(text) || text.starts_with("https://") || text.starts_with("http://");
}

std::string withoutQuery(const std::string& url) {
    const bool isWeb = isObjectUrl(url) && !isInBucket(url);
    return isWeb ? url.substr(0, url.find('?')) : url;
}

ObjectReader::ObjectReader(const S3Access& access, std::stop_token stop, std::chrono::seconds patience)
    : m_access(access),
      m_stop(stop),
      m_patience(patience),
      m_signed(signing(access), stop),
      m_plain({}, stop) {}

void ObjectReader::refuse(const std::string& url, const http::Response& response) const {
    const auto name = sanitizedText(withoutQuery(url));
    if (response.status == 404) throw Refused("There is no " + name + ".");
    const auto code = firstElement(response.body, "Code");
    const auto why = http::refusalText(response);
    std::string remedy;
    if (code == "RequestTimeTooSkewed")
        remedy = "Set the node's clock.";
    else if (response.status == 401 || response.status == 403)
        remedy =
            isInBucket(url)
                ? "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the job's environment, or AWS_PROFILE "
                  "to a profile that the nodes have; its policy must allow s3:GetObject and s3:ListBucket."
                : "A signed URL may have expired: sign it again.";
    else if (response.status == 301 || code == "AuthorizationHeaderMalformed")
        remedy = "Set AWS_REGION to the region of the bucket.";
    throw Refused("Cannot read " + name + ": the server answered with status " +
                      std::to_string(response.status) + (why.empty() ? "." : ": " + why),
                  remedy);
}

http::Response ObjectReader::ask(const std::string& url,
                                 const std::function<http::Response(http::Connection&)>& send) {
    http::Retry retry(sanitizedText(withoutQuery(url)), "Check that the cluster's nodes reach the server.",
                      m_patience, m_stop);
    auto& connection = isInBucket(url) ? m_signed : m_plain;
    return retry.send([&] { return send(connection); });
}

http::Response ObjectReader::askPart(const std::string& url, std::uint64_t offset, std::uint64_t bytes) {
    auto address = url;
    if (isInBucket(url)) {
        const auto [bucket, key] = bucketKeyOf(url);
        address = s3Url(m_access, bucket, key);
    }
    return ask(url, [&](http::Connection& connection) { return connection.getPart(address, offset, bytes); });
}

ObjectFacts ObjectReader::facts(const std::string& url) {
    // not HEAD, for which signed URLs do not hold
    const auto response = askPart(url, 0, 1);
    if (response.status == kNotSatisfiable) return {0, stampOf(response)};
    if (response.status != 206 && response.status != 200) refuse(url, response);
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
    if (response.status != 206) refuse(url, response);
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
    std::vector<ListedObject> objects;
    for (std::string token;;) {
        // as the signature has them: encoded, and in the order of their names
        auto address = s3Url(m_access, bucket, "") + "?";
        if (!token.empty()) address += "continuation-token=" + http::urlEncoded(token) + "&";
        address += "list-type=2&prefix=" + http::urlEncoded(prefix);
        const auto response = ask(url, [&](http::Connection& connection) { return connection.get(address); });
        if (response.status != 200) refuse(url, response);
        for (const auto& entry : elements(response.body, "Contents")) {
            const auto bytes = parseCount(firstElement(entry, "Size"));
            objects.push_back({std::string(kBucketScheme) + bucket + "/" + firstElement(entry, "Key"),
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
