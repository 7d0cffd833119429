#pragma once

#include "core/base/json.h"
#include "trainer/tensors/box.h"

#include <map>
#include <string>

namespace dailies::trainer {

/// Where the parts of a checkpoint's tensors lie. Each part says which box of its tensor it is, so a layout
/// of any number of ranks can read what another wrote. Needs no LibTorch.
class TensorIndex {
public:
    struct Part {
        Box box;
        std::string file;                  ///< in the checkpoint's folder
        std::uint64_t begin = 0, end = 0;  ///< bytes of the file
    };
    struct Tensor {
        std::string type;  ///< as safetensors names it
        Extents shape;     ///< of the whole tensor
        std::vector<Part> parts;
    };
    using Group = std::map<std::string, Tensor>;

    /// A group is one use of tensors: "weights", "average", "optimizer".
    const Group& group(const std::string& name) const;  ///< empty when there is none
    Group& operator[](const std::string& name) { return m_groups[name]; }

    /// Takes over the parts that another rank wrote. Throws `InputError` where the two disagree about a
    /// tensor.
    void join(const TensorIndex& other);

    /// Throws `InputError` naming a tensor whose parts overlap, leave a hole, or lie outside of it or of the
    /// files (name → bytes).
    void check(const std::map<std::string, std::uint64_t>& fileSizes) const;

    Json toJson() const;
    /// Throws `InputError` for what is no index. The result is not yet checked.
    static TensorIndex fromJson(const Json& json);

private:
    std::map<std::string, Group> m_groups;
};

}  // namespace dailies::trainer
