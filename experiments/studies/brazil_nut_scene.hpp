#pragma once

/// The Brazil nut: a container of many small grains and one large one, shaken up and down.

#include "formulations/common/world.hpp"

namespace touchstone {

struct BrazilNut {
  int dim = 2;
  int grains = 200;
  int columns = 0;  // width of the container, in grains; 0: so that the bed is as high as wide
  int seed = 1;
  double radius = 0.02;    // [m] of the largest circle or ball that a grain fits into
  double nut = 4.5;        // [1] radius of the nut over that of the grains
  double strength = 3.0;   // [1] peak acceleration of the container over gravity
  double frequency = 3.0;  // [Hz]
  double start = 0.5;      // [s] when the shaking begins; the grains settle before
};

/// Body 0 is the nut, on the floor in the middle; the grains follow, on a grid around and above it,
/// then the fixed walls. Grains are random polygons of 5 to 8 corners, or hulls of 8 to 12 random
/// points; the nut is a regular polygon of 10 corners, or the hull of 20 points spread over a
/// sphere. All have the same density, and no two touch at the start.
World brazil_nut(const BrazilNut& data, const FrictionLaw& law);

/// Distance between opposite walls [m].
double container_width(const BrazilNut& data);

}  // namespace touchstone
