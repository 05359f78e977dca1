// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/peer_mailbox.hpp"

namespace rankfold::detail {

std::unique_ptr<peer_mailbox> peer_mailbox::make(const mailbox_request&, std::string& why_not)
{
    why_not = "Rankfold was built with an NCCL older than 2.28, which has no device API";
    return nullptr;
}

} // namespace rankfold::detail
