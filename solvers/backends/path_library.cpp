#include "solvers/backends/path_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <vector>

namespace touchstone {

namespace {

constexpr const char* hint =
    "get PATH from its authors (Ferris, Munson; a size-limited one is ampl/pathlib on GitHub) and "
    "set TOUCHSTONE_PATH_LIBRARY to the shared library";

}  // namespace

PathLibrary::PathLibrary() {
  if (void* handle = open()) load(handle);
}

template <class Function>
void PathLibrary::find(void* handle, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(handle, name));
  if (!function && unavailable.empty())
    unavailable = fmt::format("the library found is not PATH: it has no {}; {}", name, hint);
}

void* PathLibrary::open() {
  if (const char* file = std::getenv("TOUCHSTONE_PATH_LIBRARY"); file && *file) {
    void* handle = dlopen(file, RTLD_LAZY | RTLD_LOCAL);
    if (!handle) unavailable = fmt::format("TOUCHSTONE_PATH_LIBRARY: {}", dlerror());
    return handle;
  }
  for (const std::string& name :
       std::vector<std::string>{"libpath50.so", "libpath47.so", "libpath.so", "libpath50.dylib",
                                "libpath47.dylib", "libpath.dylib"}) {
    if (void* handle = dlopen(name.c_str(), RTLD_LAZY | RTLD_LOCAL)) {
      unavailable.clear();
      return handle;
    }
    const std::string cause = dlerror();  // "FILE: …", another FILE when the library needs that one
    if (!cause.starts_with(name + ":") && unavailable.empty())
      unavailable = fmt::format("PATH's {} does not load: {}", name, cause);
  }
  if (unavailable.empty()) unavailable = fmt::format("no PATH library is installed; {}", hint);
  return nullptr;
}

void PathLibrary::load(void* handle) {
  find(handle, "Path_Version", version);
  find(handle, "Path_CheckLicense", check_license);
  find(handle, "License_SetString", set_license);
  find(handle, "Output_SetInterface", set_output);
  find(handle, "Options_Create", options_create);
  find(handle, "Options_Destroy", options_destroy);
  find(handle, "Path_AddOptions", options_add);
  find(handle, "Options_Default", options_default);
  find(handle, "Options_Set", options_set);
  find(handle, "MCP_Create", mcp_create);
  find(handle, "MCP_Destroy", mcp_destroy);
  find(handle, "MCP_SetInterface", mcp_interface);
  find(handle, "MCP_Jacobian_Structure_Constant", mcp_constant_structure);
  find(handle, "MCP_GetX", mcp_z);
  find(handle, "Path_SetProblemClass", problem_class);
  find(handle, "Path_Solve", solve);
}

const PathLibrary& path_library() {
  static const PathLibrary loaded;
  return loaded;
}

}  // namespace touchstone
