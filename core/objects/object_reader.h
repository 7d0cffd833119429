#pragma once

#include "core/objects/object_requests.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

namespace dailies::objects {

struct ObjectFacts {
    std::uint64_t bytes = 0;
    std::string stamp;  ///< of its content, or else of its last change: another stamp is another object
};

struct ListedObject {
    std::string url;
    ObjectFacts facts;
};

/// Reads objects by ranged requests, which are sent again as `ObjectRequests` does. One thread at a time.
/// Throws `Refused`, and other `Error`s, with the object's name and what can be done.
class ObjectReader {
public:
    explicit ObjectReader(const S3Access& access, std::stop_token stop = {},
                          std::chrono::seconds patience = std::chrono::minutes(5));

    ObjectFacts facts(const std::string& url);

    /// Those bytes, all of them. `stamp`: of `facts`; throws where the object has another by now.
    std::string read(const std::string& url, std::uint64_t offset, std::uint64_t bytes,
                     const std::string& stamp);

    /// Into a file, which is whole or absent.
    void download(const std::string& url, const ObjectFacts& facts, const std::filesystem::path& file);

    /// The objects of a bucket whose URLs begin with `url` (s3:// alone), in the order of their names.
    std::vector<ListedObject> list(const std::string& url);

private:
    http::Response askPart(const std::string& url, std::uint64_t offset, std::uint64_t bytes);

    ObjectRequests m_requests;
};

}  // namespace dailies::objects
