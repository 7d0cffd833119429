#include "core/objects/store_xml.h"

#include <algorithm>
#include <utility>

namespace dailies::objects {

namespace {

std::string unescaped(std::string_view text) {
    static const std::pair<std::string_view, char> kEntities[] = {
        {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}, {"&#39;", '\''}, {"&amp;", '&'}};
    std::string plain;
    while (!text.empty()) {
        const auto* found = std::ranges::find_if(
            kEntities, [&](const auto& entity) { return text.starts_with(entity.first); });
        const bool isEntity = found != std::end(kEntities);
        plain += isEntity ? found->second : text.front();
        text.remove_prefix(isEntity ? found->first.size() : 1);
    }
    return plain;
}

}  // namespace

std::vector<std::string> elements(const std::string& xml, const std::string& name) {
    const auto begin = "<" + name + ">", end = "</" + name + ">";
    std::vector<std::string> found;
    for (std::size_t at = xml.find(begin); at != std::string::npos; at = xml.find(begin, at)) {
        at += begin.size();
        const auto close = xml.find(end, at);
        if (close == std::string::npos) break;
        found.push_back(xml.substr(at, close - at));
    }
    return found;
}

std::string firstElement(const std::string& xml, const std::string& name) {
    const auto all = elements(xml, name);
    return all.empty() ? "" : unescaped(all.front());
}

}  // namespace dailies::objects
