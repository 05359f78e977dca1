// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// One-shot calls: an engine for one call, and host memory staged through memory of the backend. They block.
#include "engine.hpp"

namespace rankfold::detail {
namespace {

/// A user's array as the backend sees it: itself, or a copy in memory of the backend.
class staged {
public:
    staged(const std::shared_ptr<communicator_state>& comm, const void* user, std::size_t bytes)
        : user_(const_cast<void*>(user)), bytes_(bytes)
    {
        if (comm->needs_staging(user) && bytes > 0) {
            copy_ = backend_memory(comm, bytes);
        }
    }
    [[nodiscard]] bool is_copy() const noexcept { return copy_.data() != nullptr; }
    [[nodiscard]] void* data() const noexcept { return is_copy() ? copy_.data() : user_; }
    void load(communicator_state& comm, CUstream_st* stream) const
    {
        if (is_copy()) {
            comm.copy(copy_.data(), user_, bytes_, stream);
        }
    }
    void store(communicator_state& comm, CUstream_st* stream) const
    {
        if (is_copy()) {
            comm.copy(user_, copy_.data(), bytes_, stream);
        }
    }

private:
    void* user_;
    std::size_t bytes_;
    backend_memory copy_;
};

/// What the one-shot calls share: the engine, the stream, and where problems are gathered.
struct session {
    session(const communicator& communicator, const operation& operation, const plan_spec& spec,
            const execution& execution)
        : comm(communicator.state()), where(execution)
    {
        const auto op = form_of(*comm, operation, spec);
        problem = check_spec(*comm, op, spec);
        if ((comm->on_gpu() ? op.device : op.host).fold == nullptr) { // without phases there is no engine
            comm->agree(facts_of(op, spec, 0), execution, problem);
        }
        run.emplace(comm, op, spec, 0);
    }

    /// Memory that only the device sees needs a stream; staged memory takes the communicator's own.
    void choose_stream(bool needs_user_stream)
    {
        if (problem.empty() && (needs_user_stream || where.stream)) {
            problem = comm->why_not_stream(where.stream);
        }
        if (!where.stream) {
            where.stream = comm->own_stream();
        }
        if (problem.empty()) {
            problem = comm->why_not_blocking(*where.stream);
        }
    }

    /// Runs something that may fail on this rank alone, an allocation say.
    void attempt(const std::function<void()>& action)
    {
        if (problem.empty()) {
            run->attempt(action);
        }
    }

    /// Blocks until the call is done, and then until copy() has given the user what it left. Not before: a
    /// copy to pageable memory blocks in the driver, where no watchdog sees it, and a call that fails gives
    /// nothing.
    template <class Copy>
    void deliver(Copy copy)
    {
        comm->wait(*where.stream);
        copy();
        comm->wait(*where.stream);
    }

    void fetch(void* to, const backend_memory& from, std::size_t bytes)
    {
        if (to != nullptr) {
            comm->copy(to, from.data(), bytes, *where.stream);
        }
    }

    std::shared_ptr<communicator_state> comm;
    execution where;
    std::string problem;
    std::optional<engine> run;
};

} // namespace

void reduce_once(const communicator& comm, const operation& op, const plan_spec& spec, untyped_piece input,
                 void* result, const execution& execution)
{
    comm.state()->run_for_user([&] {
        session s(comm, op, spec, execution);
        const argument in{"input", input.data, input.count, op.input_bytes, op.input_alignment};
        if (s.problem.empty()) {
            s.problem = check_argument(*s.comm, in, s.comm->needs_staging(input.data));
        }
        std::optional<staged> data;
        backend_memory total;
        s.attempt([&] {
            data.emplace(s.comm, input.data, static_cast<std::size_t>(input.count) * op.input_bytes);
            total = backend_memory(s.comm, op.output_bytes);
        });
        s.choose_stream(data && !data->is_copy() && input.count > 0);
        s.attempt([&] { data->load(*s.comm, *s.where.stream); });

        const untyped_piece piece{data ? data->data() : nullptr, input.count};
        s.run->reduce({&piece, 1}, total.data(), s.where, s.problem);
        const bool wanted = spec.root.value_or(s.comm->rank) == s.comm->rank;
        s.deliver([&] { s.fetch(wanted ? result : nullptr, total, op.output_bytes); });
    });
}

void scan_once(const communicator& comm, const operation& op, const plan_spec& spec, const void* in,
               std::int64_t in_count, void* out, std::int64_t out_count, void* total,
               const execution& execution)
{
    comm.state()->run_for_user([&] {
        plan_spec sized = spec;
        sized.max_count = in_count;
        session s(comm, op, sized, execution);
        const argument input{"in", in, in_count, op.input_bytes, op.input_alignment};
        const argument output{"out", out, out_count, op.output_bytes, op.output_alignment};
        if (s.problem.empty()) {
            s.problem = first_problem(
                [&] {
                    return in_count == out_count
                               ? std::string()
                               : "out has " + std::to_string(out_count) + " elements, in has " +
                                     std::to_string(in_count) + "; they must be equal";
                },
                [&] { return check_argument(*s.comm, input, s.comm->needs_staging(in)); },
                [&] { return check_argument(*s.comm, output, s.comm->needs_staging(out)); },
                [&] { return check_overlap(input, output); });
        }
        std::optional<staged> from;
        std::optional<staged> to;
        backend_memory sum;
        s.attempt([&] {
            from.emplace(s.comm, in, static_cast<std::size_t>(in_count) * op.input_bytes);
            to.emplace(s.comm, out, static_cast<std::size_t>(out_count) * op.output_bytes);
            sum = backend_memory(s.comm, op.output_bytes);
        });
        s.choose_stream(from && to && in_count > 0 && !(from->is_copy() && to->is_copy()));
        s.attempt([&] { from->load(*s.comm, *s.where.stream); });

        s.run->scan(from ? from->data() : nullptr, to ? to->data() : nullptr, in_count,
                    total ? sum.data() : nullptr, s.where, s.problem);
        s.deliver([&] {
            to->store(*s.comm, *s.where.stream);
            s.fetch(total, sum, op.output_bytes);
        });
    });
}

void exscan_once(const communicator& comm, const operation& op, const plan_spec& spec, const void* values,
                 void* prefixes, void* totals, const execution& execution)
{
    comm.state()->run_for_user([&] {
        session s(comm, op, spec, execution);
        const auto results = static_cast<std::size_t>(spec.results);
        backend_memory from;
        backend_memory below;
        backend_memory all;
        s.attempt([&] {
            from = backend_memory(s.comm, results * op.input_bytes);
            below = backend_memory(s.comm, results * op.output_bytes);
            all = backend_memory(s.comm, results * op.output_bytes);
        });
        s.choose_stream(false);
        s.attempt([&] { s.comm->copy(from.data(), values, results * op.input_bytes, *s.where.stream); });

        s.run->exscan(from.data(), below.data(), totals ? all.data() : nullptr, s.where, s.problem);
        s.deliver([&] {
            s.fetch(prefixes, below, results * op.output_bytes);
            s.fetch(totals, all, results * op.output_bytes);
        });
    });
}

} // namespace rankfold::detail
