#pragma once

#include <vector>

namespace dailies::judging {

enum class Winner { First, Second, Neither };

/// One comparison of two contestants, by index.
struct Comparison {
    int first = 0, second = 0;
    Winner winner = Winner::Neither;
};

/// What is believed before anybody compared anything, told as imaginary comparisons. It is what keeps an
/// undefeated contestant's strength finite, and what relates contestants that were never compared, not even
/// through others: without evidence all are equally strong, give or take a standard deviation of two.
struct Prior {
    /// Comparisons that each contestant won against an imaginary one of strength 0, and as many that it lost.
    double wins = 0.5;
    /// Ties between two imaginary contestants of equal strength, and twice as many decided comparisons of
    /// them: without evidence a comparison of equals is a tie in one of three cases.
    double ties = 0.5;
};

struct Interval {
    double low = 0, high = 0;
};

/// How strong contestants are, as fitted to comparisons.
///
/// The model is that of Bradley and Terry (Biometrika 39, 1952) with ties as Davidson has them (JASA 65,
/// 1970, eq. 3.1): of two contestants of strengths a and b (logarithms of Bradley and Terry's π)
///
///     P(first wins) = eᵃ/D,  P(tie) = ν·e^((a+b)/2)/D,  P(second wins) = eᵇ/D,  D their numerators' sum,
///
/// so that a tie is likelier the closer two are, and one that happens says that they are close. Davidson's
/// form is taken rather than Rao and Kupper's because its log-likelihood is that of a log-linear model:
/// concave in the strengths and ln ν, its curvature a covariance of outcomes.
struct Strengths {
    std::vector<double> strength;                 ///< natural logarithms; their mean is 0
    double tieWeight = 1;                         ///< ν
    std::vector<std::vector<double>> covariance;  ///< of `strength`

    double standardError(int contestant) const;
    double standardErrorOfDifference(int first, int second) const;
    /// In which the strength lies with 95 % confidence; of contestant's strength relative to the mean of all.
    Interval interval(int contestant) const;
    double winProbability(int first, int second) const;
    double tieProbability(int first, int second) const;
    /// What one more comparison would tell of the difference of two strengths (Fisher's information).
    double information(int first, int second) const;
    /// Best first.
    std::vector<int> ranking() const;
};

/// Half the width of a 95 % interval in standard errors.
inline constexpr double kZ95 = 1.959964;

/// The most probable strengths, by a minorise-maximise algorithm (Hunter, Annals of Statistics 32, 2004,
/// section 2, carried over to Davidson's model), with the covariance that the observed information gives: the
/// inverse of the second derivatives of the negative logarithm of likelihood and prior.
Strengths fitStrengths(int contestants, const std::vector<Comparison>& comparisons, const Prior& prior = {});

}  // namespace dailies::judging
