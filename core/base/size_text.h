#pragma once

#include <cstdint>
#include <string>

namespace dailies {

/// "840 bytes", "12 kB", "1.4 GB": in powers of 1000, as disks are sold and `ls -h --si` has it.
std::string sizeText(std::uint64_t bytes);

/// "840 B", "640 MiB", "12.3 GiB": in powers of 1024, as memory is sold and Slurm counts it.
std::string binarySizeText(double bytes);

}  // namespace dailies
