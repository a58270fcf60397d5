#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "geometry/contact_points.hpp"
#include "geometry/shapes.hpp"

namespace touchstone {

/// A face of a polytope (vertex, edge or facet) that meets another body, in world coordinates, seen
/// along a direction.
struct Face {
  std::vector<int> vertices;   // 1, 2 or a loop
  std::vector<Vec3> points;    // theirs, in the world
  Vec3 normal = Vec3::Zero();  // of the facet, outward; zero for an edge or a vertex
  int id = 0;                  // its number among all faces of the polytope
};

/// How the faces of a set are numbered: features of contacts.
struct FaceNumbers {
  std::function<int(int, int)> edge;  // from its two vertices
  std::uint64_t faces;                // how many numbers there are
};
FaceNumbers polytope_numbers(const Polytope& P);
/// Vertices, edges and the face of one loop of at most 64 points, as supporting_face() of a general
/// set numbers them.
FaceNumbers loop_numbers();

/// The face of P that lies farthest along d (world, unit). Of the facets (else edges) at the
/// farthest vertex, the one that is most nearly square to d, when it is tilted by at most the angle
/// with the given cosine; else the vertex.
Face supporting_face(const Polytope& P, const Pose& pose, const Vec3& d, double cosine);

/// The same for any set, from its supporting_points().
Face supporting_face(const ConvexSet& set, const Pose& pose, const Vec3& d, double cosine);

/// Number of vertex v, of edge (v, w), of facet f among all faces of P: vertices (as they are),
/// edges, facets.
int vertex_id(const Polytope& P, int v);
int edge_id(const Polytope& P, int v, int w);
int facet_id(const Polytope& P, int f);
/// One number for a pair of faces.
int pair_id(const FaceNumbers& B, int face_a, int face_b);
int pair_id(const Polytope& B, int face_a, int face_b);

/// The vertices of the common part of two faces when both are projected along n (unit, from B to
/// A): vertices of one inside the other, and crossings of their edges. The points of one candidate
/// lie on the two faces, on one line along n. Points nearer than 1e-9 `scale` are one.
std::vector<ContactPoint> contact_region(int dim, const Face& face_a, const FaceNumbers& A,
                                         const Face& face_b, const FaceNumbers& B, const Vec3& n,
                                         double scale);

}  // namespace touchstone
