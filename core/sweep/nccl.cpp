#include "core/sweep/nccl.h"

#include "core/base/text.h"

#include <algorithm>
#include <regex>
#include <set>

namespace dailies::sweep {

extern const std::string_view kNcclVariables;  ///< resources/nccl/variables.txt

namespace {

constexpr FabricVariable kInterfaces{
    "NCCL_SOCKET_IFNAME", "^lo,docker,virbr",
    "The ranks find each other over any network but loopback and the bridges of containers and virtual "
    "machines, which reach no other node. Name the interface (as eth0) where that is not enough."};

constexpr FabricVariable kNetIb{
    "NCCL_NET", "IB",
    "Fails at once where the adapters cannot be used, instead of training many times slower over TCP "
    "without a word."};

constexpr FabricVariable kIbTimeout{
    "NCCL_IB_TIMEOUT", "22",
    "A packet is waited for 17 s (4 µs × 2^22) before it counts as lost, so that a switch which finds a new "
    "route costs seconds and not the job. NCCL's own is 4 s."};

const std::map<std::string, std::string>& renamed() {
    static const std::map<std::string, std::string> names = {
        {"NCCL_BLOCKING_WAIT", "TORCH_NCCL_BLOCKING_WAIT"},
        {"NCCL_ASYNC_ERROR_HANDLING", "TORCH_NCCL_ASYNC_ERROR_HANDLING"},
        {"NCCL_DESYNC_DEBUG", "TORCH_NCCL_DESYNC_DEBUG"},
        {"NCCL_ENABLE_TIMING", "TORCH_NCCL_ENABLE_TIMING"},
        {"NCCL_TRACE_BUFFER_SIZE", "TORCH_NCCL_TRACE_BUFFER_SIZE"},
        {"NCCL_USE_TENSOR_REGISTER_ALLOCATOR_HOOK", "TORCH_NCCL_USE_TENSOR_REGISTER_ALLOCATOR_HOOK"},
        {"NCCL_LL_THRESHOLD", "NCCL_PROTO"},
        {"NCCL_TREE_THRESHOLD", "NCCL_ALGO"},
        {"NCCL_IB_CUDA_SUPPORT", "NCCL_NET_GDR_LEVEL"},
        {"NCCL_RINGS", "NCCL_GRAPH_FILE"},
    };
    return names;
}

/// Read by NCCL's plugins or by builds, not by NCCL itself.
bool isOfOthers(std::string_view name) {
    for (const std::string_view prefix :
         {"NCCL_FASTRAK_", "NCCL_GPUDIRECTTCPX", "NCCL_SHIMNET_", "NCCL_SHARP_", "NCCL_OFI_", "NCCL_TESTS_",
          "NCCL_INSPECTOR_", "NCCL_PROFILE", "NCCL_GIN_", "NCCL_IB_RESILIENCY_", "NCCL_TUNER_CONFIG_"})
        if (name.starts_with(prefix)) return true;
    for (const std::string_view word : {"NCCL_HOME", "NCCL_ROOT", "NCCL_DIR", "NCCL_INCLUDE_DIR",
                                        "NCCL_LIB_DIR", "NCCL_LIBRARY", "NCCL_VERSION"})
        if (name == word) return true;
    return false;
}

const std::vector<std::string>& knownNames() {
    static const std::vector<std::string> names = [] {
        std::vector<std::string> found;
        for (const auto& line : split(kNcclVariables, '\n'))
            if (!line.empty() && line.front() != '#') found.push_back(line);
        return found;
    }();
    return names;
}

/// The variables of these prefixes that a shell line assigns: "export NCCL_DEBUG=INFO A=1".
std::set<std::string> assignedIn(const std::string& line) {
    static const std::regex pattern(R"((?:^|[\s;&])((?:TORCH_)?NCCL_[A-Z0-9_]+)=)");
    std::set<std::string> names;
    if (trim(line).starts_with('#')) return names;
    for (std::sregex_iterator at(line.begin(), line.end(), pattern), end; at != end; ++at)
        names.insert((*at)[1].str());
    return names;
}

}  // namespace

const std::vector<Fabric>& fabrics() {
    static const std::vector<Fabric> all = {
        {"ethernet",
         "Ethernet (TCP)",
         "No faster network joins the nodes, or its drivers are not installed.",
         {{"NCCL_IB_DISABLE", "1",
           "No search for InfiniBand or RoCE adapters, which on some nodes hangs or finds ones that are not "
           "connected."},
          kInterfaces,
          {"NCCL_SOCKET_NTHREADS", "4", "One thread cannot fill a link of more than about 20 Gbit/s."},
          {"NCCL_NSOCKS_PERTHREAD", "4", "Nor can one TCP connection; 4 × 4 suit 100 Gbit/s."}}},
        {"infiniband",
         "InfiniBand",
         "The nodes have InfiniBand adapters (ibstat shows State: Active, Link layer: InfiniBand).",
         {kNetIb, kInterfaces, kIbTimeout}},
        {"roce",
         "RoCE (RDMA over Ethernet)",
         "The adapters are RDMA ones on Ethernet (ibstat shows Link layer: Ethernet).",
         {kNetIb,
          kInterfaces,
          kIbTimeout,
          {"NCCL_IB_GID_INDEX", "3",
           "The address that is RoCE v2 over IPv4 on most nodes; show_gids lists them. NCCL before 2.21 "
           "takes "
           "index 0, which no router forwards."}}},
        {"efa",
         "EFA (AWS)",
         "Instances with Elastic Fabric Adapters and the aws-ofi-nccl plugin.",
         {{"FI_PROVIDER", "efa", "libfabric uses the adapters and nothing slower."},
          {"FI_EFA_USE_DEVICE_RDMA", "1",
           "GPUs send without a copy in the host's memory, where the instance can."},
          kInterfaces}},
        {"nvlink",
         "NVLink, one node",
         "All ranks are on one node whose GPUs are joined by NVLink.",
         {{"NCCL_P2P_LEVEL", "NVL",
           "GPUs talk directly where NVLink joins them, never over PCIe, which hangs "
           "under some IOMMU settings."},
          {"NCCL_IB_DISABLE", "1", "No network adapter is needed, none is looked for."}},
         true},
    };
    return all;
}

const Fabric* findFabric(std::string_view name) {
    const auto at = std::ranges::find(fabrics(), name, &Fabric::name);
    return at == fabrics().end() ? nullptr : &*at;
}

std::vector<std::string> fabricNames() {
    std::vector<std::string> names;
    for (const auto& fabric : fabrics()) names.emplace_back(fabric.name);
    return names;
}

std::vector<std::string> ncclVariableWarnings(const std::vector<std::string>& setupLines,
                                              const std::map<std::string, std::string>& variables) {
    std::set<std::string> names;
    for (const auto& line : setupLines) names.merge(assignedIn(line));
    for (const auto& [name, value] : variables)
        if (name.starts_with("NCCL_") || name.starts_with("TORCH_NCCL_")) names.insert(name);
    std::vector<std::string> warnings;
    for (const auto& name : names) {
        if (isOfOthers(name) || std::ranges::find(knownNames(), name) != knownNames().end()) continue;
        if (const auto now = renamed().find(name); now != renamed().end()) {
            warnings.push_back(name + " is an old name: set " + now->second + " instead.");
            continue;
        }
        const auto suggestion = nearestWord(name, knownNames());
        warnings.push_back(
            (name.starts_with("TORCH_") ? "PyTorch reads no variable " : "NCCL reads no variable ") + name +
            (suggestion.empty() ? "." : "; did you mean " + suggestion + "?"));
    }
    return warnings;
}

}  // namespace dailies::sweep
