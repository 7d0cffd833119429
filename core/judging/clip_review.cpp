#include "core/judging/clip_review.h"

#include <algorithm>
#include <tuple>

namespace dailies::judging {

namespace {

void applyTo(ClipReview& review, const std::string& author, std::int64_t, const Stars& stars) {
    review.opinions[author].stars = stars.count;
}

void applyTo(ClipReview& review, const std::string& author, std::int64_t, const Rejection& rejection) {
    review.opinions[author].rejected = rejection.rejected;
}

void applyTo(ClipReview& review, const std::string& author, std::int64_t, const Tags& tags) {
    review.opinions[author].tags = tags.tags;
}

void applyTo(ClipReview& review, const std::string&, std::int64_t, const RemovedNote& removed) {
    std::erase_if(review.notes, [&](const Note& note) { return note.id == removed.id; });
}

void applyTo(ClipReview& review, const std::string& author, std::int64_t timeMs, const WrittenNote& written) {
    applyTo(review, author, timeMs, RemovedNote{written.note.id});
    Note note = written.note;
    note.author = author;
    note.timeMs = timeMs;
    const auto order = [](const Note& n) { return std::tie(n.firstFrame, n.timeMs, n.id); };
    const auto later = std::find_if(review.notes.begin(), review.notes.end(),
                                    [&](const Note& other) { return order(note) < order(other); });
    review.notes.insert(later, std::move(note));
}

}  // namespace

std::optional<double> Opinion::rating() const {
    if (rejected) return 0.0;
    return stars > 0 ? std::optional<double>(stars) : std::nullopt;
}

Opinion ClipReview::of(const std::string& author) const {
    const auto found = opinions.find(author);
    return found == opinions.end() ? Opinion() : found->second;
}

std::optional<double> ClipReview::rating() const {
    double sum = 0;
    int count = 0;
    for (const auto& [author, opinion] : opinions)
        if (const auto rating = opinion.rating()) {
            sum += *rating;
            ++count;
        }
    return count > 0 ? std::optional(sum / count) : std::nullopt;
}

bool ClipReview::isRejected() const {
    return std::any_of(opinions.begin(), opinions.end(),
                       [](const auto& entry) { return entry.second.rejected; });
}

std::set<std::string> ClipReview::tags() const {
    std::set<std::string> all;
    for (const auto& [author, opinion] : opinions) all.insert(opinion.tags.begin(), opinion.tags.end());
    return all;
}

void ClipReview::apply(const Judgement& judgement) {
    std::visit([&](const auto& action) { applyTo(*this, judgement.author, judgement.timeMs, action); },
               judgement.action);
    std::erase_if(opinions, [](const auto& entry) { return entry.second.empty(); });
}

}  // namespace dailies::judging
