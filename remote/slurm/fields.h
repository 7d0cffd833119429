#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Reading single fields of what Slurm's commands print. Pure functions.
namespace dailies::remote::slurm {

/// Digits alone, few enough for a 64-bit number.
bool isDigits(std::string_view text);

/// The number; 0 where the field holds none ("N/A", "UNLIMITED", "").
std::int64_t parseInteger(std::string_view text);

/// The field without spaces around it; "" for Slurm's several words for "there is none" ("(null)", "N/A", …).
std::string fieldOrEmpty(std::string_view text);

/// Of a list of trackable resources such as "cpu=2,mem=4G,node=1,gres/gpu=4": the count of `name` ("cpu",
/// "gres/gpu"); of a GRES that is listed by its types alone ("gres/gpu:h100=4"), their sum; 0 where it is
/// not listed.
std::int64_t tresCount(std::string_view list, std::string_view name);

/// One type of GPUs; `type` is empty where the cluster names none.
struct GpuKind {
    std::string type;
    int count = 0;
};

/// Of a GRES list such as "gpu:h100:8(S:0-1),gpu:a100:4,shard:16" or "gres:gpu:2", in its order.
std::vector<GpuKind> gpuKinds(std::string_view gres);

/// GPUs of a GRES list, of all types together.
int gpuCount(std::string_view gres);

/// MiB of "100M", "4G", "1.5T", "512000K" or "4000" (MiB already).
std::int64_t parseMebibytes(std::string_view text);

}  // namespace dailies::remote::slurm
