#include "ui/review/frame_cache.h"

#include <utility>

namespace dailies::ui {

namespace {

std::size_t bytesOf(const DecodedFrame& frame) {
    return static_cast<std::size_t>(frame.image.sizeInBytes()) + sizeof(DecodedFrame) + frame.key.file.size();
}

}  // namespace

const DecodedFrame* FrameCache::find(const FrameKey& key) {
    const auto found = m_byKey.find(key);
    if (found == m_byKey.end()) return nullptr;
    m_entries.splice(m_entries.begin(), m_entries, found->second);
    return &*found->second;
}

void FrameCache::insert(DecodedFrame frame) {
    if (const auto old = m_byKey.find(frame.key); old != m_byKey.end()) remove(old->second);
    m_bytes += bytesOf(frame);
    m_entries.push_front(std::move(frame));
    m_byKey[m_entries.front().key] = m_entries.begin();
    while (m_bytes > m_limit && m_entries.size() > 1) remove(std::prev(m_entries.end()));
}

void FrameCache::forgetErrors() {
    for (auto entry = m_entries.begin(); entry != m_entries.end();) {
        const auto next = std::next(entry);
        if (!entry->error.isEmpty()) remove(entry);
        entry = next;
    }
}

void FrameCache::remove(Entries::iterator entry) {
    m_bytes -= bytesOf(*entry);
    m_byKey.erase(entry->key);
    m_entries.erase(entry);
}

}  // namespace dailies::ui
