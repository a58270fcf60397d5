#pragma once

#include <stdexcept>
#include <string>

namespace touchstone {

/// The user gave something that cannot be used. The message names the place (file, line, key), the
/// value and what was expected; the command line prints it as it stands and exits with code 2.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace touchstone
