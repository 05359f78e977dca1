// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a kernel must know of an operator over a type: the algebra.
//
//   lift(x, i)      input element number i of the piece -> accumulator
//   combine(l, r)   l stands left of r in global order; associative. It must be defined for any two
//                   accumulators, on a GPU for any bytes: kernels drop what they need not have combined
//   seal(a, n)      told once to the partial of a whole piece: n elements went into it
//   lower(a)        accumulator -> result element
//   raise(r)        result element (an init) -> accumulator
//   identity()      where has_identity: what an empty array reduces to; never folded in
//
// and, optional, `std::uint64_t fingerprint() const`: tells algebras of one type and different state apart
// where ranks compare their calls.
//
// One definition serves both backends and the exchange. An algebra is copied as bytes, at most 64 of them,
// and is the same on all ranks. Its functions are const and are called by many threads at once. On the host
// they may throw: the exception reaches the caller on its rank, and fails the communicator on all.
// value_algebra below brings all but combine(): a sum of pairs is
//
//     struct pair { double first, second; };
//     struct pair_sum : rankfold::value_algebra<pair> {
//         static constexpr bool commutative = true;
//         static constexpr bool has_identity = true;
//         RANKFOLD_HOST_DEVICE pair combine(pair l, pair r) const
//         {
//             return {l.first + r.first, l.second + r.second};
//         }
//         RANKFOLD_HOST_DEVICE pair identity() const { return {0, 0}; }
//     };
//
// rankfold/user_operator.hpp makes operations of algebras, and of functors in one line.
#pragma once

#include "rankfold/config.hpp"
#include "rankfold/operators.hpp"
#include "rankfold/types.hpp"

#include <concepts>
#include <limits>

