#pragma once

#include <QImage>
#include <QSize>
#include <QString>

#include <cstddef>
#include <functional>
#include <list>
#include <string>
#include <unordered_map>

namespace dailies::ui {

/// Which picture: frame `frame` of a clip's file, made to fit `box` (device pixels).
struct FrameKey {
    std::string file;
    int frame = 0;
    QSize box;
    bool operator==(const FrameKey&) const = default;
};

/// What decoding brought: a picture, or why there is none.
struct DecodedFrame {
    FrameKey key;
    QImage image;
    QString error;  ///< for a person; empty when there is a picture
};

/// Decoded pictures under a limit of bytes. GUI thread only.
///
/// What goes first is what has not been looked up for the longest time. Drawing looks up what is on screen
/// and reading ahead looks up what comes next, so both stay; other steps, other sizes and frames long passed
/// go. A loop that fits entirely is decoded once; one that does not is decoded again on every round, which
/// keeps up with playing as the first round did.
class FrameCache {
public:
    explicit FrameCache(std::size_t limitBytes) : m_limit(limitBytes) {}

    /// The picture or error; nullptr when it is not here. Valid until the next insert().
    const DecodedFrame* find(const FrameKey& key);
    void insert(DecodedFrame frame);

    /// Forgets errors, so that clips which were incomplete are tried again.
    void forgetErrors();

    std::size_t bytes() const { return m_bytes; }
    std::size_t limit() const { return m_limit; }

private:
    struct KeyHash {
        std::size_t operator()(const FrameKey& key) const {
            const auto place = static_cast<std::size_t>(key.frame) * 0x9e3779b97f4a7c15u +
                               static_cast<std::size_t>(key.box.width()) * 8191u +
                               static_cast<std::size_t>(key.box.height());
            return std::hash<std::string>()(key.file) ^ place;
        }
    };
    using Entries = std::list<DecodedFrame>;

    void remove(Entries::iterator entry);

    std::size_t m_limit;
    std::size_t m_bytes = 0;
    Entries m_entries;  ///< last used first
    std::unordered_map<FrameKey, Entries::iterator, KeyHash> m_byKey;
};

}  // namespace dailies::ui
