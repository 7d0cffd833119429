#include "core/curation/clip_work.h"

#include "core/curation/share_out.h"
#include "core/curation/shared_work.h"

namespace dailies::curation {

namespace {

constexpr std::size_t kClipsOfShare = 8;
constexpr const char* kFinishItem = "list";

std::vector<ClipShare> sharesOf(const std::vector<ClipRecord>& clips) {
    std::vector<ClipShare> shares;
    for (std::size_t i = 0; i < clips.size(); ++i) {
        const bool goesOn =
            !shares.empty() && shares.back().count < kClipsOfShare && clips[i].source == clips[i - 1].source;
        if (!goesOn) shares.push_back({i, 0});
        ++shares.back().count;
    }
    return shares;
}

}  // namespace

void workOnClips(const std::vector<ClipRecord>& clips, const ClipWork& work, const std::stop_token& stop) {
    const auto shares = sharesOf(clips);
    if (work.sharedBy.empty()) {
        shareOut(shares.size(), work.threads, [&](std::size_t i) { work.work(shares[i]); });
        work.finish();
        return;
    }
    removeOldShares(work.parent);
    SharedWork shared(sharedFolder(work.parent, work.sharedBy));
    std::vector<std::string> names;
    for (const auto& share : shares) names.push_back(clips[share.first].id);
    const auto ofShare = [&](std::size_t i) {
        work.work(shares[i]);
        return std::string();
    };
    workTogether(shared, names, work.threads, ofShare, stop, {{}, work.onWaiting});
    const auto finish = [&](std::size_t) {
        work.finish();
        return std::string();
    };
    workTogether(shared, {kFinishItem}, 1, finish, stop, {{}, work.onWaiting});
}

}  // namespace dailies::curation
