#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace dailies::remote::slurm {

/// The names that one of Slurm's host list expressions stands for, in its order:
/// "n[1-2,07-10],gpu-a[1-2]-[1,3]" gives n1, n2, n07, … n10, gpu-a1-1, gpu-a1-3, gpu-a2-1, gpu-a2-3. Zeros in
/// front are kept where the first bound of a range has them. Empty when it is no such expression, or when it
/// names more than `limit` hosts: it comes from another machine and must not fill this one's memory.
std::vector<std::string> expandHostlist(std::string_view expression, std::size_t limit = 65'536);

}  // namespace dailies::remote::slurm
