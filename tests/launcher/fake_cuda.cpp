// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
// A stand-in for libcuda.so.1. FAKE_CUDA_DEVICES lists PCI bus ids in CUDA's order; "mig:" before one makes
// it a MIG slice. FAKE_CUDA_STATUS is what cuInit answers. It has no function that makes a context, so a
// caller cannot make one.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

std::vector<std::string> devices()
{
    std::vector<std::string> result;
    const char* list = std::getenv("FAKE_CUDA_DEVICES");
    for (std::string rest = list == nullptr ? "" : list; !rest.empty();) {
        const std::size_t comma = std::min(rest.find(','), rest.size());
        result.push_back(rest.substr(0, comma));
        rest.erase(0, comma + 1);
    }
    return result;
}

bool is_mig(int device)
{
    return devices().at(static_cast<std::size_t>(device)).starts_with("mig:");
}

int number(const char* name)
{
    const char* text = std::getenv(name);
    return text == nullptr ? 0 : std::atoi(text);
}

} // namespace

// NOLINTBEGIN(readability-identifier-naming)
extern "C" {
int cuInit(unsigned)
{
    return number("FAKE_CUDA_STATUS");
}

int cuDriverGetVersion(int* version)
{
    *version = 12040;
    return 0;
}

int cuDeviceGetCount(int* count)
{
    *count = static_cast<int>(devices().size());
    return *count == 0 ? 100 : 0;
}

int cuDeviceGet(int* device, int ordinal)
{
    *device = ordinal;
    return 0;
}

int cuDeviceGetPCIBusId(char* text, int size, int device)
{
    const std::string id = devices().at(static_cast<std::size_t>(device)).substr(is_mig(device) ? 4 : 0);
    std::snprintf(text, static_cast<std::size_t>(size), "%s", id.c_str());
    return 0;
}

int cuDeviceGetUuid_v2(unsigned char* bytes, int device)
{
    std::memset(bytes, 0, 16);
    bytes[15] = static_cast<unsigned char>(device + 1);
    return 0;
}

int cuDeviceGetName(char* text, int size, int device)
{
    std::snprintf(text, static_cast<std::size_t>(size), "%s",
                  is_mig(device) ? "Fake GPU MIG 1g.10gb" : "Fake GPU");
    return 0;
}

int cuDeviceGetAttribute(int* value, int, int)
{
    *value = number("FAKE_CUDA_EXCLUSIVE");
    return 0;
}

// Attribute 2 is access, 3 native atomics (NVLink).
int cuDeviceGetP2PAttribute(int* value, int attribute, int, int)
{
    *value = attribute == 2 ? number("FAKE_CUDA_PEERS") : number("FAKE_CUDA_NVLINK");
    return 0;
}

int cuGetErrorString(int status, const char** text)
{
    *text = status == 35 ? "CUDA driver version is insufficient" : "no CUDA-capable device is detected";
    return 0;
}
}
// NOLINTEND(readability-identifier-naming)
