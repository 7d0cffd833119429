#pragma once

#include "core/base/error.h"

namespace dailies::remote::slurm {

/// slurmctld did not answer one of Slurm's commands: what was asked may have been heard, or may be asked
/// again later.
class ControllerUnreachable : public Error {
public:
    using Error::Error;
};

}  // namespace dailies::remote::slurm
