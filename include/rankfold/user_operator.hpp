// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Operators of one's own, for every call and every plan. From a functor, in one line:
//
//     struct larger {
//         RANKFOLD_HOST_DEVICE double operator()(double a, double b) const { return a < b ? b : a; }
//     };
//     const auto op = user_operator(larger{}, commutative, identity(0.0));
//     const double most = all_reduce(comm, op, std::span(x));
//     scan_plan<double> plan(comm, inclusive, user_operator(larger{}), {.max_count = n});
//
// or, where what is folded is not what is read or written, from a whole algebra (rankfold/algebra.hpp):
//
//     reduce_plan<float, double> plan(comm, make_operation(my_algebra{}), {.init = 0.0});
//
// Backends: a file that a C++ compiler compiles gives the operator to the host backend, where a lambda will
// do. A file that nvcc compiles (.cu) gives it to both backends; there the functor's call operator is marked
// RANKFOLD_HOST_DEVICE. On the cuda backend an operator from a C++ file is a usage error. Across files pass
// the operation: `operation largest() { return user_operator(larger{}).over<double>(); }` in the .cu.
//
// Bits: the operator is compiled with your flags. -ffast-math, nvcc's -use_fast_math and their parts do not
// compile; a C++ file in which a * b + c is contracted is refused at run time. nvcc contracts by default and
// cannot be asked: an operator that multiplies and adds needs -fmad=false, or it rounds otherwise on the GPU
// than on the host, and perhaps otherwise in one kernel than in another. The CMake target Rankfold::rankfold
// brings both flags along (unless the target that uses it sets the property RANKFOLD_CONTRACTION); pkg-config
// has them as variables `cxxflags` and `nvccflags`.
#pragma once

#include "rankfold/error.hpp"
#include "rankfold/host/operation.hpp"

#if defined(__CUDACC__)
#include "rankfold/device/operation.cuh"
#endif

#include <concepts>
#include <string_view>
#include <type_traits>

