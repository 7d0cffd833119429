#pragma once

#include "core/objects/object_requests.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>

namespace dailies::objects {

/// Writes objects of buckets (s3://) over one connection that stays open; the server checks each part by its
/// SHA-256. Sends again as `ObjectRequests` does. One thread at a time. Throws `Refused`, and other `Error`s,
/// with the object's name and what can be done.
class ObjectWriter {
public:
    /// `partBytes`: files above that size go up in parts of it, one of which is in memory; S3 takes no parts
    /// below 5 MiB.
    explicit ObjectWriter(S3Access access, std::stop_token stop = {},
                          std::chrono::seconds patience = std::chrono::minutes(5),
                          std::uint64_t partBytes = 32 << 20);

    /// A file, whole: until all of it is there, `url` is what it was before. A file that grows meanwhile is
    /// taken as far as it went at first.
    void upload(const std::filesystem::path& file, const std::string& url);

    /// An object that is not there is removed.
    void remove(const std::string& url);

private:
    void uploadInParts(const std::filesystem::path& file, std::uint64_t bytes, const std::string& url);
    /// `query`: "?…", encoded and in the order of its names, as the signature has it.
    http::Response request(const char* method, const std::string& url, const std::string& query,
                           std::string_view bytes = {});

    ObjectRequests m_requests;
    std::uint64_t m_partBytes;
};

}  // namespace dailies::objects
