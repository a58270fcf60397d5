# Writes OUTPUT (a .cpp file) with what a record must say about the code that made it: the commit, and a
# hash over the sources, which decides whether a result on disk is still that of this code.
file(GLOB_RECURSE sources RELATIVE ${ROOT} ${ROOT}/geometry/*.?pp ${ROOT}/solvers/*.?pp
     ${ROOT}/formulations/*.?pp ${ROOT}/experiments/*.?pp ${ROOT}/experiments/scenes/*.toml)
list(SORT sources)
set(all "")
foreach(source ${sources})
  file(SHA256 ${ROOT}/${source} hash)
  string(APPEND all "${source} ${hash}\n")
endforeach()
string(SHA256 hash "${all}")
string(SUBSTRING ${hash} 0 16 hash)

set(commit "unknown")
find_package(Git QUIET)
if(GIT_FOUND)
  execute_process(COMMAND ${GIT_EXECUTABLE} -C ${ROOT} describe --always --abbrev=40 --dirty=+changes
                          --exclude=*
                  OUTPUT_VARIABLE answer OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET
                  RESULT_VARIABLE failed)
  if(NOT failed)
    set(commit ${answer})
  endif()
endif()
file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT [[
#include "experiments/harness/provenance.hpp"

namespace touchstone {
const char* commit() { return "@commit@"; }
const char* source_hash() { return "@hash@"; }
}  // namespace touchstone
]])
