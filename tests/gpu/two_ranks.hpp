// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Two ranks on one GPU, each with a stream and a mailbox of its own: what two processes are on two GPUs, for
// tests of kernels that wait for each other.
#pragma once

#include "forms.hpp"

#include <array>
#include <memory>

namespace rankfold::test {

class two_ranks_test : public gpu_test {
protected:
    static constexpr int ranks = 2;
    static constexpr int slot_words = 64;

    void SetUp() override
    {
        gpu_test::SetUp();
        if (reduced()) {
            GTEST_SKIP() << "kernels side by side do not run under the sanitizers";
        }
        if (IsSkipped()) {
            return;
        }
        device::check_cuda(cudaMallocHost(&host_, sizeof(host_words)), "cudaMallocHost");
        *host_ = {};
        table_ = std::make_unique<device_memory>(ranks * sizeof(std::uint64_t*));
        std::array<std::uint64_t*, ranks> peers{};
        for (int r = 0; r < ranks; ++r) {
            boxes_[r] = std::make_unique<device_memory>(box_bytes);
            words_[r] = std::make_unique<device_memory>(sizeof(device_words));
            clear(*boxes_[r], box_bytes);
            clear(*words_[r], sizeof(device_words));
            peers[static_cast<std::size_t>(r)] = boxes_[r]->as<std::uint64_t>();
            places_[r] = here;
            device::check_cuda(cudaStreamCreateWithFlags(&places_[r].stream, cudaStreamNonBlocking),
                               "stream");
        }
        device::check_cuda(
            cudaMemcpyAsync(table_->as<>(), peers.data(), sizeof peers, cudaMemcpyDefault, here.stream),
            "copy");
        device::check_cuda(cudaStreamSynchronize(here.stream), "two ranks");
    }
    void TearDown() override
    {
        for (int r = 0; r < ranks && host_ != nullptr; ++r) {
            EXPECT_EQ(cudaStreamSynchronize(places_[r].stream), cudaSuccess);
            EXPECT_EQ(cudaStreamDestroy(places_[r].stream), cudaSuccess);
        }
        cudaFreeHost(host_);
        gpu_test::TearDown();
    }

    /// Where the calls of a rank run, and report.
    [[nodiscard]] place place_of(int rank, std::uint32_t call = 1) const
    {
        place result = places_[rank];
        result.failure = {.word = &words_[rank]->as<device_words>()->failure,
                          .mirror = &host_->mirrors[rank],
                          .call = call};
        return result;
    }
    [[nodiscard]] device::mailbox_view view_of(int rank, double timeout_s = 20) const
    {
        return {.peers = table_->as<std::uint64_t*>(),
                .own = boxes_[rank]->as<std::uint64_t>(),
                .rank = rank,
                .count = ranks,
                .slot_words = slot_words,
                .epoch = &words_[rank]->as<device_words>()->epoch,
                .abort = &host_->aborts[rank],
                .timeout_ns = static_cast<std::uint64_t>(timeout_s * 1e9)};
    }
    [[nodiscard]] errc failure_of(int rank) const
    {
        return static_cast<errc>(__atomic_load_n(&host_->mirrors[rank].code, __ATOMIC_ACQUIRE));
    }
    void abort(int rank) { __atomic_store_n(&host_->aborts[rank], 1U, __ATOMIC_RELEASE); }
    /// Word `w` of the slot of rank `from` in the mailbox of rank `of`, in a half.
    [[nodiscard]] std::uint64_t* word_of(int of, int half, int from, int w) const
    {
        return boxes_[of]->as<std::uint64_t>() + (half * ranks + from) * slot_words + w;
    }
    void finish()
    {
        for (const place& one : places_) {
            device::check_cuda(cudaStreamSynchronize(one.stream), "a rank");
        }
    }

private:
    static constexpr std::size_t box_bytes = device::mailbox_words(ranks, slot_words) * sizeof(std::uint64_t);
    struct device_words {
        alignas(128) std::uint32_t epoch;
        alignas(128) failure_word failure;
    };
    struct host_words {
        failure_word mirrors[ranks];
        std::uint32_t aborts[ranks];
    };
    std::array<std::unique_ptr<device_memory>, ranks> boxes_;
    std::array<std::unique_ptr<device_memory>, ranks> words_;
    std::unique_ptr<device_memory> table_;
    std::array<place, ranks> places_{};
    host_words* host_ = nullptr;
};

} // namespace rankfold::test
