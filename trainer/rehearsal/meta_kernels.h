#pragma once

#include <c10/core/impl/LocalDispatchKeySet.h>

namespace dailies::trainer {

/// While it lives, models compute on the meta device as they do on a device with memory: LibTorch's
/// operations that it knows no sizes of have some (meta_kernels.cpp), and autocast casts there too. Of the
/// thread that makes it.
class MetaComputeScope {
public:
    MetaComputeScope();
    ~MetaComputeScope();
    MetaComputeScope(const MetaComputeScope&) = delete;
    MetaComputeScope& operator=(const MetaComputeScope&) = delete;

private:
    c10::impl::IncludeDispatchKeyGuard m_autocast;
};

}  // namespace dailies::trainer
