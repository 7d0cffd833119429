#pragma once

#include "core/base/files.h"
#include "core/base/json.h"
#include "core/objects/s3_access.h"

#include <filesystem>
#include <string>
#include <thread>
#include <vector>

namespace dailies::objects {

/// An S3 store of this machine (bucket_server.py), until the end of its life.
class RunningBucket {
public:
    RunningBucket();

    /// Of the key that the store knows.
    S3Access access() const;
    std::string endpoint() const { return "http://127.0.0.1:" + std::to_string(m_port); }
    /// Where an object's bytes lie, "bucket/key".
    std::filesystem::path file(const std::string& object) const {
        return m_folder.path() / "buckets" / object;
    }
    void put(const std::string& object, const std::string& bytes) const {
        writeFileAtomically(file(object), bytes);
    }
    void fail(const Json& faults) const {
        writeFileAtomically(m_folder.path() / "faults.json", faults.dump());
    }
    /// A line each, "/bucket/key bytes=0-0 token".
    std::vector<std::string> requests() const;
    /// A line each of those that wrote, "PUT /bucket/key?query".
    std::vector<std::string> writes() const;
    /// How many uploads in parts are neither complete nor given up.
    std::size_t openUploads() const;

private:
    std::vector<std::string> linesOf(const char* name) const;

    TemporaryFolder m_folder{"dailies-bucket"};
    int m_port = 0;
    std::jthread m_server;  // ended first, and the store with it
};

}  // namespace dailies::objects
