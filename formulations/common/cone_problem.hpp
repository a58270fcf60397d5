#pragma once

#include "formulations/common/contacts.hpp"

namespace touchstone {

/// The contacts of one step as an exact-cone problem in impulses r = (p_n, p_t, p_o) per contact,
/// planar (p_n, p_t): u = Wr + q with W the Delassus matrix (sparse) and q the free velocities, ψ/h
/// added in the normal rows. This is the class of FCLIB: isotropic friction, so e_t = e_o = 1 and
/// no torsion (InputError otherwise).
FrictionContact cone_problem(const Configuration& configuration, const State& state, double h);

}  // namespace touchstone
