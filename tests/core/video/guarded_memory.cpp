// Whatever is allocated in the size of a picture ends where memory may not be touched: reading or writing
// beyond it ends the program, also in libav's assembly, which no sanitizer sees.
#include <array>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <new>
#include <sys/mman.h>
#include <unistd.h>

namespace {

constexpr std::size_t kSmallest = 2048, kLargest = 1 << 20;
constexpr std::size_t kAligned =
    16;  // as operator new promises; sizes of other multiples keep the rest as slack

struct Guarded {
    void* memory = nullptr;
    void* pages = nullptr;
    std::size_t bytes = 0;  ///< of the pages
};

std::mutex s_mutex;
std::array<Guarded, 512> s_guarded;

void* guarded(std::size_t bytes) {
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    const auto used = (bytes + kAligned - 1) / kAligned * kAligned;
    const auto whole = (used + page - 1) / page * page;
    const std::lock_guard lock(s_mutex);
    for (Guarded& slot : s_guarded) {
        if (slot.memory) continue;
        void* pages =
            ::mmap(nullptr, whole + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (pages == MAP_FAILED) return nullptr;
        auto* first = static_cast<std::uint8_t*>(pages);
        ::mprotect(first + whole, page, PROT_NONE);
        slot = {first + whole - used, pages, whole + page};
        return slot.memory;
    }
    return nullptr;
}

bool released(void* memory) {
    const std::lock_guard lock(s_mutex);
    for (Guarded& slot : s_guarded) {
        if (slot.memory != memory) continue;
        ::munmap(slot.pages, slot.bytes);
        slot = {};
        return true;
    }
    return false;
}

}  // namespace

void* operator new(std::size_t bytes) {
    void* memory = bytes >= kSmallest && bytes <= kLargest ? guarded(bytes) : nullptr;
    if (!memory) memory = std::malloc(bytes == 0 ? 1 : bytes);
    if (!memory) throw std::bad_alloc();
    return memory;
}

void operator delete(void* memory) noexcept {
    if (memory && !released(memory)) std::free(memory);
}

void operator delete(void* memory, std::size_t) noexcept {
    operator delete(memory);
}
