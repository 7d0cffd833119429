#include "trainer/data/array_cache.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/ids.h"
#include "core/digest/sha256.h"
#include "trainer/serialization/binary_file.h"
#include "trainer/tensors/random.h"

#include <algorithm>
#include <cstdio>

namespace dailies::trainer {

namespace {

namespace fs = std::filesystem;

std::string withoutFailing(const std::exception& error, const fs::path& folder) {
    return "The cache " + folder.string() + " was not written: " + error.what() +
           " It will be computed again.";
}

}  // namespace

std::string contentKey(std::initializer_list<std::string_view> parts) {
    Sha256 digest;
    for (const auto part : parts) {
        digest.add(std::to_string(part.size()) + ":");
        digest.add(part);
    }
    return digest.hex(kIdDigits);
}

std::string weightsKey(std::initializer_list<std::string_view> parts) {
    std::string all;
    for (const auto part : parts) all += std::to_string(part.size()) + ":" + std::string(part);
    const auto first = hashText(all), second = hashText(all + "#");
    char text[33];
    std::snprintf(text, sizeof text, "%016llx%016llx", static_cast<unsigned long long>(first),
                  static_cast<unsigned long long>(second));
    return text;
}

ArrayCache::ArrayCache(fs::path folder, std::uint64_t fileBytes)
    : m_folder(std::move(folder)), m_fileBytes(fileBytes) {
    std::error_code missing;
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(m_folder, missing))
        if (entry.path().extension() == ".safetensors") files.push_back(entry.path());
    std::ranges::sort(files);
    for (const auto& file : files) {
        try {
            open(file);
        } catch (const Error& error) {
            m_problems.push_back(error.full() + " What it held is computed again.");
        }
    }
}

ArrayCache::~ArrayCache() {
    try {
        flush();
    } catch (const std::exception&) {
        // a cache that could not be written costs the time to compute it again, and nothing else
    }
}

void ArrayCache::open(const fs::path& file) {
    auto header = readSafetensorsHeader(file);
    m_files.push_back(file);
    for (auto& entry : header.tensors) {
        const auto offset = header.start + entry.begin;
        auto key = entry.name;
        m_kept.insert_or_assign(std::move(key), Place{m_files.size() - 1, offset, std::move(entry)});
    }
}

std::optional<Array> ArrayCache::find(const std::string& key) const {
    const std::lock_guard lock(m_mutex);
    if (const auto waiting = m_waiting.find(key); waiting != m_waiting.end()) return waiting->second;
    const auto found = m_kept.find(key);
    if (found == m_kept.end()) return std::nullopt;
    const auto& [file, offset, entry] = found->second;
    Array array{entry.type, entry.shape, {}};
    array.bytes.resize(entry.end - entry.begin);
    BinaryFile::openForRead(m_files[file]).readAt(offset, array.bytes.data(), array.bytes.size());
    return array;
}

bool ArrayCache::contains(const std::string& key) const {
    const std::lock_guard lock(m_mutex);
    return m_kept.contains(key) || m_waiting.contains(key);
}

void ArrayCache::put(const std::string& key, Array array) {
    const std::lock_guard lock(m_mutex);
    if (m_kept.contains(key) || m_waiting.contains(key)) return;  // equal keys have equal arrays
    m_waitingBytes += array.bytes.size();
    m_waiting.emplace(key, std::move(array));
    if (m_waitingBytes < m_fileBytes) return;
    try {
        write();
    } catch (const std::exception& error) {
        m_problems.push_back(withoutFailing(error, m_folder));
        m_waiting.clear();
        m_waitingBytes = 0;
    }
}

void ArrayCache::flush() {
    const std::lock_guard lock(m_mutex);
    write();
}

void ArrayCache::write() {
    if (m_waiting.empty()) return;
    SafetensorsHeader header;
    std::uint64_t at = 0;
    for (const auto& [key, array] : m_waiting) {
        header.tensors.push_back({key, array.type, array.shape, at, at + array.bytes.size()});
        at += array.bytes.size();
    }
    auto bytes = encodeSafetensorsHeader(header);
    bytes.reserve(bytes.size() + at);
    for (const auto& [key, array] : m_waiting) bytes.append(array.bytes.begin(), array.bytes.end());
    const auto file = m_folder / (newId() + ".safetensors");
    writeFileAtomically(file, bytes);
    open(file);
    m_waiting.clear();
    m_waitingBytes = 0;
}

std::size_t ArrayCache::size() const {
    const std::lock_guard lock(m_mutex);
    return m_kept.size() + m_waiting.size();
}

std::vector<std::string> ArrayCache::takeProblems() {
    const std::lock_guard lock(m_mutex);
    return std::exchange(m_problems, {});
}

}  // namespace dailies::trainer
