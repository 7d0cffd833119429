#pragma once

#include "trainer/models/model_family.h"
#include "trainer/pretrained/adapter.h"

#include <map>
#include <string>
#include <vector>

namespace dailies::trainer::pretrained {

/// An adapter that is published with what its model adds to a base (`Model::addedParts`), as UniAnimate-DiT
/// is: a run begins with the base, to which the adapter is added, and with those parts.
class PublishedAdapter {
public:
    /// Keeps `weights`. `adapter`: what `adapterIn` found in them.
    PublishedAdapter(StoredWeights weights, const Adapter& adapter);

    /// Whether it holds parts that the model adds.
    bool hasPartsOf(const Model& model) const;

    /// What of it does not fit the model, and of the model's added parts what it lacks; empty: it fits.
    std::vector<std::string> fit(const Model& model);

    /// Adds scale · B · A to the weight, float32, where it has such.
    void addTo(const std::string& name, const at::Tensor& weight) const;
    /// One that the model adds; undefined for others.
    at::Tensor read(const std::string& name) const;

    std::string text() const;  ///< in one sentence, for the run's log

private:
    /// What is added to some rows of a weight of ours.
    struct Addition {
        DiffusersWeight place;
        const AdapterModule* module = nullptr;
    };

    StoredWeights m_weights;
    std::vector<AdapterModule> m_modules;
    std::map<std::string, const StoredTensor*> m_others;       ///< by their names
    std::map<std::string, std::vector<Addition>> m_additions;  ///< by ours
    std::map<std::string, const StoredTensor*> m_parts;        ///< by ours: those that the model adds
};

}  // namespace dailies::trainer::pretrained
