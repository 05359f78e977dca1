// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The enumerations as text.
#include "rankfold/communicator.hpp"
#include "rankfold/operators.hpp"
#include "rankfold/types.hpp"

namespace rankfold {

std::string_view to_string(errc code) noexcept
{
    switch (code) {
    case errc::success:
        return "success";
    case errc::usage:
        return "usage";
    case errc::mismatch:
        return "mismatch";
    case errc::timeout:
        return "timeout";
    case errc::unsupported:
        return "unsupported";
    case errc::out_of_memory:
        return "out_of_memory";
    case errc::backend:
        return "backend";
    case errc::failed:
        return "failed";
    case errc::busy:
        return "busy";
    }
    return "?";
}

std::string_view to_string(error_origin origin) noexcept
{
    switch (origin) {
    case error_origin::usage:
        return "usage";
    case error_origin::cuda:
        return "cuda";
    case error_origin::nccl:
        return "nccl";
    case error_origin::mpi:
        return "mpi";
    case error_origin::hwloc:
        return "hwloc";
    case error_origin::system:
        return "system";
    }
    return "?";
}

std::string_view to_string(backend which) noexcept
{
    switch (which) {
    case backend::automatic:
        return "automatic";
    case backend::cuda:
        return "cuda";
    case backend::host:
        return "host";
    }
    return "?";
}

std::string_view to_string(transport which) noexcept
{
    switch (which) {
    case transport::automatic:
        return "automatic";
    case transport::self:
        return "self";
    case transport::peer:
        return "peer";
    case transport::nccl:
        return "nccl";
    case transport::mpi:
        return "mpi";
    }
    return "?";
}

std::string_view to_string(operator_id id) noexcept
{
    switch (id) {
    case operator_id::sum:
        return "sum";
    case operator_id::prod:
        return "prod";
    case operator_id::min:
        return "min";
    case operator_id::max:
        return "max";
    case operator_id::bit_and:
        return "bit_and";
    case operator_id::bit_or:
        return "bit_or";
    case operator_id::bit_xor:
        return "bit_xor";
    case operator_id::logical_and:
        return "logical_and";
    case operator_id::logical_or:
        return "logical_or";
    case operator_id::affine:
        return "affine";
    case operator_id::min_loc:
        return "min_loc";
    case operator_id::max_loc:
        return "max_loc";
    case operator_id::user:
        return "user operator";
    }
    return "?";
}

std::string_view to_string(element_type type) noexcept
{
    switch (type) {
    case element_type::none:
        return "none";
    case element_type::int8:
        return "int8";
    case element_type::int16:
        return "int16";
    case element_type::int32:
        return "int32";
    case element_type::int64:
        return "int64";
    case element_type::uint8:
        return "uint8";
    case element_type::uint16:
        return "uint16";
    case element_type::uint32:
        return "uint32";
    case element_type::uint64:
        return "uint64";
    case element_type::float16:
        return "float16";
    case element_type::bfloat16:
        return "bfloat16";
    case element_type::float32:
        return "float32";
    case element_type::float64:
        return "float64";
    case element_type::complex64:
        return "complex64";
    case element_type::complex128:
        return "complex128";
    case element_type::affine_int64:
        return "affine_int64";
    case element_type::affine_float32:
        return "affine_float32";
    case element_type::affine_float64:
        return "affine_float64";
    case element_type::user:
        return "user type";
    }
    return "?";
}

} // namespace rankfold
