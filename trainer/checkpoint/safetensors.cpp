#include "trainer/checkpoint/safetensors.h"

#include "core/base/error.h"
#include "core/base/json.h"

#include <torch/types.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace dailies::trainer {

namespace {

static_assert(std::endian::native == std::endian::little, "safetensors holds little-endian numbers");

constexpr std::uint64_t kLongestHeader = 100'000'000;  // the format's own limit

class File {
public:
    File(const std::filesystem::path& path, int flags)
        : m_path(path), m_fd(::open(path.c_str(), flags | O_CLOEXEC, 0644)) {
        if (m_fd < 0) fail(flags & O_CREAT ? "write" : "read");
    }
    ~File() { ::close(m_fd); }
    File(const File&) = delete;
    File& operator=(const File&) = delete;

    void write(const void* bytes, std::size_t count) {
        const auto* at = static_cast<const char*>(bytes);
        while (count > 0) {
            const auto written = ::write(m_fd, at, count);
            if (written < 0 && errno == EINTR) continue;
            if (written < 0) fail("write");
            at += written;
            count -= static_cast<std::size_t>(written);
        }
    }

    void read(void* bytes, std::size_t count, std::uint64_t offset) const {
        auto* at = static_cast<char*>(bytes);
        while (count > 0) {
            const auto got = ::pread(m_fd, at, count, static_cast<off_t>(offset));
            if (got < 0 && errno == EINTR) continue;
            if (got < 0) fail("read");
            if (got == 0) throw Error(m_path.string() + " ends too early.");
            at += got;
            offset += static_cast<std::uint64_t>(got);
            count -= static_cast<std::size_t>(got);
        }
    }

    void flush() const {
        if (::fsync(m_fd) != 0) fail("write");
    }

private:
    [[noreturn]] void fail(const char* verb) const {
        throw Error(std::string("Cannot ") + verb + " " + m_path.string() + ": " + std::strerror(errno) +
                    ".");
    }

    std::filesystem::path m_path;
    int m_fd;
};

struct Entry {
    std::string name;
    std::vector<std::int64_t> shape;
    std::uint64_t begin = 0, end = 0;
};

/// Elements of a shape; throws when it does not describe `bytes` of float32 (also when the product would
/// overflow).
void checkSize(const Entry& entry) {
    std::uint64_t elements = 1;
    const std::uint64_t limit = (entry.end - entry.begin) / sizeof(float);
    for (const auto dim : entry.shape) {
        if (dim < 0) throw InputError(entry.name + " has a negative dimension");
        if (dim == 0)
            elements = 0;
        else if (elements > limit / static_cast<std::uint64_t>(dim))
            throw InputError(entry.name + " is larger than its bytes");
        else
            elements *= static_cast<std::uint64_t>(dim);
    }
    if (elements * sizeof(float) != entry.end - entry.begin)
        throw InputError(entry.name + " has the wrong size");
}

std::vector<Entry> parseHeader(const std::string& header, std::uint64_t dataBytes) {
    std::vector<Entry> entries;
    const Json json = parseJson(header, "header");
    if (!json.is_object()) throw InputError("the header is no JSON object");
    for (const auto& [name, value] : json.items()) {
        if (name == "__metadata__") continue;
        if (!value.is_object() || value.value("dtype", Json()) != "F32")
            throw InputError(name + " is not of type F32, the only one that checkpoints hold");
        Entry entry{name, value.at("shape").get<std::vector<std::int64_t>>(), 0, 0};
        const auto offsets = value.at("data_offsets").get<std::array<std::int64_t, 2>>();
        if (offsets[0] < 0 || offsets[1] < offsets[0] || static_cast<std::uint64_t>(offsets[1]) > dataBytes)
            throw InputError(name + " lies outside of the file");
        entry.begin = static_cast<std::uint64_t>(offsets[0]);
        entry.end = static_cast<std::uint64_t>(offsets[1]);
        checkSize(entry);
        entries.push_back(std::move(entry));
    }
    // The format has neither holes nor overlaps, so that no byte is hidden and none is read twice.
    std::vector<const Entry*> inOrder;
    for (const auto& entry : entries) inOrder.push_back(&entry);
    std::ranges::sort(inOrder, {}, [](const Entry* e) { return std::pair(e->begin, e->end); });
    std::uint64_t at = 0;
    for (const auto* entry : inOrder) {
        if (entry->begin != at)
            throw InputError(entry->name + " overlaps another tensor or leaves a hole before it");
        at = entry->end;
    }
    if (at != dataBytes) throw InputError("bytes are left over after the last tensor");
    return entries;
}

}  // namespace

std::int64_t writeSafetensors(const std::filesystem::path& path, const Params& tensors) {
    Json header = Json::object();
    std::uint64_t offset = 0;
    for (std::size_t i = 0; i < tensors.names().size(); ++i) {
        const auto& tensor = tensors.tensors()[i];
        const std::uint64_t end = offset + static_cast<std::uint64_t>(tensor.numel()) * sizeof(float);
        header[tensors.names()[i]] = {
            {"dtype", "F32"}, {"shape", tensor.sizes().vec()}, {"data_offsets", {offset, end}}};
        offset = end;
    }
    std::string text = header.dump();
    text.resize((text.size() + 7) / 8 * 8, ' ');  // tensors start aligned
    try {
        File file(path, O_WRONLY | O_CREAT | O_TRUNC);
        const std::uint64_t length = text.size();
        file.write(&length, sizeof length);
        file.write(text.data(), text.size());
        for (const auto& tensor : tensors.tensors()) {
            const auto plain = tensor.detach().to(at::kCPU, at::kFloat).contiguous();
            file.write(plain.const_data_ptr(), static_cast<std::size_t>(plain.numel()) * sizeof(float));
        }
        file.flush();
        return static_cast<std::int64_t>(sizeof length + text.size() + offset);
    } catch (...) {
        std::error_code ignored;
        std::filesystem::remove(path, ignored);
        throw;
    }
}

Params readSafetensors(const std::filesystem::path& path) {
    const File file(path, O_RDONLY);
    const std::uint64_t size = std::filesystem::file_size(path);
    std::uint64_t length = 0;
    try {
        if (size < sizeof length) throw InputError("it is shorter than its first number");
        file.read(&length, sizeof length, 0);
        if (length > kLongestHeader || length > size - sizeof length)
            throw InputError("the header is longer than the file");
        std::string header(length, '\0');
        file.read(header.data(), header.size(), sizeof length);
        const std::uint64_t start = sizeof length + length;
        Params tensors;
        for (const auto& entry : parseHeader(header, size - start)) {
            auto tensor = at::empty(entry.shape, at::kFloat);
            file.read(tensor.mutable_data_ptr(), entry.end - entry.begin, start + entry.begin);
            tensors.add(entry.name, std::move(tensor));
        }
        return tensors;
    } catch (const InputError& error) {
        throw Error(path.string() + " is not a whole safetensors file: " + error.what() + ".");
    } catch (const Json::exception&) {
        throw Error(path.string() + " is not a whole safetensors file: its header lacks a shape or offsets.");
    }
}

}  // namespace dailies::trainer
