#include "trainer/pretrained/published_adapter.h"

#include "core/base/counts.h"
#include "trainer/pretrained/families/wan.h"
#include "trainer/pretrained/stored_values.h"

#include <torch/types.h>

#include <algorithm>
#include <set>

namespace dailies::trainer::pretrained {

PublishedAdapter::PublishedAdapter(StoredWeights weights, const Adapter& adapter)
    : m_weights(std::move(weights)), m_modules(adapter.matrices) {
    std::set<std::string> others(adapter.unknown.begin(), adapter.unknown.end());
    others.insert(adapter.beside.begin(), adapter.beside.end());
    for (const auto& tensor : m_weights.tensors)
        if (others.contains(tensor.name)) m_others[tensor.name] = &tensor;
}

bool PublishedAdapter::hasPartsOf(const Model& model) const {
    return std::ranges::any_of(m_others, [&](const auto& each) { return model.isAdded(each.first); });
}

std::vector<std::string> PublishedAdapter::fit(const Model& model) {
    m_additions.clear();
    m_parts.clear();
    std::map<std::string, DiffusersWeight> places;
    for (const auto& place : model.diffusersWeights()) places[place.theirs] = place;
    const auto shapes = model.weightsOnMeta();
    std::vector<std::string> leftOver, misshapen, missing;
    for (const auto& module : m_modules) {
        const auto place = places.find(wanDiffusersName(module.name + ".weight"));
        if (place == places.end() || !place->second.order.empty()) {
            leftOver.push_back(module.name);
            continue;
        }
        const auto sizes = shapes[place->second.ours].sizes();
        const auto rows = place->second.rows > 0 ? place->second.rows : sizes[0];
        if (sizes.size() != 2 || module.up.shape[0] != rows || module.down.shape[1] != sizes[1])
            misshapen.push_back(module.name);
        m_additions[place->second.ours].push_back({place->second, &module});
    }
    for (const auto& name : shapes.names()) {
        if (!model.isAdded(name)) continue;
        const auto stored = m_others.find(name);
        if (stored == m_others.end())
            missing.push_back(name);
        else if (stored->second->shape != shapes[name].sizes().vec())
            misshapen.push_back(name);
        else
            m_parts[name] = stored->second;
    }
    for (const auto& [name, tensor] : m_others)
        if (!shapes.contains(name) || !model.isAdded(name)) leftOver.push_back(name);
    return mismatchTexts(missing, misshapen, leftOver);
}

void PublishedAdapter::addTo(const std::string& name, const at::Tensor& weight) const {
    const auto found = m_additions.find(name);
    if (found == m_additions.end()) return;
    for (const auto& [place, module] : found->second) {
        const auto rows = place.rows > 0 ? weight.narrow(0, place.firstRow, place.rows) : weight;
        rows.add_(at::matmul(readStored(m_weights, module->up), readStored(m_weights, module->down)),
                  module->scale);
    }
}

at::Tensor PublishedAdapter::read(const std::string& name) const {
    const auto found = m_parts.find(name);
    return found == m_parts.end() ? at::Tensor() : readStored(m_weights, *found->second);
}

std::string PublishedAdapter::text() const {
    return "To them " + m_weights.files.front().path.filename().string() + " is added, an adapter of " +
           pluralize(static_cast<long long>(m_modules.size()), "layer", "layers") + ", with " +
           pluralize(static_cast<long long>(m_parts.size()), "tensor", "tensors") + " that the base lacks.";
}

}  // namespace dailies::trainer::pretrained