namespace rankfold {

// What is said of a functor, in any order, after it.

/// f(a, b) == f(b, a): elements of a piece may be folded in another order than theirs, which is faster.
struct commutative_t {};
inline constexpr commutative_t commutative{};

/// f(value, a) == a: what an empty array reduces to, and the first result of an exclusive scan without init.
template <class T>
struct identity {
    T value;
};
template <class T>
identity(T) -> identity<T>;

/// What tells operators of the same type apart where ranks compare their calls.
struct named {
    std::string_view text;
};

// A file that nvcc compiles and one that it does not make different operations of the same algebra: different
// functions, of which the linker must not take one for the other.
#if defined(__CUDACC__)
inline namespace with_device_phases {
#else
inline namespace with_host_phases {
#endif

namespace user_operators {

// One for each file, since each has its flags.
namespace {
inline bool contracts()
{
    const volatile double x = 1.0 + 0x1p-30;
    const double left = x; // two loads: of one the product would be known when it is subtracted
    const double right = x;
    const volatile double rounded = left * left;
    return right * right - rounded != 0;
}
} // namespace

inline void refuse_contraction(bool contracted)
{
    if (contracted) {
        throw error(
            errc::usage, error_origin::usage, 0, -1,
            "user operator: its file was compiled so that a * b + c is rounded once (an FMA instruction), "
            "and other files, ranks and backends would give other bits: compile it with -ffp-contract=off");
    }
}

} // namespace user_operators

/// The operation of an algebra, for plans and one-shot calls: the host phases, and in a file that nvcc
/// compiles the device phases. `name` counts where ranks compare their calls. Local. @throws error (usage)
/// where the compiler contracts a * b + c.
template <Algebra A>
[[nodiscard]] operation make_operation(const A& algebra, std::string_view name = {})
{
    user_operators::refuse_contraction(user_operators::contracts());
    operation result = host::make_operation(algebra);
    result.operator_hash = rankfold::detail::hash_of_operator(algebra, name);
#if defined(__CUDACC__)
    result.device = device_phases<A>();
#endif
    return result;
}

namespace user_operators {

/// 16-bit values are folded in float, as by the built-in operators.
template <class Out>
using functor_accumulator_t = std::conditional_t<rankfold::detail::is_half<Out>, float, Out>;

/// A functor with state, as a member; one without, as a base: it takes no place, so that no byte of an
/// algebra is one that nobody sets. (Not [[no_unique_address]]: with it host and device code of nvcc 13.0
/// disagree on where the arguments of a kernel lie that follow.)
template <class Functor, bool IsBase = std::is_empty_v<Functor> && !std::is_final_v<Functor>>
struct kept_functor {
    Functor kept;
    [[nodiscard]] RANKFOLD_HOST_DEVICE constexpr const Functor& functor() const { return kept; }
};
template <class Functor>
struct kept_functor<Functor, true> : private Functor {
    constexpr explicit kept_functor(const Functor& f) : Functor(f) {}
    [[nodiscard]] RANKFOLD_HOST_DEVICE constexpr const Functor& functor() const { return *this; }
};

/// An algebra of a functor: elements are converted to the result's type, and folded.
template <class Functor, class In, class Out, bool Commutative>
struct functor_algebra : value_algebra<In, functor_accumulator_t<Out>, Out>, private kept_functor<Functor> {
    using values = value_algebra<In, functor_accumulator_t<Out>, Out>;
    using typename values::input;
    using typename values::output;
    using accumulator = functor_accumulator_t<Out>;
    using values::lift; // a functor may have members of these names
    using values::lower;
    using values::raise;
    using values::seal;
    static_assert(
        std::is_trivially_copyable_v<Functor>,
        "the functor travels as bytes: it (and what its lambda captures) must be trivially copyable");
    static_assert(
        requires(const Functor f, const accumulator a) { static_cast<accumulator>(f(a, a)); },
        "the functor must take two values of the result's type (float for 16-bit types) as const, and give "
        "one");
    static constexpr bool commutative = Commutative;
    static constexpr bool has_identity = false;

    constexpr explicit functor_algebra(const Functor& f) : kept_functor<Functor>{f} {}
    RANKFOLD_HOST_DEVICE constexpr accumulator combine(const accumulator& l, const accumulator& r) const
    {
        return static_cast<accumulator>(kept_functor<Functor>::functor()(l, r));
    }
    [[nodiscard]] constexpr std::uint64_t fingerprint() const
    {
        if constexpr (rankfold::detail::has_fingerprint<Functor>) {
            return kept_functor<Functor>::functor().fingerprint();
        } else {
            return 0;
        }
    }
};

/// The same where an identity was given.
template <class Functor, class In, class Out, bool Commutative>
struct functor_algebra_with_identity : functor_algebra<Functor, In, Out, Commutative> {
    using accumulator = functor_accumulator_t<Out>;
    static constexpr bool has_identity = true;

    accumulator neutral;

    constexpr functor_algebra_with_identity(const Functor& f, const accumulator& value)
        : functor_algebra<Functor, In, Out, Commutative>(f), neutral(value)
    {
    }
    RANKFOLD_HOST_DEVICE constexpr accumulator identity() const { return neutral; }
    /// Ranks that bring another identity bring another operator.
    [[nodiscard]] std::uint64_t fingerprint() const
    {
        return rankfold::detail::hash_of_value(neutral,
                                               functor_algebra<Functor, In, Out, Commutative>::fingerprint());
    }
};

struct no_identity {};

} // namespace user_operators

/// A functor with what was said of it; its types come from the call. @see user_operator
template <class Functor, bool Commutative, class Identity>
struct functor_operator {
    Functor functor;
    Identity neutral;
    std::string_view name;

    // With what else is said of it.
    [[nodiscard]] constexpr auto with() const { return *this; }
    template <class... Rest>
    [[nodiscard]] constexpr auto with(commutative_t, const Rest&... rest) const
    {
        return functor_operator<Functor, true, Identity>{functor, neutral, name}.with(rest...);
    }
    template <class T, class... Rest>
    [[nodiscard]] constexpr auto with(const identity<T>& value, const Rest&... rest) const
    {
        return functor_operator<Functor, Commutative, identity<T>>{functor, value, name}.with(rest...);
    }
    template <class... Rest>
    [[nodiscard]] constexpr auto with(named called, const Rest&... rest) const
    {
        return functor_operator{functor, neutral, called.text}.with(rest...);
    }

    /// The operation that folds elements In into results Out. Local; @throws as make_operation
    template <class In, class Out = In>
    [[nodiscard]] operation over() const
    {
        if constexpr (std::is_same_v<Identity, user_operators::no_identity>) {
            return make_operation(user_operators::functor_algebra<Functor, In, Out, Commutative>(functor),
                                  name);
        } else {
            using algebra = user_operators::functor_algebra_with_identity<Functor, In, Out, Commutative>;
            return make_operation(algebra(functor, static_cast<typename algebra::accumulator>(neutral.value)),
                                  name);
        }
    }
};

/// An operator from a functor f(a, b) of two values of the result's type, a standing left of b in global
/// order. Associative, trivially copyable, at most 64 bytes with its identity, equal on all ranks; it must
/// not throw, and is called by many threads at once. An optional member `std::uint64_t fingerprint() const`
/// tells functors of different state apart where ranks compare their calls.
/// @param properties  commutative, identity(value), named("..."), in any order
template <class Functor, class... Properties>
[[nodiscard]] constexpr auto user_operator(const Functor& functor, const Properties&... properties)
{
    return functor_operator<Functor, false, user_operators::no_identity>{functor, {}, {}}.with(properties...);
}

} // namespace with_device_phases or with_host_phases
} // namespace rankfold
