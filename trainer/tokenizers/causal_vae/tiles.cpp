#include "trainer/tokenizers/causal_vae/tiles.h"

#include <torch/types.h>

#include <algorithm>

namespace dailies::trainer::vae {

namespace {

constexpr std::int64_t kFrames = 2, kRows = 3, kColumns = 4;  // of [n, channels, frames, rows, columns]
constexpr std::int64_t kFramesAtOnce = 16, kLatentFramesAtOnce = 4;

/// Places first … last - 1 of an axis, which from … to - 1 are read to compute.
struct TileSpan {
    std::int64_t first = 0, last = 0;
    std::int64_t from = 0, to = 0;
};

/// Cuts `places` into parts of at most `side`, as equal as can be.
std::vector<TileSpan> spansOf(std::int64_t places, std::int64_t side, std::int64_t reach) {
    const auto parts = (places + side - 1) / side;
    std::vector<TileSpan> spans;
    for (std::int64_t i = 0; i < parts; ++i) {
        const auto first = places * i / parts, last = places * (i + 1) / parts;
        spans.push_back(
            {first, last, std::max<std::int64_t>(0, first - reach), std::min(places, last + reach)});
    }
    return spans;
}

/// How places of input and output follow from those of the lowest resolution, and what is read around a tile.
struct Tiling {
    std::int64_t side, reach;      ///< in places of the lowest resolution
    std::int64_t inputs, outputs;  ///< places of a side for one of those
};

/// `compute` of every tile of x, joined.
template <class Compute>
at::Tensor overTiles(const at::Tensor& x, const Tiling& tiling, Compute compute) {
    const auto rows = spansOf(x.size(kRows) / tiling.inputs, tiling.side, tiling.reach);
    const auto columns = spansOf(x.size(kColumns) / tiling.inputs, tiling.side, tiling.reach);
    if (rows.size() * columns.size() == 1) return compute(x);
    const auto part = [](const at::Tensor& of, std::int64_t axis, std::int64_t first, std::int64_t last,
                         std::int64_t places) { return of.slice(axis, first * places, last * places); };
    std::vector<at::Tensor> joined;
    for (const auto& row : rows) {
        std::vector<at::Tensor> tiles;
        const auto across = part(x, kRows, row.from, row.to, tiling.inputs);
        for (const auto& column : columns) {
            const auto made =
                compute(part(across, kColumns, column.from, column.to, tiling.inputs).contiguous());
            const auto kept = part(made, kRows, row.first - row.from, row.last - row.from, tiling.outputs);
            tiles.push_back(
                part(kept, kColumns, column.first - column.from, column.last - column.from, tiling.outputs)
                    .clone());
        }
        joined.push_back(at::cat(tiles, kColumns));
    }
    return at::cat(joined, kRows);
}

/// Pieces of `count` frames through `step`, joined.
template <class Step>
at::Tensor inPieces(const at::Tensor& x, std::int64_t count, Step step) {
    std::vector<at::Tensor> pieces;
    for (const auto& piece : x.split(count, kFrames))
        if (auto out = step(piece); out.defined()) pieces.push_back(std::move(out));
    return at::cat(pieces, kFrames);
}

}  // namespace

at::Tensor encodeInTiles(const VaeHalves& vae, const Params& weights, const at::Tensor& clips,
                         std::int64_t tileSide) {
    const auto device = weights.tensors().front().device();
    const auto factor = vae.spaceFactor();
    const auto features =
        overTiles(clips, {tileSide / factor, vae.encoderReach(), factor, 1}, [&](const at::Tensor& tile) {
            StreamState memory;
            return inPieces(tile, kFramesAtOnce, [&](const at::Tensor& piece) {
                return vae.encodeFine(weights, piece.to(device), memory);
            });
        });
    StreamState memory;
    return inPieces(features, kLatentFramesAtOnce,
                    [&](const at::Tensor& piece) { return vae.encodeMean(weights, piece, memory); });
}

at::Tensor decodeInTiles(const VaeHalves& vae, const Params& weights, const at::Tensor& latents,
                         std::int64_t tileSide) {
    const auto device = weights.tensors().front().device();
    const auto factor = vae.spaceFactor();
    StreamState coarse;
    const auto features = inPieces(latents, kLatentFramesAtOnce, [&](const at::Tensor& piece) {
        return vae.decodeCoarse(weights, piece.to(device), coarse);
    });
    return overTiles(
        features, {tileSide / factor, vae.decoderReach(), 1, factor}, [&](const at::Tensor& tile) {
            StreamState memory;
            return inPieces(tile, kLatentFramesAtOnce,
                            [&](const at::Tensor& piece) { return vae.decodeFine(weights, piece, memory); });
        });
}

at::Tensor decodePiece(const VaeHalves& vae, const Params& weights, const at::Tensor& latents,
                       StreamState& memory) {
    const auto device = weights.tensors().front().device();
    return inPieces(latents, kLatentFramesAtOnce, [&](const at::Tensor& piece) {
        return vae.decodeFine(weights, vae.decodeCoarse(weights, piece.to(device), memory), memory);
    });
}

}  // namespace dailies::trainer::vae
