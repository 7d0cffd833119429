#pragma once

#include <QImage>
#include <QSize>
#include <QString>

#include <cstddef>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace dailies::ui {

enum class LoopMode;
struct ClipFacts;

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
    QString error;                           ///< for a person; empty when there is a picture
    std::shared_ptr<const ClipFacts> facts;  ///< of the file that it was read from
};

/// Where the play head is in a clip that is on screen, and which way it goes.
struct PlaybackState {
    std::string file;
    QSize box;
    int frame = 0;
    int first = 0, last = 0;  ///< of the frames that are played
    int direction = 1;
    double fps = 1;
    int step = 1;  ///< frames from one picture to the next
    LoopMode mode = {};
    int behind = 8;  ///< frames just passed that stay for stepping back
};

/// Decoded pictures under a limit of bytes. GUI thread only.
///
/// What goes first, in this order:
/// 1. pictures of clips that are not on screen (other steps, other sizes), the clip that was looked up
/// longest
///    ago first, and of it the frames farthest from where it was;
/// 2. of clips on screen, frames outside of the loop points;
/// 3. the frame that will be shown last: in a loop the one that the play head passed some frames ago, to and
///    fro the one at the end that it comes from.
/// A loop that does not fit so keeps a part that does; a cache that drops what was used longest ago would
/// decode every frame of it again on every round. Some frames behind the play head stay for stepping back,
/// as long as there is anything else to drop; the one under it and the next stay even when they alone exceed
/// the limit, or the wall would ask for them for ever.
class FrameCache {
public:
    explicit FrameCache(std::size_t limitBytes) : m_limit(limitBytes) {}

    /// The clips that this player has on screen now, and how they are played.
    void setShown(const std::vector<PlaybackState>& places, const void* player = nullptr);

    /// The picture or error; nullptr when it is not here. Valid until the cache changes.
    const DecodedFrame* find(const FrameKey& key);
    const DecodedFrame* find(const std::string& file, QSize box, int frame);
    /// The frames of one clip that are here; nullptr when there are none. Valid until the cache changes.
    const std::map<int, DecodedFrame>* framesOf(const std::string& file, QSize box);
    void insert(DecodedFrame frame);

    void forget(const std::string& file);  ///< all pictures of a file that has changed
    /// Forgets errors, so that clips which were incomplete are tried again.
    void forgetErrors();

    std::size_t bytes() const { return m_bytes; }
    std::size_t limit() const { return m_limit; }
    void setLimit(std::size_t bytes);

private:
    /// The file's name is the sequence's own: looking up copies no text.
    struct SequenceKey {
        std::string_view file;
        QSize box;
        bool operator==(const SequenceKey&) const = default;
    };
    struct KeyHash {
        std::size_t operator()(const SequenceKey& key) const {
            const auto box = static_cast<std::size_t>(key.box.width()) * 8191u +
                             static_cast<std::size_t>(key.box.height());
            return std::hash<std::string_view>()(key.file) ^ (box * 0x9e3779b97f4a7c15u);
        }
    };
    /// One clip's pictures of one size.
    struct Sequence {
        std::string file;
        QSize box;
        std::map<int, DecodedFrame> frames = {};
        PlaybackState place = {};
        bool shown = false;
        const void* player = nullptr;  ///< that shows it
    };
    /// A frame that could go, and in how many seconds it is wanted again.
    struct Candidate {
        int frame = -1;  ///< -1: none of the clip's frames may go
        double seconds = -1;
    };

    Sequence& sequenceOf(const std::string& file, QSize box);
    void trim();
    bool dropUnshown();
    bool dropShown(bool keepBehind);
    static Candidate farthest(const Sequence& sequence, int keptBehind);
    void remove(Sequence& sequence, std::map<int, DecodedFrame>::iterator frame);

    std::size_t m_limit;
    std::size_t m_bytes = 0;
    std::list<Sequence> m_sequences;  ///< last looked up first
    std::unordered_map<SequenceKey, std::list<Sequence>::iterator, KeyHash> m_byKey;
};

}  // namespace dailies::ui