namespace rankfold {

namespace detail {
template <class A>
concept without_identity_or_with_one = !A::has_identity || requires(const A a)
{
    {
        a.identity()
        } -> std::same_as<typename A::accumulator>;
};
} // namespace detail

/// @see the banner of this file.
template <class A>
concept Algebra = std::is_trivially_copyable_v<A> &&
    requires(const A a, typename A::input x, typename A::output y, typename A::accumulator l, std::int64_t i)
{
    {
        A::commutative
        } -> std::convertible_to<bool>;
    {
        A::has_identity
        } -> std::convertible_to<bool>;
    {
        a.lift(x, i)
        } -> std::same_as<typename A::accumulator>;
    {
        a.combine(l, l)
        } -> std::same_as<typename A::accumulator>;
    {
        a.seal(l, i)
        } -> std::same_as<typename A::accumulator>;
    {
        a.lower(l)
        } -> std::same_as<typename A::output>;
    {
        a.raise(y)
        } -> std::same_as<typename A::accumulator>;
} && detail::without_identity_or_with_one<A>;

namespace detail {

/// Conversion between element types; between integers it wraps.
template <class To, class From>
RANKFOLD_HOST_DEVICE constexpr To convert(From x)
{
    if constexpr (is_complex<To>) {
        return To{static_cast<decltype(To::re)>(x.re), static_cast<decltype(To::im)>(x.im)};
    } else if constexpr (is_half<To> || is_half<From>) {
        return static_cast<To>(static_cast<float>(x));
    } else {
        return static_cast<To>(x);
    }
}

template <class T>
RANKFOLD_HOST_DEVICE constexpr bool is_nan(T x)
{
    if constexpr (std::is_floating_point_v<T>) {
        return x != x;
    } else {
        return false;
    }
}

// Constants, not calls: nvcc lets device code use what a host function made, and not call one.
template <class T>
inline constexpr T quiet_nan = std::numeric_limits<T>::quiet_NaN();
template <class T>
inline constexpr T lowest = std::is_floating_point_v<T> ? -std::numeric_limits<T>::infinity()
                                                        : std::numeric_limits<T>::lowest();
template <class T>
inline constexpr T highest = std::is_floating_point_v<T> ? std::numeric_limits<T>::infinity()
                                                         : std::numeric_limits<T>::max();

/// The one NaN that leaves a min or max, whatever NaN went in.
template <class T>
RANKFOLD_HOST_DEVICE constexpr T canonical(T x)
{
    if constexpr (std::is_floating_point_v<T>) {
        return x != x ? quiet_nan<T> : x;
    } else {
        return x;
    }
}

template <class T>
using bits_of_t = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

/// The smaller value; NaN before all, -0 before +0. Select instructions only, so that it vectorises.
template <class T>
RANKFOLD_HOST_DEVICE constexpr T minimum(T a, T b)
{
    T smaller = a < b ? a : b; // b where either is NaN or both are zero
    if constexpr (std::is_floating_point_v<T>) {
        using bits = bits_of_t<T>;
        smaller = a == b ? __builtin_bit_cast(T, __builtin_bit_cast(bits, a) | __builtin_bit_cast(bits, b))
                         : smaller;
        smaller = a != a ? a : smaller;
    }
    return smaller;
}

/// The larger value; NaN before all, +0 above -0.
template <class T>
RANKFOLD_HOST_DEVICE constexpr T maximum(T a, T b)
{
    T larger = a > b ? a : b;
    if constexpr (std::is_floating_point_v<T>) {
        using bits = bits_of_t<T>;
        larger = a == b ? __builtin_bit_cast(T, __builtin_bit_cast(bits, a) & __builtin_bit_cast(bits, b))
                        : larger;
        larger = a != a ? a : larger;
    }
    return larger;
}

/// True where x comes before y in a search for the smallest: NaN first; zeros of either sign are equal.
template <class T>
RANKFOLD_HOST_DEVICE constexpr bool before(T x, T y)
{
    if constexpr (std::is_floating_point_v<T>) {
        if (x != x || y != y) {
            return x != x && y == y;
        }
    }
    return x < y;
}

// Signed overflow wraps: integers are added and multiplied without a sign.
template <class T>
RANKFOLD_HOST_DEVICE constexpr T add(T l, T r)
{
    if constexpr (is_complex<T>) {
        return T{l.re + r.re, l.im + r.im};
    } else if constexpr (std::is_integral_v<T>) {
        return static_cast<T>(static_cast<std::uint64_t>(l) + static_cast<std::uint64_t>(r));
    } else {
        return l + r;
    }
}
template <class T>
RANKFOLD_HOST_DEVICE constexpr T multiply(T l, T r)
{
    if constexpr (is_complex<T>) {
        return T{l.re * r.re - l.im * r.im, l.re * r.im + l.im * r.re};
    } else if constexpr (std::is_integral_v<T>) {
        return static_cast<T>(static_cast<std::uint64_t>(l) * static_cast<std::uint64_t>(r));
    } else {
        return l * r;
    }
}

} // namespace detail

/// What algebras of single values share: elements, partials and results are converted into each other as they
/// are, explicitly where that is the only way. What derives from it brings combine(), and says so where it
/// commutes or has an identity.
template <class In, class Acc = In, class Out = Acc>
struct value_algebra {
    using input = In;
    using accumulator = Acc;
    using output = Out;
    static constexpr bool commutative = false;
    static constexpr bool has_identity = false;
    RANKFOLD_HOST_DEVICE constexpr Acc lift(In x, std::int64_t /*index*/) const
    {
        return detail::convert<Acc>(x);
    }
    RANKFOLD_HOST_DEVICE constexpr Acc seal(Acc a, std::int64_t /*count*/) const { return a; }
    RANKFOLD_HOST_DEVICE constexpr Out lower(Acc a) const { return detail::convert<Out>(a); }
    RANKFOLD_HOST_DEVICE constexpr Acc raise(Out r) const { return detail::convert<Acc>(r); }
};

namespace detail {

/// Built-in operators on values all have an identity, and all but affine commute.
template <class In, class Acc, class Out>
struct builtin_value_algebra : value_algebra<In, Acc, Out> {
    static constexpr bool commutative = true;
    static constexpr bool has_identity = true;
};

} // namespace detail

/// The algebra of a built-in operator from In over Acc to Out.
template <operator_id Id, class In, class Acc, class Out>
struct algebra;

template <class In, class Acc, class Out>
struct algebra<operator_id::sum, In, Acc, Out> : detail::builtin_value_algebra<In, Acc, Out> {
    RANKFOLD_HOST_DEVICE constexpr Acc combine(Acc l, Acc r) const { return detail::add(l, r); }
    RANKFOLD_HOST_DEVICE constexpr Acc identity() const { return Acc{}; }
};

template <class In, class Acc, class Out>
struct algebra<operator_id::prod, In, Acc, Out> : detail::builtin_value_algebra<In, Acc, Out> {
    RANKFOLD_HOST_DEVICE constexpr Acc combine(Acc l, Acc r) const { return detail::multiply(l, r); }
    RANKFOLD_HOST_DEVICE constexpr Acc identity() const
    {
        if constexpr (detail::is_complex<Acc>) {
            return Acc{1, 0};
        } else {
            return Acc{1};
        }
    }
};

template <class In, class Acc, class Out>
struct algebra<operator_id::min, In, Acc, Out> : detail::builtin_value_algebra<In, Acc, Out> {
    RANKFOLD_HOST_DEVICE constexpr Acc combine(Acc l, Acc r) const { return detail::minimum(l, r); }
    RANKFOLD_HOST_DEVICE constexpr Acc identity() const { return detail::highest<Acc>; }
    RANKFOLD_HOST_DEVICE constexpr Out lower(Acc a) const
    {
        return detail::convert<Out>(detail::canonical(a));
    }
};

template <class In, class Acc, class Out>
struct algebra<operator_id::max, In, Acc, Out> : detail::builtin_value_algebra<In, Acc, Out> {
    RANKFOLD_HOST_DEVICE constexpr Acc combine(Acc l, Acc r) const { return detail::maximum(l, r); }
    RANKFOLD_HOST_DEVICE constexpr Acc identity() const { return detail::lowest<Acc>; }
    RANKFOLD_HOST_DEVICE constexpr Out lower(Acc a) const
    {
        return detail::convert<Out>(detail::canonical(a));
    }
};

template <class In, class Acc, class Out>
struct algebra<operator_id::bit_and, In, Acc, Out> : detail::builtin_value_algebra<In, Acc, Out> {
    RANKFOLD_HOST_DEVICE constexpr Acc combine(Acc l, Acc r) const { return static_cast<Acc>(l & r); }
    RANKFOLD_HOST_DEVICE constexpr Acc identity() const { return static_cast<Acc>(~Acc{0}); }
};

template <class In, class Acc, class Out>
struct algebra<operator_id::bit_or, In, Acc, Out> : detail::builtin_value_algebra<In, Acc, Out> {
    RANKFOLD_HOST_DEVICE constexpr Acc combine(Acc l, Acc r) const { return static_cast<Acc>(l | r); }
    RANKFOLD_HOST_DEVICE constexpr Acc identity() const { return Acc{0}; }
};

template <class In, class Acc, class Out>
struct algebra<operator_id::bit_xor, In, Acc, Out> : detail::builtin_value_algebra<In, Acc, Out> {
    RANKFOLD_HOST_DEVICE constexpr Acc combine(Acc l, Acc r) const { return static_cast<Acc>(l ^ r); }
    RANKFOLD_HOST_DEVICE constexpr Acc identity() const { return Acc{0}; }
};

template <class In, class Acc, class Out>
struct algebra<operator_id::logical_and, In, Acc, Out> : detail::builtin_value_algebra<In, Acc, Out> {
    RANKFOLD_HOST_DEVICE constexpr Acc lift(In x, std::int64_t /*index*/) const { return x != In{0}; }
    RANKFOLD_HOST_DEVICE constexpr Acc combine(Acc l, Acc r) const { return static_cast<Acc>(l & r); }
    RANKFOLD_HOST_DEVICE constexpr Acc raise(Out r) const { return r != Out{0}; }
    RANKFOLD_HOST_DEVICE constexpr Acc identity() const { return Acc{1}; }
};

template <class In, class Acc, class Out>
struct algebra<operator_id::logical_or, In, Acc, Out> : detail::builtin_value_algebra<In, Acc, Out> {
    RANKFOLD_HOST_DEVICE constexpr Acc lift(In x, std::int64_t /*index*/) const { return x != In{0}; }
    RANKFOLD_HOST_DEVICE constexpr Acc combine(Acc l, Acc r) const { return static_cast<Acc>(l | r); }
    RANKFOLD_HOST_DEVICE constexpr Acc raise(Out r) const { return r != Out{0}; }
    RANKFOLD_HOST_DEVICE constexpr Acc identity() const { return Acc{0}; }
};

template <class T>
struct algebra<operator_id::affine, affine_map<T>, affine_map<T>, affine_map<T>>
    : detail::builtin_value_algebra<affine_map<T>, affine_map<T>, affine_map<T>> {
    using map = affine_map<T>;
    static constexpr bool commutative = false;
    RANKFOLD_HOST_DEVICE constexpr map combine(map l, map r) const
    {
        return {detail::multiply(r.a, l.a), detail::add(detail::multiply(r.a, l.b), r.b)};
    }
    RANKFOLD_HOST_DEVICE constexpr map identity() const { return {T{1}, T{0}}; }
};

namespace detail {

/// An extreme of `count` elements; `index` counts from the first of them. Elements themselves carry count 0,
/// so that inside a piece indices stay as they are, and the seal of the piece makes the exchange shift those
/// to its right.
template <class T>
struct located_partial {
    T value;
    std::int64_t index;
    std::int64_t count;
};

template <class In, class Acc, bool Smallest>
struct located_algebra {
    using input = In;
    using accumulator = located_partial<Acc>;
    using output = located<In>;
    static constexpr bool commutative = true; // inside a piece
    static constexpr bool has_identity = true;
    RANKFOLD_HOST_DEVICE constexpr accumulator lift(In x, std::int64_t index) const
    {
        return {convert<Acc>(x), index, 0};
    }
    RANKFOLD_HOST_DEVICE constexpr accumulator combine(accumulator l, accumulator r) const
    {
        r.index += l.count;
        const bool take_r = better(r.value, l.value) || (!better(l.value, r.value) && r.index < l.index);
        return {take_r ? r.value : l.value, take_r ? r.index : l.index, l.count + r.count};
    }
    RANKFOLD_HOST_DEVICE constexpr accumulator seal(accumulator a, std::int64_t count) const
    {
        return {a.value, a.index, count};
    }
    RANKFOLD_HOST_DEVICE constexpr output lower(accumulator a) const
    {
        return {convert<In>(canonical(a.value)), a.index};
    }
    RANKFOLD_HOST_DEVICE constexpr accumulator raise(output r) const
    {
        return {convert<Acc>(r.value), r.index, 0};
    }
    RANKFOLD_HOST_DEVICE constexpr accumulator identity() const
    {
        return {Smallest ? highest<Acc> : lowest<Acc>, -1, 0};
    }
    /// True where x is taken before y wherever they stand.
    RANKFOLD_HOST_DEVICE static constexpr bool better(Acc x, Acc y)
    {
        return Smallest ? before(x, y) : after(x, y);
    }

private:
    RANKFOLD_HOST_DEVICE static constexpr bool after(Acc x, Acc y)
    {
        return is_nan(x) || is_nan(y) ? before(x, y) : y < x;
    }
};

} // namespace detail

template <class In, class Acc>
struct algebra<operator_id::min_loc, In, Acc, located<In>> : detail::located_algebra<In, Acc, true> {
};
template <class In, class Acc>
struct algebra<operator_id::max_loc, In, Acc, located<In>> : detail::located_algebra<In, Acc, false> {
};

} // namespace rankfold
