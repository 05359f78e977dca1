// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Plans: agreed on by all ranks, allocated, warmed up; then checks and the engine.
#include "engine.hpp"

namespace rankfold::detail {

struct plan::implementation {
    explicit implementation(engine made) : run(std::move(made)) {}

    engine run;
    std::vector<untyped_piece> pieces;
    backend_memory values; ///< of the first call
    backend_memory outputs;

    /// Loads every kernel, and takes what the first call needs.
    void prepare();
    /// Makes a call once, on pieces as small as they can be.
    void warm_up(const execution& where);
};

namespace {

/// Two ranks that make a plan and one that calls something must not agree.
call_facts planning(call_facts facts)
{
    fingerprint& head = facts.head;
    head.options = static_cast<std::uint8_t>(head.options | static_cast<unsigned>(head.kind) << 4);
    head.kind = call_kind::make_plan;
    return facts;
}

std::string check_stream(const communicator_state& comm, const execution& where)
{
    return comm.why_not_stream(where.stream);
}

argument input_argument(const engine& run, const char* name, const void* data, std::int64_t count)
{
    return {name, data, count, run.op.input_bytes, run.op.input_alignment};
}

argument output_argument(const engine& run, const char* name, const void* data, std::int64_t count)
{
    return {name, data, count, run.op.output_bytes, run.op.output_alignment};
}

std::string check_max_count(const engine& run, std::int64_t count)
{
    return count <= run.spec.max_count
               ? std::string()
               : "count is " + std::to_string(count) + ", the plan was made for max_count " +
                     std::to_string(run.spec.max_count);
}

} // namespace

plan::plan(const communicator& comm, const operation& operation, const plan_spec& spec,
           const execution& where)
{
    communicator_state& state = *comm.state();
    const auto op = form_of(state, operation, spec);
    state.run_for_user([&] {
        const std::uint32_t number = state.next_plan();
        const call_facts facts = planning(facts_of(op, spec, number));
        state.agree(facts, where, check_spec(state, op, spec));
        implementation_ = std::make_unique<implementation>(engine(comm.state(), op, spec, number));
        engine& run = implementation_->run;
        run.attempt([&] { implementation_->pieces.resize(static_cast<std::size_t>(spec.results)); });
        if (state.on_gpu()) {
            run.attempt([&] { implementation_->prepare(); });
        }
        state.agree(facts, where, run.problem, run.code);
        if (state.on_gpu()) {
            implementation_->warm_up(where);
        }
    });
}

plan::plan(plan&&) noexcept = default;
plan& plan::operator=(plan&&) noexcept = default;
plan::~plan() = default;

void plan::implementation::prepare()
{
    run.phases().load();
    const auto results = static_cast<std::size_t>(run.spec.results);
    values = backend_memory(run.comm, results * run.op.input_bytes);
    outputs = backend_memory(run.comm, results * run.op.output_bytes);
}

void plan::implementation::warm_up(const execution& where)
{
    const execution on_own_stream{
        .stream = run.comm->own_stream(), .label = where.label, .where = where.where};
    const auto results = static_cast<std::size_t>(run.spec.results);
    switch (run.spec.kind) {
    case call_kind::reduce:
    case call_kind::all_reduce:
        // Not empty: an operator may have neither identity nor init.
        for (std::size_t i = 0; i < results; ++i) {
            pieces[i] = {static_cast<const std::byte*>(values.data()) + i * run.op.input_bytes, 1};
        }
        run.reduce(pieces, outputs.data(), on_own_stream, {});
        break;
    case call_kind::inclusive_scan:
    case call_kind::exclusive_scan:
        run.scan(nullptr, nullptr, 0, nullptr, on_own_stream, {});
        break;
    case call_kind::exscan:
        run.exscan(values.data(), outputs.data(), nullptr, on_own_stream, {});
        break;
    case call_kind::none:
    case call_kind::warm_up:
    case call_kind::make_plan:
        break;
    }
    run.comm->wait(run.comm->own_stream());
    values = {};
    outputs = {};
}

void plan::reduce(std::span<const untyped_piece> inputs, void* results, const execution& where)
{
    engine& run = implementation_->run;
    run.comm->run_for_user([&] {
        const communicator_state& comm = *run.comm;
        const bool gets_results = run.spec.root.value_or(comm.rank) == comm.rank;
        const auto expected = static_cast<std::size_t>(run.spec.results);
        std::string problem = inputs.size() == expected
                                  ? check_stream(comm, where)
                                  : "inputs has " + std::to_string(inputs.size()) +
                                        " pieces, the plan was made for " + std::to_string(expected);
        for (std::size_t i = 0; problem.empty() && i < inputs.size(); ++i) {
            const argument in = input_argument(run, "in", inputs[i].data, inputs[i].count);
            problem = first_problem(
                [&] { return check_argument(comm, in, false); },
                [&] { return run.spec.max_count > 0 ? check_max_count(run, in.count) : std::string(); });
        }
        if (problem.empty() && gets_results) {
            const argument result = output_argument(run, "result", results, run.spec.results);
            problem = check_argument(comm, result, false);
            for (std::size_t i = 0; problem.empty() && i < inputs.size(); ++i) {
                const argument in = input_argument(run, "in", inputs[i].data, inputs[i].count);
                const auto at = static_cast<std::int64_t>(i);
                problem = first_problem(
                    [&] { return check_apart(in, result.part(0, at)); },
                    [&] { return check_overlap(in, result.part(at, 1)); },
                    [&] { return check_apart(in, result.part(at + 1, result.count - at - 1)); });
            }
        }
        run.reduce(inputs, results, where, problem);
    });
}

void plan::scan(const void* in, void* out, std::int64_t count, void* total, const execution& where)
{
    engine& run = implementation_->run;
    run.comm->run_for_user([&] {
        const communicator_state& comm = *run.comm;
        const argument input = input_argument(run, "in", in, count);
        const argument output = output_argument(run, "out", out, count);
        const argument sum = output_argument(run, "total", total, total ? 1 : 0);
        const std::string problem = first_problem(
            [&] { return check_stream(comm, where); }, [&] { return check_argument(comm, input, false); },
            [&] { return check_argument(comm, output, false); },
            [&] { return check_argument(comm, sum, false); }, [&] { return check_max_count(run, count); },
            [&] { return check_overlap(input, output); }, [&] { return check_apart(input, sum); },
            [&] { return check_apart(output, sum); });
        run.scan(in, out, count, total, where, problem);
    });
}

void plan::exscan(const void* values, void* prefixes, void* totals, const execution& where)
{
    engine& run = implementation_->run;
    run.comm->run_for_user([&] {
        const communicator_state& comm = *run.comm;
        const std::int64_t count = run.spec.results;
        const argument input = input_argument(run, "values", values, count);
        const argument output = output_argument(run, "prefixes", prefixes, count);
        const argument sums = output_argument(run, "totals", totals, totals ? count : 0);
        const std::string problem = first_problem(
            [&] { return check_stream(comm, where); }, [&] { return check_argument(comm, input, false); },
            [&] { return check_argument(comm, output, false); },
            [&] { return check_argument(comm, sums, false); }, [&] { return check_overlap(input, output); },
            [&] { return check_overlap(input, sums); }, [&] { return check_apart(output, sums); });
        run.exscan(values, prefixes, totals, where, problem);
    });
}

std::span<untyped_piece> plan::pieces() noexcept
{
    return implementation_->pieces;
}

std::size_t plan::workspace_bytes() const noexcept
{
    return implementation_->run.workspace_bytes();
}

} // namespace rankfold::detail
