#pragma once

#include <filesystem>
#include <stop_token>
#include <vector>

/// A proxy stands in for a clip while somebody looks for a place in it: the same frames in short groups of
/// pictures, so that any of them is decoded at once. It is coded a second time, and smaller where the clip is
/// large, so nobody may judge by it: what is shown at rest, played, compared, measured or exported is the
/// clip's own. When a frame is shown only the clip says; frame n of one is frame n of the other.
namespace dailies::video {

/// In frames from one key frame to the next. Walls of 25 clips whose key frames are nearer seek within 60 ms
/// by themselves (tests/bench/review_bench.cpp: "gaps").
inline constexpr int kProxyFromGap = 6;

/// Whether seeks in a clip of so many frames, with these key frames, are so slow that it deserves a proxy.
bool needsProxy(const std::vector<int>& keyFrames, int frames);

/// Whether this is the name of a proxy.
bool isProxy(const std::filesystem::path& file);

/// Writes the proxy of a clip, whole or not at all. False: the clip cannot be decoded to its end, and gets
/// none. Throws `Error` where the proxy cannot be written, and `Cancelled`.
bool writeProxy(const std::filesystem::path& clip, const std::filesystem::path& proxy,
                const std::stop_token& stop = {});

}  // namespace dailies::video
