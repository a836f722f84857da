#!/usr/bin/env bash
# Opens the files of `test_vtk write`, `test_points write`, `test_ply write` and `test_body_mesh write` with VTK's own readers and compares every value.
# Usage: test_vtk_reader.sh SOURCE_DIR BUILD_DIR. Exits 77 (skipped) without Debian's python3-vtk9.
set -euo pipefail
build=$2
python=/usr/bin/python3
"$python" -c 'import vtk' 2>/dev/null || { echo "skipped: $python has no vtk module (Debian: python3-vtk9)"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for program in test_vtk test_points test_ply; do "$build/$program" write "$folder"; done
beam=$("$build/test_body_mesh" write "$folder") # nodes and elements of the first body
"$python" - "$folder" $beam <<'PYTHON'
import sys
import xml.etree.ElementTree as tree
import vtk

folder = sys.argv[1]
failures = []


def check(what, found, expected):
    if found != expected:
        failures.append(f"{what}: found {found}, expected {expected}")


def read(reader, name):
    messages = []
    reader.AddObserver("ErrorEvent", lambda *_: messages.append("reader error"))
    reader.SetFileName(f"{folder}/{name}")
    reader.Update()
    check(name + " messages", messages, [])
    return reader.GetOutput()


def time_of(data):
    return data.GetFieldData().GetArray("TimeValue").GetValue(0)


image = read(vtk.vtkXMLImageDataReader(), "a.vti")
check("extent", image.GetExtent(), (2, 6, -1, 2, 0, 2))
check("origin", image.GetOrigin(), (-1.0, 0.1, 2.0))
check("spacing", image.GetSpacing(), (0.1, 0.1, 0.1))
check("time", time_of(image), 1.0 / 3.0)
check("cells", image.GetNumberOfCells(), 24)
level, velocity = (image.GetCellData().GetArray(n) for n in ("level <m>", "velocity"))
check("components", (level.GetNumberOfComponents(), velocity.GetNumberOfComponents()), (1, 3))
cell = 0
for k in range(0, 2):
    for j in range(-1, 2):
        for i in range(2, 6):
            check(f"level {i} {j} {k}", level.GetValue(cell), i + 10.0 * j + 100.0 * k)
            check(f"velocity {cell}", velocity.GetTuple3(cell), (cell, cell + 0.25, cell + 0.5))
            cell += 1
# the lower corner of cell (2,-1,0) is origin + (2,-1,0) dx
check("corner", [round(v, 12) for v in image.GetPoint(0)], [-0.8, 0.0, 2.0])

small = read(vtk.vtkXMLImageDataReader(), "b.vti")
check("second frame's extent", small.GetExtent(), (2, 3, -1, 0, 0, 1))
check("second frame's time", time_of(small), 0.5)

surface = read(vtk.vtkXMLPolyDataReader(), "surface.vtp")
check("points, triangles", (surface.GetNumberOfPoints(), surface.GetNumberOfPolys()), (4, 4))
check("last point", surface.GetPoint(3), (0.0, 0.0, 1.0 / 3.0))
check("surface time", time_of(surface), 1.0 / 3.0)
triangles = [tuple(surface.GetCell(t).GetPointId(c) for c in range(3)) for t in range(4)]
check("triangles", triangles, [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)])
heat, color = surface.GetPointData().GetArray("heat"), surface.GetCellData().GetArray("color")
check("heat", [heat.GetValue(i) for i in range(4)], [0.0, 0.5, 1.0, 1.5])
check("color", [color.GetTuple3(i) for i in range(4)], [(10.0 * i, 10.0 * i + 1, 10.0 * i + 2) for i in range(4)])

count = 3000
cloud = read(vtk.vtkXMLPolyDataReader(), "points.vtp")
check("particles, vertices", (cloud.GetNumberOfPoints(), cloud.GetNumberOfVerts(), cloud.GetNumberOfCells()), (count,) * 3)
check("particles' time", time_of(cloud), 1.0 / 3.0)
number, velocity = (cloud.GetPointData().GetArray(n) for n in ("id", "velocity"))
check("kinds", (number.GetDataTypeAsString(), velocity.GetDataTypeAsString()), ("unsigned int", "float"))
for i in range(count):
    place = tuple(o + 0.125 * (0.25 * (i % 1000) + a) for a, o in enumerate((-1.0, 0.5, 2.0)))
    check(f"particle {i}", cloud.GetPoint(i), place)
    check(f"velocity of particle {i}", velocity.GetTuple3(i), (float(i), i - 10.0, i - 20.0))
    check(f"id of particle {i}", number.GetValue(i), 2**32 - 1 - 7 * i)
for i in (0, 1, 2047, 2048, count - 1):
    check(f"vertex cell {i}", (cloud.GetCellType(i), cloud.GetCell(i).GetPointId(0)), (vtk.VTK_VERTEX, i))
