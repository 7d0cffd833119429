#pragma once

#include "trainer/models/layers/cuda/kernels/team.h"

#include <c10/util/BFloat16.h>

#include <cmath>
#include <vector>

namespace dailies::trainer::kernels {

/// One CPU thread that holds a whole row: for tests, not for speed.
class HostTeam {
public:
    using Fragment = std::vector<float>;

    /// Of rows of `width` channels; with pairs, a member of a pair for each two of them.
    HostTeam(int width, int headWidth, bool pairs)
        : m_count(pairs ? width / 2 : width), m_half(pairs ? headWidth / 2 : 0) {}

    int count() const { return m_count; }
    bool isActive() const { return true; }
    bool isLeader() const { return true; }
    Fragment zeros() const { return Fragment(static_cast<std::size_t>(m_count)); }

    template <class T>
    Fragment load(const T* row) const {
        return Fragment(row, row + m_count);
    }
    template <class T>
    void store(T* row, const Fragment& held) const {
        for (const float value : held) *row++ = static_cast<T>(value);
    }

    template <class T>
    void loadPairs(const T* row, bool interleaved, Fragment& first, Fragment& second) const {
        for (int i = 0; i < m_count; ++i) {
            first[static_cast<std::size_t>(i)] = row[firstChannel(i, interleaved)];
            second[static_cast<std::size_t>(i)] = row[firstChannel(i, interleaved) + apart(interleaved)];
        }
    }
    template <class T>
    void storePairs(T* row, bool interleaved, const Fragment& first, const Fragment& second) const {
        for (int i = 0; i < m_count; ++i) {
            row[firstChannel(i, interleaved)] = static_cast<T>(first[static_cast<std::size_t>(i)]);
            row[firstChannel(i, interleaved) + apart(interleaved)] =
                static_cast<T>(second[static_cast<std::size_t>(i)]);
        }
    }
    Fragment loadRope(const float* token) const {
        auto rope = zeros();
        for (int i = 0; i < m_count; ++i) rope[static_cast<std::size_t>(i)] = token[i % m_half];
        return rope;
    }

    Sums sum(const Fragment& first, const Fragment& second) const {
        double a = 0, b = 0;
        for (const float value : first) a += value;
        for (const float value : second) b += value;
        return {static_cast<float>(a), static_cast<float>(b)};
    }

private:
    int firstChannel(int pair, bool interleaved) const {
        return interleaved ? 2 * pair : pair / m_half * 2 * m_half + pair % m_half;
    }
    int apart(bool interleaved) const { return interleaved ? 1 : m_half; }

    int m_count, m_half;
};

}  // namespace dailies::trainer::kernels
