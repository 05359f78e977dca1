// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The built-in operations: descriptions and host phases from lib/host, device phases from lib/cuda where
// compiled.
#include "comm/error.hpp"
#include "cuda_backend/builtin.hpp"
#include "engine.hpp"
#include "host_backend/builtin.hpp"

#include "rankfold/plan.hpp"

#include <map>
#include <mutex>
#include <tuple>

namespace rankfold::detail {

const operation& builtin_operation(operator_id op, element_type input, element_type output)
{
    static std::mutex mutex;
    static std::map<std::tuple<operator_id, element_type, element_type>, operation>
        known; // nodes stay where they are
    const std::lock_guard lock(mutex);
    const auto found = known.find({op, input, output});
    if (found != known.end()) {
        return found->second;
    }
    auto made = host::find_operation(op, input, output);
    if (!made) {
        throw_usage("operator " + std::string(to_string(op)) + " does not take " +
                    std::string(to_string(input)) + " to " + std::string(to_string(output)));
    }
    if (const local_phases* device = cuda::find_phases(op, input, output)) {
        made->device = *device;
    }
    return known.emplace(std::tuple(op, input, output), *made).first->second;
}

operation form_of(const communicator_state& comm, const operation& op, const plan_spec& spec)
{
    const bool scans = spec.kind == call_kind::inclusive_scan || spec.kind == call_kind::exclusive_scan;
    if (scans || comm.on_gpu() || spec.accuracy == accuracy::plain) {
        return op;
    }
    const auto exact =
        spec.kind == call_kind::exscan ? host::exact_exscan_of(op) : host::exact_reduction_of(op);
    return exact.value_or(op);
}

} // namespace rankfold::detail
