#include "tests/trainer/scoring/scorer_modules.h"

#include <torch/script.h>

namespace dailies::trainer {

void saveModule(const std::filesystem::path& file, const std::vector<std::string>& methods) {
    torch::jit::Module module("scorer");
    for (const auto& method : methods) module.define(method);
    module.save(file.string());
}

}  // namespace dailies::trainer
