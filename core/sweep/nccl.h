#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace dailies::sweep {

/// One environment variable that a preset sets, and why, for a person.
struct FabricVariable {
    std::string_view name, value, why;
};

/// What the nodes of a cluster are joined by, and the settings of NCCL that go with it.
struct Fabric {
    std::string_view name;   ///< in sweep files: "infiniband"
    std::string_view title;  ///< "InfiniBand"
    std::string_view about;  ///< when to choose it, a sentence
    std::vector<FabricVariable> variables;
    bool oneNode = false;  ///< its settings keep several nodes from finding each other
};

const std::vector<Fabric>& fabrics();
const Fabric* findFabric(std::string_view name);  ///< null: there is none
std::vector<std::string> fabricNames();

/// A sentence for each variable of NCCL or of PyTorch's process group that these shell lines or variables set
/// and that nothing reads: misspelt, renamed, or gone.
std::vector<std::string> ncclVariableWarnings(const std::vector<std::string>& setupLines,
                                              const std::map<std::string, std::string>& variables);

}  // namespace dailies::sweep
