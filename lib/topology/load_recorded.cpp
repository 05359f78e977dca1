// SPDX-FileCopyrightText: 2026 the Rankfold authors
// SPDX-License-Identifier: BSD-3-Clause
//
// Machines from files and descriptions. A file that hwloc refuses is looked at for who wrote it.
#include "read_machine.hpp"
#include "regular_machine.hpp"
#include "topology/error.hpp"
#include "topology/load.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>

namespace rankfold::topology {
namespace {

std::string read_file(const std::string& path)
{
    std::error_code failed;
    const std::filesystem::file_status status = std::filesystem::status(path, failed);
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
        throw topology_error("topology file '" + path +
                             "' is not a regular file"); // a FIFO would be waited for
    }
    std::ifstream stream(path);
    if (!stream) {
        throw topology_error("topology file '" + path + "' cannot be read: " + std::strerror(errno));
    }
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

/// What stands between `before`, looked for behind `start`, and the next quote; empty if that is not there.
std::string quoted_after(const std::string& text, std::size_t start, const std::string& before)
{
    const std::size_t found = start == text.npos ? text.npos : text.find(before, start);
    if (found == text.npos) {
        return "";
    }
    const std::size_t begin = found + before.size();
    return text.substr(begin, text.find('"', begin) - begin);
}

/// The version="..." of the topology element. hwloc 1 wrote none.
std::string format_of(const std::string& text)
{
    const std::size_t begin = text.find("<topology");
    const std::size_t end = text.find('>', begin == text.npos ? 0 : begin);
    const std::string head = begin == text.npos ? "" : text.substr(begin, end - begin);
    return quoted_after(head, 0, "version=\"");
}

std::string reader_version()
{
    const unsigned version = hwloc_get_api_version();
    return std::to_string(version >> 16) + "." + std::to_string((version >> 8) & 0xff);
}

/// Why hwloc may have refused the text: of which hwloc it is, and which one read it.
std::string explain(const std::string& text)
{
    const std::string format = format_of(text);
    const std::string writer = quoted_after(text, 0, "name=\"hwlocVersion\" value=\"");
    std::string words = "written by hwloc " + (!writer.empty()  ? writer
                                               : format.empty() ? "1, or by no hwloc"
                                                                : format.substr(0, format.find('.')));
    words += ", format " + (format.empty() ? "1" : format) + ", read by hwloc " + reader_version();
    if (format.substr(0, format.find('.')) != std::to_string(hwloc_get_api_version() >> 16)) {
        words +=
            ": record the machine with the lstopo of hwloc " + std::to_string(hwloc_get_api_version() >> 16);
    }
    return words;
}

machine load_text(const std::string& text, const std::string& source, const std::string& not_a_topology)
{
    const hwloc_handle topology = new_topology();
    if (text.size() >= static_cast<std::size_t>(std::numeric_limits<int>::max()) ||
        hwloc_topology_set_xmlbuffer(topology.get(), text.c_str(), static_cast<int>(text.size() + 1)) != 0) {
        throw topology_error(not_a_topology);
    }
    if (hwloc_topology_load(topology.get()) != 0) {
        throw topology_error("hwloc cannot load " + source + ": " + std::strerror(errno) + " (" +
                             explain(text) + ")");
    }
    return read_machine(topology.get(), source);
}

} // namespace

machine load_xml(const std::string& path)
{
    return load_text(read_file(path), "file " + path,
                     "'" + path + "' is not an hwloc topology (record one with: lstopo --of xml FILE.xml)");
}

machine load_xml_text(const std::string& text)
{
    return load_text(text, "text", "the text is not an hwloc topology");
}

machine load_synthetic(const std::string& description)
{
    const std::string source = "synthetic " + description;
    if (std::optional<machine> regular = regular_machine(description)) {
        regular->source = source;
        return *std::move(regular);
    }
    const hwloc_handle topology = new_topology();
    if (hwloc_topology_set_synthetic(topology.get(), description.c_str()) != 0) {
        throw topology_error("'" + description +
                             "' is not an hwloc synthetic topology such as package:2 core:8 pu:2");
    }
    if (hwloc_topology_load(topology.get()) != 0) {
        throw topology_error("hwloc cannot load " + source + ": " + std::strerror(errno));
    }
    return read_machine(topology.get(), source);
}

} // namespace rankfold::topology
