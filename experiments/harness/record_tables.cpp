#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "experiments/harness/bodies.hpp"
#include "experiments/harness/record.hpp"

namespace touchstone {

namespace {

using Buffer = fmt::memory_buffer;

template <class... Values>
void print(Buffer& to, fmt::format_string<Values...> format, Values&&... values) {
  fmt::format_to(std::back_inserter(to), format, std::forward<Values>(values)...);
}

/// No NaN or infinity reaches a file: a failed solve leaves its cell empty.
std::string finite_or_empty(double value) {
  return std::isfinite(value) ? fmt::format("{}", value) : std::string();
}

std::vector<const char*> trajectory_columns(int dim) {
  if (dim == 2) return {"x", "y", "theta", "vx", "vy", "w"};
  return {"x", "y", "z", "qw", "qx", "qy", "qz", "vx", "vy", "vz", "wx", "wy", "wz"};
}

}  // namespace

std::string Record::trajectory_table() const {
  Buffer text;
  print(text, "t");
  for (const int i : world_.moving())
    for (const char* column : trajectory_columns(world_.dim()))
      print(text, ",{}.{}", world_.body(i).name, column);
  print(text, "\n");
  for (std::size_t row = 0; row < trajectory_.size(); ++row) {
    if (!kept_[row]) continue;
    const State& state = trajectory_[row];
    print(text, "{}", state.t);
    for (const int i : world_.moving()) {
      for (int k = 0; k < world_.coordinates(); ++k)
        print(text, ",{}", state.q[world_.coordinate_offset(i) + k]);
      for (int k = 0; k < world_.dof(); ++k)
        print(text, ",{}", state.nu[world_.velocity_offset(i) + k]);
    }
    print(text, "\n");
  }
  return fmt::to_string(text);
}

std::string Record::contacts_table() const {
  Buffer text;
  print(text, "t,contact,gap,p_n,p_t,p_o,p_r,slip,mode\n");
  for (const ContactRow& row : contacts_)
    print(text, "{},{},{},{},{},{},{},{},{}\n", row.t, row.contact, row.gap, row.p_n, row.p_t,
          row.p_o, row.p_r, row.slip, to_string(row.mode));
  return fmt::to_string(text);
}

std::string Record::energy_table() const {
  Buffer text;
  print(text,
        "t,kinetic,potential,elastic,total,work_applied,work_normal,work_friction,work_joints,"
        "work_numerical\n");
  for (std::size_t k = 0; k < energy_.size(); ++k) {
    if (!kept_[k]) continue;
    const EnergyRow& row = energy_[k];
    print(text, "{},{},{},{},{},{},{},{},{},{}\n", row.t, row.kinetic, row.potential, row.elastic,
          row.total, row.work_applied, row.work_normal, row.work_friction, row.work_joints,
          row.work_numerical);
  }
  return fmt::to_string(text);
}

std::string Record::steps_table() const {
  Buffer text;
  print(text, "t,status,residual,iterations,solve_us,step_us\n");
  for (const StepRow& row : steps_)
    print(text, "{},{},{},{},{:.3f},{:.3f}\n", row.t, to_string(row.status),
          finite_or_empty(row.residual), row.iterations, row.solve_us, row.step_us);
  return fmt::to_string(text);
}

std::string Record::oracle_table(const Oracle& oracle) const {
  Buffer text;
  print(text, "t,{}\n", fmt::join(oracle.columns, ","));
  for (std::size_t k = 0; k < energy_.size(); ++k)
    if (kept_[k]) print(text, "{},{}\n", energy_[k].t, fmt::join(oracle.values(energy_[k].t), ","));
  return fmt::to_string(text);
}

std::map<std::string, std::string> Record::tables() const {
  return {{"bodies.json", bodies_json(world_)},
          {"trajectory.csv", trajectory_table()},
          {"contacts.csv", contacts_table()},
          {"energy.csv", energy_table()},
          {"steps.csv", steps_table()}};
}

}  // namespace touchstone
