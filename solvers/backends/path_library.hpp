#pragma once

/// The part of PATH's C interface that the backend uses (the same in 4.7 and 5.0), and the library
/// itself, loaded at run time.

#include <string>

namespace touchstone {

// --- The library's C interface

struct PathMcp;      // opaque
struct PathOptions;  // opaque

struct PathInterface {
  void* data;
  void (*problem_size)(void* data, int* n, int* nnz);
  void (*bounds)(void* data, int n, double* z, double* l, double* u);
  int (*function)(void* data, int n, double* z, double* F);  // returns domain violations
  int (*jacobian)(void* data, int n, double* z, int want_F, double* F, int* nnz, int* column,
                  int* length, int* row, double* value);  // columns, indices from 1
  void* unused[6];  // Hessian, start, finish, names of variables and rows, basis: optional
};

struct PathOutput {
  void* data;
  void (*print)(void* data, int mode, char* message);
  void (*flush)(void* data, int mode);
};

struct PathInformation {
  double residual, distance, steplength, total_time, basis_time, maximum_distance;
  int major_iterations, minor_iterations, crash_iterations, function_evaluations,
      jacobian_evaluations, gradient_steps, restarts;
  int generate_output, generated_output;
  int forward, backtrace, gradient;
  int use_start, use_basics, used_start, used_basics;
  char room[256];  // should a later version have more to say
};

enum PathTermination {
  path_solved = 1,
  path_no_progress,
  path_major_limit,
  path_minor_limit,
  path_time_limit,
  path_interrupt,
  path_bound_error,
  path_domain_error,
  path_infeasible,
  path_error,
  path_reduced,
  path_license_error
};

constexpr int path_lcp = 1;  // problem class of a linear F

/// The functions used, or why there are none.
struct PathLibrary {
  std::string unavailable;
  const char* (*version)() = nullptr;
  int (*check_license)(int n, int nnz) = nullptr;
  void (*set_license)(const char*) = nullptr;
  void (*set_output)(PathOutput*) = nullptr;
  PathOptions* (*options_create)() = nullptr;
  void (*options_destroy)(PathOptions*) = nullptr;
  void (*options_add)(PathOptions*) = nullptr;
  void (*options_default)(const PathOptions*) = nullptr;
  int (*options_set)(const PathOptions*, const char*) = nullptr;
  PathMcp* (*mcp_create)(int n, int nnz) = nullptr;
  void (*mcp_destroy)(PathMcp*) = nullptr;
  void (*mcp_interface)(PathMcp*, PathInterface*) = nullptr;
  void (*mcp_constant_structure)(PathMcp*, int) = nullptr;
  double* (*mcp_z)(PathMcp*) = nullptr;
  void (*problem_class)(PathMcp*, int) = nullptr;
  int (*solve)(PathMcp*, PathInformation*) = nullptr;

  PathLibrary();

 private:
  void* open();
  void load(void* handle);
  template <class Function>
  void find(void* handle, const char* name, Function& function);
};

/// Loaded at the first call, which costs less than a millisecond.
const PathLibrary& path_library();

}  // namespace touchstone
