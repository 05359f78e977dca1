// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
#include "topology/driver.hpp"

#include "nvlink_groups.hpp"

#include <array>
#include <cstdio>
#include <dlfcn.h>
#include <memory>

namespace rankfold::topology {
namespace {

// The few entry points of the driver API that need no context, declared by hand: no CUDA header is needed
// here.
using cu_device = int;
struct cu_uuid {
    std::array<unsigned char, 16> bytes;
};
enum : int { attribute_compute_mode = 20, p2p_access_supported = 2, p2p_native_atomics = 3 };

struct driver_api {
    int (*init)(unsigned) = nullptr;
    int (*version)(int*) = nullptr;
    int (*count)(int*) = nullptr;
    int (*device)(cu_device*, int) = nullptr;
    int (*bus_id)(char*, int, cu_device) = nullptr;
    int (*uuid)(cu_uuid*, cu_device) = nullptr;
    int (*name)(char*, int, cu_device) = nullptr;
    int (*attribute)(int*, int, cu_device) = nullptr;
    int (*p2p_attribute)(int*, int, cu_device, cu_device) = nullptr;
    int (*error_string)(int, const char**) = nullptr;
};

template <class Function>
bool find(void* library, const char* symbol, Function& function)
{
    function = reinterpret_cast<Function>(dlsym(library, symbol));
    return function != nullptr;
}

bool find_all(void* library, driver_api& api)
{
    const bool uuid =
        find(library, "cuDeviceGetUuid_v2", api.uuid) || find(library, "cuDeviceGetUuid", api.uuid);
    return uuid && find(library, "cuInit", api.init) && find(library, "cuDriverGetVersion", api.version) &&
           find(library, "cuDeviceGetCount", api.count) && find(library, "cuDeviceGet", api.device) &&
           find(library, "cuDeviceGetPCIBusId", api.bus_id) && find(library, "cuDeviceGetName", api.name) &&
           find(library, "cuDeviceGetAttribute", api.attribute) &&
           find(library, "cuDeviceGetP2PAttribute", api.p2p_attribute) &&
           find(library, "cuGetErrorString", api.error_string);
}

std::string format_uuid(const cu_uuid& uuid, bool mig)
{
    std::string text = mig ? "MIG-" : "GPU-";
    for (std::size_t i = 0; i < uuid.bytes.size(); ++i) {
        std::array<char, 3> hex{};
        std::snprintf(hex.data(), hex.size(), "%02x", static_cast<unsigned>(uuid.bytes[i]));
        text += (i == 4 || i == 6 || i == 8 || i == 10) ? "-" : "";
        text += hex.data();
    }
    return text;
}

gpu describe_device(const driver_api& api, cu_device device, int ordinal)
{
    std::array<char, 256> text{};
    cu_uuid uuid{};
    gpu result{.ordinal = ordinal};
    if (api.name(text.data(), text.size(), device) == 0)
        result.name = text.data();
    if (api.bus_id(text.data(), text.size(), device) == 0)
        result.bus_id = normalise_bus_id(text.data());
    result.mig = result.name.find(" MIG ") != std::string::npos;
    if (api.uuid(&uuid, device) == 0)
        result.uuid = format_uuid(uuid, result.mig);
    return result;
}

bool p2p(const driver_api& api, int attribute, cu_device from, cu_device to)
{
    int value = 0;
    return from != to && api.p2p_attribute(&value, attribute, from, to) == 0 && value != 0;
}

void read_devices(const driver_api& api, int count, driver_report& report)
{
    std::vector<cu_device> devices;
    for (int ordinal = 0; ordinal < count; ++ordinal) {
        cu_device device = 0;
        if (api.device(&device, ordinal) != 0)
            continue;
        int mode = 0;
        devices.push_back(device);
        report.gpus.push_back(describe_device(api, device, ordinal));
        report.exclusive.push_back(api.attribute(&mode, attribute_compute_mode, device) == 0 && mode != 0);
    }
    // Native atomics between two GPUs are what tells NVLink from PCI Express without a context.
    std::vector<std::vector<bool>> linked(devices.size(), std::vector<bool>(devices.size()));
    report.peer_access = linked;
    for (std::size_t i = 0; i < devices.size(); ++i) {
        for (std::size_t j = 0; j < devices.size(); ++j) {
            linked[i][j] = p2p(api, p2p_native_atomics, devices[i], devices[j]);
            report.peer_access[i][j] = i == j || p2p(api, p2p_access_supported, devices[i], devices[j]);
        }
    }
    const std::vector<int> groups = nvlink_groups(linked);
    for (std::size_t i = 0; i < devices.size(); ++i)
        report.gpus[i].nvlink_group = groups[i];
}

} // namespace

driver_report ask_driver()
{
    driver_report report;
    // Never closed: the driver starts threads, and unloading it under them is not safe.
    void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    driver_api api;
    if (library == nullptr) {
        report.failure = "the CUDA driver library libcuda.so.1 was not found";
        return report;
    }
    report.library_found = true;
    if (!find_all(library, api)) {
        report.failure = "libcuda.so.1 lacks functions of the driver API";
        return report;
    }
    (void)api.version(&report.version);
    int count = 0;
    int status = api.init(0);
    if (status == 0)
        status = api.count(&count);
    if (status != 0) {
        const char* words = nullptr;
        (void)api.error_string(status, &words);
        report.failure = "the CUDA driver says: " + std::string(words != nullptr ? words : "unknown error") +
                         " (" + std::to_string(status) + ")";
        return report;
    }
    if (count == 0)
        report.failure = "the CUDA driver sees no GPU";
    read_devices(api, count, report);
    return report;
}

} // namespace rankfold::topology
