// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// exchange: an exchange by itself (mailbox.cuh). One block.
#pragma once

#include "rankfold/device/mailbox.cuh"
#include "rankfold/device/tuning.hpp"

namespace rankfold::device {

/// Where the rank has failed before it receives its own payload alone.
struct exchange_kernel {
    static constexpr int threads = exchange_threads;
    static constexpr int resident = 1;

    struct arguments {
        mailbox_view view;
        fingerprint head;
        payload row;
        failure_report failure;
    };
    struct storage {
        mailbox::storage mail;
        bool failed;
    };

    RANKFOLD_DEVICE static void run(simt::block& block, const arguments& args, storage& shared)
    {
        const mailbox::opening asked = mailbox::open(block, args.view, args.failure.word, shared.mail);
        if (block.thread() == 0) {
            shared.failed = !mailbox::settle(args.view, args.head, asked, shared.mail);
        }
        block.sync();
        if (!shared.failed) {
            mailbox mail(block, args.view, shared.mail);
            mail.exchange(args.head, args.row);
            block.sync();
            mail.finish(args.head, args.failure);
            return;
        }
        // The own payload says why, if it is forwarded.
        RANKFOLD_NO_UNROLL
        for (int w = block.thread(); w < args.row.words; w += block.threads()) {
            args.row.received[args.view.rank * args.row.stride_words + w] = args.row.own[w];
        }
    }
};

} // namespace rankfold::device
