#!/usr/bin/env bash
# Opens the files of `test_vtk write` with VTK's own readers and compares every value.
# Usage: test_vtk_reader.sh SOURCE_DIR BUILD_DIR. Exits 77 (skipped) without Debian's python3-vtk9.
set -euo pipefail
build=$2
python=/usr/bin/python3
"$python" -c 'import vtk' 2>/dev/null || { echo "skipped: $python has no vtk module (Debian: python3-vtk9)"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$build/test_vtk" write "$folder"
"$python" - "$folder" <<'PYTHON'
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

entries = [(float(e.get("timestep")), e.get("file")) for e in tree.parse(f"{folder}/list.pvd").getroot().iter("DataSet")]
check("PVD", entries, [(1.0 / 3.0, "a.vti"), (0.5, "b.vti")])
for time, name in entries:
    check(name, time_of(read(vtk.vtkXMLImageDataReader(), name)), time)

print("\n".join(failures) if failures else "VTK reads what was written")
sys.exit(1 if failures else 0)
PYTHON