none = read(vtk.vtkXMLPolyDataReader(), "none.vtp")
check("no particles", (none.GetNumberOfPoints(), none.GetNumberOfCells()), (0, 0))
again = read(vtk.vtkPLYReader(), "points.ply")
check("particles of the PLY", [again.GetPoint(i) for i in range(count)], [cloud.GetPoint(i) for i in range(count)])

moving, copy = read(vtk.vtkXMLPolyDataReader(), "moving.vtp"), read(vtk.vtkPLYReader(), "moving.ply")
corners = moving.GetNumberOfPoints()
velocity = moving.GetPointData().GetArray("velocity")
check("moving surface", (corners, moving.GetNumberOfPolys(), velocity.GetNumberOfComponents()), (8, 12, 3))
for i in range(corners):
    check(f"velocity of corner {i}", velocity.GetTuple3(i), tuple(2.0 * x for x in moving.GetPoint(i)))
    check(f"corner {i} of the PLY", copy.GetPoint(i), moving.GetPoint(i))
faces = [[tuple(s.GetCell(t).GetPointId(c) for c in range(3)) for t in range(s.GetNumberOfCells())] for s in (moving, copy)]
check("faces of the PLY", faces[1], faces[0])

# Two bodies: tetrahedra of 4 nodes, then of 10, whose nodes at the edges lie where VTK looks for them.
bodies = read(vtk.vtkXMLUnstructuredGridReader(), "bodies.vtu")
nodes, elements = int(sys.argv[2]), int(sys.argv[3])
check("time of the bodies", time_of(bodies), 0.02)
kinds = [bodies.GetCellType(c) for c in range(bodies.GetNumberOfCells())]
check("kinds of elements", kinds, [vtk.VTK_TETRA] * elements + [vtk.VTK_QUADRATIC_TETRA] * (len(kinds) - elements))
body = bodies.GetCellData().GetArray("body")
check("body", (body.GetDataTypeAsString(), [body.GetValue(c) for c in range(len(kinds))]),
      ("int", [0] * elements + [1] * (len(kinds) - elements)))
displacement, velocity = (bodies.GetPointData().GetArray(n) for n in ("displacement", "velocity"))
stress, mises = (bodies.GetCellData().GetArray(n) for n in ("stress", "von_mises"))
check("components", [a.GetNumberOfComponents() for a in (displacement, velocity, stress, mises)], [3, 3, 6, 1])
block = [[float(word) for word in line.split()] for line in open(f"{folder}/bodies.txt")]
check("nodes of the block", bodies.GetNumberOfPoints() - nodes, len(block))
for i, line in enumerate(block):
    check(f"place of node {i}", list(bodies.GetPoint(nodes + i)), line[:3])
    check(f"velocity of node {i}", [abs(a - b) < 1e-6 for a, b in zip(velocity.GetTuple3(nodes + i), line[3:])], [True] * 3)
size = 0.0
for c in range(elements, len(kinds)):
    cell = bodies.GetCell(c)
    for e in range(6):
        edge = cell.GetEdge(e)
        rest = [[x - u for x, u in zip(edge.GetPoints().GetPoint(k), displacement.GetTuple3(edge.GetPointId(k)))]
                for k in range(3)]
        middle = [0.5 * (a + b) for a, b in zip(rest[0], rest[1])]
        check(f"edge {e} of element {c}", all(abs(a - b) < 1e-6 for a, b in zip(middle, rest[2])), True)
    corners = [[x - u for x, u in zip(bodies.GetPoint(i), displacement.GetTuple3(i))]
               for i in (cell.GetPointId(k) for k in range(4))]
    size += vtk.vtkTetra.ComputeVolume(*corners)
check("volume of the block at rest", abs(size - 0.008) < 1e-7, True)
for c in range(len(kinds)):
    xx, yy, zz, xy, yz, xz = stress.GetTuple(c)
    square = 0.5 * ((xx - yy) ** 2 + (yy - zz) ** 2 + (zz - xx) ** 2) + 3 * (xy * xy + yz * yz + xz * xz)
    check(f"stress of element {c}", abs(mises.GetValue(c) - square**0.5) < 1e-5 * (1 + square**0.5), True)
skin = read(vtk.vtkXMLPolyDataReader(), "bodies.vtp")
edges = vtk.vtkFeatureEdges()
edges.SetInputData(skin)
edges.FeatureEdgesOff()
edges.Update()
check("open edges of the surface", edges.GetOutput().GetNumberOfCells(), 0)
check("its bodies", sorted({skin.GetCellData().GetArray("body").GetValue(t) for t in range(skin.GetNumberOfPolys())}), [0, 1])

entries = [(float(e.get("timestep")), e.get("file")) for e in tree.parse(f"{folder}/list.pvd").getroot().iter("DataSet")]
check("PVD", entries, [(1.0 / 3.0, "a.vti"), (0.5, "b.vti")])
for time, name in entries:
    check(name, time_of(read(vtk.vtkXMLImageDataReader(), name)), time)

print("\n".join(failures) if failures else "VTK reads what was written")
sys.exit(1 if failures else 0)
PYTHON
