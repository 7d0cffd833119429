#include "ui/playback/frame_cache.h"

#include "ui/playback/playhead.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <utility>

namespace dailies::ui {

namespace {

std::size_t bytesOf(const DecodedFrame& frame) {
    return static_cast<std::size_t>(frame.image.sizeInBytes()) + sizeof(DecodedFrame) + frame.key.file.size();
}

}  // namespace

void FrameCache::setLimit(std::size_t bytes) {
    m_limit = bytes;
    trim();
}

FrameCache::Sequence& FrameCache::sequenceOf(const std::string& file, QSize box) {
    const auto found = m_byKey.find({file, box});
    if (found == m_byKey.end()) {
        m_sequences.push_front({.file = file, .box = box});
        m_byKey.emplace(SequenceKey{m_sequences.front().file, box}, m_sequences.begin());
    } else {
        m_sequences.splice(m_sequences.begin(), m_sequences, found->second);
    }
    return m_sequences.front();
}

void FrameCache::setShown(const std::vector<PlaybackState>& places, const void* player) {
    for (Sequence& sequence : m_sequences)
        if (sequence.player == player) sequence.shown = false;
    for (const PlaybackState& place : places) {
        Sequence& sequence = sequenceOf(place.file, place.box);
        sequence.place = place;
        sequence.shown = true;
        sequence.player = player;
    }
}

const DecodedFrame* FrameCache::find(const FrameKey& key) {
    return find(key.file, key.box, key.frame);
}

const DecodedFrame* FrameCache::find(const std::string& file, QSize box, int frame) {
    const auto* frames = framesOf(file, box);
    if (!frames) return nullptr;
    const auto found = frames->find(frame);
    return found == frames->end() ? nullptr : &found->second;
}

const std::map<int, DecodedFrame>* FrameCache::framesOf(const std::string& file, QSize box) {
    const auto found = m_byKey.find({file, box});
    if (found == m_byKey.end()) return nullptr;
    m_sequences.splice(m_sequences.begin(), m_sequences, found->second);
    return &found->second->frames;
}

void FrameCache::insert(DecodedFrame frame) {
    Sequence& sequence = sequenceOf(frame.key.file, frame.key.box);
    if (!sequence.shown) sequence.place.frame = frame.key.frame;
    if (const auto old = sequence.frames.find(frame.key.frame); old != sequence.frames.end())
        remove(sequence, old);
    m_bytes += bytesOf(frame);
    sequence.frames.emplace(frame.key.frame, std::move(frame));
    trim();
}

void FrameCache::forget(const std::string& file) {
    for (Sequence& sequence : m_sequences) {
        if (sequence.file != file) continue;
        while (!sequence.frames.empty()) remove(sequence, sequence.frames.begin());
    }
}

void FrameCache::forgetErrors() {
    for (Sequence& sequence : m_sequences)
        for (auto frame = sequence.frames.begin(); frame != sequence.frames.end();) {
            const auto next = std::next(frame);
            if (!frame->second.error.isEmpty()) remove(sequence, frame);
            frame = next;
        }
}

void FrameCache::trim() {
    while (m_bytes > m_limit && (dropUnshown() || dropShown(true) || dropShown(false))) {
    }
}

bool FrameCache::dropUnshown() {
    for (auto sequence = m_sequences.end(); sequence != m_sequences.begin();) {
        --sequence;
        if (sequence->shown) continue;
        if (sequence->frames.empty()) {
            m_byKey.erase({sequence->file, sequence->box});
            sequence = m_sequences.erase(sequence);
            continue;
        }
        if (sequence == m_sequences.begin() && sequence->frames.size() == 1) return false;  // just inserted
        const int place = sequence->place.frame;
        const auto first = sequence->frames.begin(), last = std::prev(sequence->frames.end());
        remove(*sequence, place - first->first > last->first - place ? first : last);
        return true;
    }
    return false;
}

bool FrameCache::dropShown(bool keepBehind) {
    Candidate latest;
    Sequence* owner = nullptr;
    for (Sequence& sequence : m_sequences) {
        if (!sequence.shown) continue;
        const Candidate candidate = farthest(sequence, keepBehind ? sequence.place.behind : 0);
        if (candidate.frame < 0 || candidate.seconds <= latest.seconds) continue;
        latest = candidate;
        owner = &sequence;
    }
    if (!owner) return false;
    remove(*owner, owner->frames.find(latest.frame));
    return true;
}

FrameCache::Candidate FrameCache::farthest(const Sequence& sequence, int keptBehind) {
    const auto& frames = sequence.frames;
    if (frames.empty()) return {};
    const PlaybackState& place = sequence.place;
    const int lowest = frames.begin()->first, highest = frames.rbegin()->first;
    const int firstKept = std::min(place.first, place.frame - keptBehind);
    const int lastKept = std::max(place.last, place.frame + keptBehind);
    constexpr double kNever = std::numeric_limits<double>::max();
    if (lowest < firstKept) return {lowest, kNever};
    if (highest > lastKept) return {highest, kNever};

    // Looked at along the way of the play head: `behind` it has passed, `ahead` it comes to.
    const bool forward = place.direction > 0;
    const auto passed = [&](int frame) { return forward ? place.frame - frame : frame - place.frame; };
    const auto candidate = [&](int frame, int framesUntil) {
        return Candidate{frame, framesUntil / std::max(place.fps, 1e-3)};
    };
    const int start = forward ? lowest : highest, end = forward ? highest : lowest;
    const int played = place.last - place.first + 1;
    if (passed(start) > keptBehind) {
        if (place.mode == LoopMode::Loop) {
            // The nearest of those behind comes round last.
            const auto beyond = forward ? frames.lower_bound(place.frame - keptBehind)
                                        : frames.upper_bound(place.frame + keptBehind);
            const int frame = forward ? std::prev(beyond)->first : beyond->first;
            if (const int until = played - passed(frame); until > place.step) return candidate(frame, until);
        } else {
            const int untilTurn = forward ? place.last - place.frame : place.frame - place.first;
            const int wayBack = forward ? place.last - start : start - place.first;
            return place.mode == LoopMode::PingPong ? candidate(start, untilTurn + wayBack)
                                                    : Candidate{start, kNever};
        }
    }
    if (-passed(end) > place.step) return candidate(end, -passed(end));
    return {};
}

void FrameCache::remove(Sequence& sequence, std::map<int, DecodedFrame>::iterator frame) {
    m_bytes -= bytesOf(frame->second);
    sequence.frames.erase(frame);
}

}  // namespace dailies::ui
