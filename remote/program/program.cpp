#include "remote/program/program.h"

#include "core/tracking/run_tags.h"
#include "remote/program/own_program.h"
#include "remote/program/trainer_program.h"

namespace dailies::remote {

namespace {

const Program& program(bool isOwn) {
    static const TrainerProgram trainer;
    static const OwnProgram own;
    return isOwn ? static_cast<const Program&>(own) : trainer;
}

}  // namespace

const Program& programOf(const sweep::Sweep& sweep) {
    return program(sweep.program.has_value());
}

const Program& programOf(const tracking::Run& run) {
    return program(run.tags.contains(tracking::tag::kProgram));
}

}  // namespace dailies::remote
