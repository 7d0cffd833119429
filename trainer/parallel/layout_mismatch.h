#pragma once

#include "core/base/error.h"
#include "core/events/certificate.h"

namespace dailies::trainer {

/// A run's layout does not compute what one process does. Every rank of the run throws it.
class LayoutMismatchError : public Error {
public:
    /// `tells`: whether this is the one rank that tells people.
    LayoutMismatchError(const events::Certificate& certificate, bool tells)
        : Error(
              events::textOf(certificate) + ". " + events::detailsOf(certificate) + " No step was made.",
              "See that all ranks read the same configuration and run the same trainer and PyTorch. Then try "
              "layout.shard none, layout.cp 1, layout.tp 1 and layout.pp 1, one after the other, to find the "
              "part that is wrong, and dailies preflight to find a node that miscomputes. layout.certificate "
              "never trains without "
              "the proof."),
          m_tells(tells) {}

    bool tells() const { return m_tells; }

private:
    bool m_tells;
};

}  // namespace dailies::trainer
