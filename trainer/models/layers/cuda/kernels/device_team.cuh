#pragma once

#include "trainer/models/layers/cuda/kernels/team.h"

#include <c10/util/BFloat16.h>

namespace dailies::trainer::kernels {

/// What a thread holds of a row: one pack of columns, in registers.
struct DeviceHeld {
    float values[kPack];
    __device__ __forceinline__ float& operator[](int i) { return values[i]; }
    __device__ __forceinline__ float operator[](int i) const { return values[i]; }
};

/// A pack in memory, as wide as a GPU reads at once.
template <class T>
struct alignas(16) Pack {
    T values[kPack];
};

/// `kLanes` 0: the threads of a block hold a row; else so many neighbouring lanes of a warp do (a power of
/// two). Member m holds the pack that begins at column 8m, or with pairs at pair 8m.
template <int kLanes>
class DeviceTeam {
public:
    using Fragment = DeviceHeld;

    __device__ __forceinline__ DeviceTeam(int width, int headWidth, bool pairs) {
        const int columns = pairs ? width / 2 : width;
        m_half = headWidth / 2;
        m_member = kLanes == 0 ? static_cast<int>(threadIdx.x) : static_cast<int>(threadIdx.x) % kLanes;
        m_holds = m_member * kPack < columns;
        if (pairs && m_holds) {
            m_head = m_member * kPack / m_half;
            m_place = m_member * kPack % m_half;
        }
    }

    static __device__ __forceinline__ constexpr int count() { return kPack; }
    __device__ __forceinline__ bool isActive() const { return m_holds; }
    __device__ __forceinline__ bool isLeader() const { return m_member == 0; }
    static __device__ __forceinline__ Fragment zeros() { return Fragment{}; }

    template <class T>
    __device__ __forceinline__ Fragment load(const T* row) const {
        return m_holds ? read(row + m_member * kPack) : Fragment{};
    }
    template <class T>
    __device__ __forceinline__ void store(T* row, const Fragment& held) const {
        if (m_holds) write(row + m_member * kPack, held);
    }

    template <class T>
    __device__ __forceinline__ void loadPairs(const T* row, bool interleaved, Fragment& first,
                                              Fragment& second) const {
        if (!m_holds) return;
        const T* head = row + m_head * 2 * m_half;
        if (!interleaved) {
            first = read(head + m_place);
            second = read(head + m_half + m_place);
            return;
        }
        const Fragment low = read(head + 2 * m_place), high = read(head + 2 * m_place + kPack);
#pragma unroll
        for (int i = 0; i < kPack; ++i) {
            first[i] = i < kPack / 2 ? low[2 * i % kPack] : high[2 * i % kPack];
            second[i] = i < kPack / 2 ? low[(2 * i + 1) % kPack] : high[(2 * i + 1) % kPack];
        }
    }
    template <class T>
    __device__ __forceinline__ void storePairs(T* row, bool interleaved, const Fragment& first,
                                               const Fragment& second) const {
        if (!m_holds) return;
        T* head = row + m_head * 2 * m_half;
        if (!interleaved) {
            write(head + m_place, first);
            write(head + m_half + m_place, second);
            return;
        }
        Fragment low, high;
#pragma unroll
        for (int i = 0; i < kPack / 2; ++i) {
            low[2 * i] = first[i];
            low[2 * i + 1] = second[i];
            high[2 * i] = first[i + kPack / 2];
            high[2 * i + 1] = second[i + kPack / 2];
        }
        write(head + 2 * m_place, low);
        write(head + 2 * m_place + kPack, high);
    }
    __device__ __forceinline__ Fragment loadRope(const float* token) const {
        return m_holds ? read(token + m_place) : Fragment{};
    }

    __device__ __forceinline__ Sums sum(const Fragment& first, const Fragment& second) const {
        Sums sums;
#pragma unroll
        for (int i = 0; i < kPack; ++i) {
            sums.first += first[i];
            sums.second += second[i];
        }
        if constexpr (kLanes == 0)
            return overBlock(sums);
        else
            return overLanes<kLanes>(sums);
    }

private:
    template <int kWidth>
    static __device__ __forceinline__ Sums overLanes(Sums sums) {
#pragma unroll
        for (int apart = kWidth / 2; apart > 0; apart /= 2) {
            sums.first += __shfl_xor_sync(0xffffffffu, sums.first, apart);
            sums.second += __shfl_xor_sync(0xffffffffu, sums.second, apart);
        }
        return sums;
    }

    /// Blocks are whole warps, at most 32 of them.
    static __device__ __forceinline__ Sums overBlock(Sums sums) {
        sums = overLanes<32>(sums);
        const int warps = static_cast<int>(blockDim.x) / 32;
        if (warps == 1) return sums;
        __shared__ Sums parts[32];
        const int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
        __syncthreads();  // all have read the parts of the sum before
        if (lane == 0) parts[warp] = sums;
        __syncthreads();
        return overLanes<32>(lane < warps ? parts[lane] : Sums{});
    }

    template <class T>
    static __device__ __forceinline__ Fragment read(const T* from) {
        const auto pack = *reinterpret_cast<const Pack<T>*>(from);
        Fragment held;
#pragma unroll
        for (int i = 0; i < kPack; ++i) held[i] = static_cast<float>(pack.values[i]);
        return held;
    }
    template <class T>
    static __device__ __forceinline__ void write(T* to, const Fragment& held) {
        Pack<T> pack;
#pragma unroll
        for (int i = 0; i < kPack; ++i) pack.values[i] = static_cast<T>(held[i]);
        *reinterpret_cast<Pack<T>*>(to) = pack;
    }

    int m_member = 0, m_half = 0, m_head = 0, m_place = 0;
    bool m_holds = false;
};

}  // namespace dailies::trainer::kernels
