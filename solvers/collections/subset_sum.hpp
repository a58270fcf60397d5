#pragma once

/// Baraff's reduction of subset sum to contact forces with dynamic friction (thesis 1992, chapter
/// 11), which makes the question whether finite forces exist NP-hard.

#include <vector>

#include "solvers/problem.hpp"

namespace touchstone {

/// Rods of masses m_i and two end rods of mass 1 on a base of mass 100, μ = 3/4; a load μS
/// acts on the base. Unknowns (f_1 … f_k, e_1, e_2), accelerations of the contacts
///     a_i  = 1 − f_i/m_i                     so that f_i = 0 or f_i = m_i, (1) a_E1 = −e_1 +
///     p/100,   a_E2 = −e_2 − p/100,   p = μ(S − Σf_i) + e_1 − e_2.                (2)
/// (2) has e_1 = e_2 = 0 for Σf_i = S and no solution otherwise: one solution per subset of the
/// masses with the sum S. InputError unless every mass is positive.
Lcp subset_sum(const std::vector<double>& masses, double sum);

/// How many subsets of whole masses have the sum, by the recursion over masses and partial sums,
/// O(k S): the count that the solutions are compared with.
long count_subsets(const std::vector<double>& masses, long sum);

}  // namespace touchstone
