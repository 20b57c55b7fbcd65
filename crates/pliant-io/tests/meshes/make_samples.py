"""Makes the sample meshes of this folder and the table of README.md.

    python3 -m venv samples && samples/bin/pip install gmsh meshio pyvista
    apt install tetgen
    samples/bin/python make_samples.py

Two unit cubes side by side, one region each, are meshed by Gmsh and TetGen, and written by Gmsh,
meshio and VTK in every form that the readers know. Counts come from the programs that made the
meshes, volumes and areas from geometry.
"""

import os
import struct
import subprocess

import gmsh
import meshio
import numpy as np
import pyvista
import vtk

HERE = os.path.dirname(os.path.abspath(__file__))
os.chdir(HERE)
ROWS = []


def row(name, maker, nodes, elements, measure, regions):
    """A line of the table: counts by kind, volume or area, and the regions of the largest
    dimension."""
    counts = " ".join(f"{kind}:{count}" for kind, count in elements.items())
    regions = " ".join(str(region) for region in sorted(regions))
    ROWS.append(f"| {name} | {maker} | {nodes} | {counts} | {measure:g} | {regions} |")


def refused(name, maker, why):
    ROWS.append(f"| {name} | {maker} | refused | {why} | | |")


# ---------------------------------------------------------------------------------------------
# Gmsh

KINDS = {
    1: "Line2",
    2: "Triangle3",
    3: "Quad4",
    4: "Tetrahedron4",
    9: "Triangle6",
    10: "Quad9",
    11: "Tetrahedron10",
    17: "Brick20",
}


def gmsh_counts(dimensions):
    counts = {}
    for dimension in dimensions:
        types, tags, _ = gmsh.model.mesh.getElements(dimension)
        for kind, members in zip(types, tags):
            if kind in KINDS:
                counts[KINDS[kind]] = len(members)
    return counts


def save(name, version, binary, everything=0):
    gmsh.option.setNumber("Mesh.MshFileVersion", version)
    gmsh.option.setNumber("Mesh.Binary", binary)
    gmsh.option.setNumber("Mesh.SaveAll", everything)
    gmsh.write(name)


def two_cubes(size):
    gmsh.model.add("two cubes")
    first = gmsh.model.occ.addBox(0, 0, 0, 1, 1, 1)
    second = gmsh.model.occ.addBox(1, 0, 0, 1, 1, 1)
    gmsh.model.occ.fragment([(3, first)], [(3, second)])
    gmsh.model.occ.synchronize()
    gmsh.option.setNumber("Mesh.MeshSizeMin", size)
    gmsh.option.setNumber("Mesh.MeshSizeMax", size)


def node_count():
    return len(gmsh.model.mesh.getNodes()[0])


gmsh.initialize()
gmsh.option.setNumber("General.Terminal", 0)
gmsh.option.setNumber("General.NumThreads", 1)

two_cubes(1.0)
gmsh.model.addPhysicalGroup(3, [1], 7, "left")
gmsh.model.addPhysicalGroup(3, [2], 9, "right")
gmsh.model.mesh.generate(3)
counts = gmsh_counts([3])
nodes = node_count()
for version in [2.2, 4.1]:
    for binary in [0, 1]:
        name = f"gmsh_{str(version).replace('.', '')}{'_binary' if binary else ''}.msh"
        save(name, version, binary)
        row(name, "Gmsh", nodes, counts, 2, [7, 9])
save("gmsh_41_all.msh", 4.1, 1, everything=1)
row("gmsh_41_all.msh", "Gmsh, all entities", nodes, gmsh_counts([1, 2, 3]), 2, [7, 9])

# Bytes in the other order, by the description of the format in the manual of Gmsh: no program at
# hand writes them on a machine of today.
tags, coordinates, _ = gmsh.model.mesh.getNodes()
coordinates = coordinates.reshape(-1, 3)
volumes = []
for entity, group in [(1, 7), (2, 9)]:
    _, [elements], [corners] = gmsh.model.mesh.getElements(3, entity)
    volumes.append((entity, group, elements, corners.reshape(-1, 4)))
with open("gmsh_22_big_endian.msh", "wb") as out:
    out.write(b"$MeshFormat\n2.2 1 8\n" + struct.pack(">i", 1) + b"\n$EndMeshFormat\n")
    out.write(b"$Nodes\n%d\n" % nodes)
    for tag, position in zip(tags, coordinates):
        out.write(struct.pack(">i3d", tag, *position))
    out.write(b"\n$EndNodes\n$Elements\n%d\n" % sum(len(v[2]) for v in volumes))
    for entity, group, elements, corners in volumes:
        out.write(struct.pack(">3i", 4, len(elements), 2))
        for element, four in zip(elements, corners):
            out.write(struct.pack(">7i", element, group, entity, *four))
    out.write(b"\n$EndElements\n")
row("gmsh_22_big_endian.msh", "make_samples.py", nodes, counts, 2, [7, 9])
with open("gmsh_41_big_endian.msh", "wb") as out:
    out.write(b"$MeshFormat\n4.1 1 8\n" + struct.pack(">i", 1) + b"\n$EndMeshFormat\n")
    out.write(b"$Entities\n" + struct.pack(">4Q", 0, 0, 0, 2))
    for entity, group, _, _ in volumes:
        out.write(struct.pack(">i6dQiQ", entity, 0, 0, 0, 2, 1, 1, 1, group, 0))
    out.write(b"\n$EndEntities\n$Nodes\n")
    out.write(struct.pack(">4Q", 1, nodes, tags.min(), tags.max()))
    out.write(struct.pack(">3iQ", 3, 1, 0, nodes) + tags.astype(">u8").tobytes())
    out.write(coordinates.astype(">f8").tobytes() + b"\n$EndNodes\n$Elements\n")
    total = sum(len(v[2]) for v in volumes)
    out.write(struct.pack(">4Q", 2, total, 1, total))
    for entity, _, elements, corners in volumes:
        out.write(struct.pack(">3iQ", 3, entity, 4, len(elements)))
        rows = np.column_stack([elements, corners])
        out.write(rows.astype(">u8").tobytes())
    out.write(b"\n$EndElements\n")
row("gmsh_41_big_endian.msh", "make_samples.py", nodes, counts, 2, [7, 9])

# Node numbers with gaps, out of order.
gmsh.model.mesh.renumberNodes(tags, [3 + 7 * (nodes - k) for k in range(nodes)])
for version in [2.2, 4.1]:
    name = f"gmsh_{str(version).replace('.', '')}_scattered.msh"
    save(name, version, 0)
    row(name, "Gmsh", nodes, counts, 2, [7, 9])

# An entity in two groups: version 2 writes its elements once for each.
gmsh.model.addPhysicalGroup(3, [1, 2], 11, "both")
for version in [2.2, 4.1]:
    name = f"gmsh_{str(version).replace('.', '')}_two_groups.msh"
    save(name, version, 0)
    row(name, "Gmsh", nodes, counts, 2, [7, 9])

# No groups at all: regions are the entities.
gmsh.model.removePhysicalGroups()
save("gmsh_41_no_groups.msh", 4.1, 0)
row("gmsh_41_no_groups.msh", "Gmsh", nodes, gmsh_counts([1, 2, 3]), 2, [1, 2])
save("gmsh_22_no_groups.msh", 2.2, 1)
row("gmsh_22_no_groups.msh", "Gmsh", nodes, gmsh_counts([1, 2, 3]), 2, [1, 2])

# Second order.
gmsh.model.mesh.setOrder(2)
save("tetrahedron10.msh", 4.1, 0)
row("tetrahedron10.msh", "Gmsh", node_count(), gmsh_counts([2, 3]), 2, [1, 2])


def bricks(order):
    gmsh.clear()
    gmsh.model.add("bricks")
    gmsh.model.occ.addBox(0, 0, 0, 1, 2, 3)
    gmsh.model.occ.synchronize()
    gmsh.model.mesh.setTransfiniteAutomatic(recombine=True)
    for _, curve in gmsh.model.getEntities(1):
        low = np.array(gmsh.model.getBoundingBox(1, curve))
        length = np.linalg.norm(low[3:] - low[:3])
        gmsh.model.mesh.setTransfiniteCurve(curve, 1 + round(length / 1.0) if length > 1.5 else 2)
    gmsh.option.setNumber("Mesh.SecondOrderIncomplete", 1)
    gmsh.model.addPhysicalGroup(3, [1], 5)
    gmsh.model.mesh.generate(3)
    gmsh.model.mesh.setOrder(order)


bricks(2)
for version, binary in [(2.2, 0), (2.2, 1), (4.1, 0), (4.1, 1)]:
    name = f"brick20_{str(version).replace('.', '')}{'_binary' if binary else ''}.msh"
    save(name, version, binary)
    row(name, "Gmsh", node_count(), gmsh_counts([3]), 6, [5])
save("brick20_all.msh", 4.1, 0, everything=1)
row("brick20_all.msh", "Gmsh, with faces of 8 nodes", node_count(), gmsh_counts([3]), 6, [5])
bricks(1)
save("refused_brick8.msh", 2.2, 0)
refused("refused_brick8.msh", "Gmsh", "hexahedron of 8 nodes")


def face(recombine, order, name, version, binary):
    gmsh.clear()
    gmsh.model.add("face")
    gmsh.model.occ.addRectangle(0, 0, 0, 3, 2)
    gmsh.model.occ.synchronize()
    gmsh.option.setNumber("Mesh.MeshSizeMin", 1.2)
    gmsh.option.setNumber("Mesh.MeshSizeMax", 1.2)
    gmsh.option.setNumber("Mesh.SecondOrderIncomplete", 0)
    gmsh.model.addPhysicalGroup(2, [1], 4)
    if recombine:
        gmsh.model.mesh.setTransfiniteAutomatic(recombine=True)
    gmsh.model.mesh.generate(2)
    gmsh.model.mesh.setOrder(order)
    save(name, version, binary)
    row(name, "Gmsh", node_count(), gmsh_counts([2]), 6, [4])


face(False, 1, "triangle3.msh", 4.1, 0)
face(False, 2, "triangle6.msh", 4.1, 0)
face(False, 2, "triangle6_binary.msh", 2.2, 1)
face(True, 1, "quad4.msh", 2.2, 0)
face(True, 2, "quad9.msh", 2.2, 0)
face(True, 2, "quad9_binary.msh", 4.1, 1)
gmsh.finalize()

# ---------------------------------------------------------------------------------------------
# meshio: the same tetrahedra, bricks and faces, with regions.


def region_only(mesh, name="region"):
    regions = mesh.cell_data["gmsh:physical"]
    return meshio.Mesh(mesh.points, mesh.cells, cell_data={name: [r.astype("i4") for r in regions]})


tets = region_only(meshio.read("gmsh_41.msh"))
tet_points = len(tets.points)
tet_counts = {"Tetrahedron4": sum(len(block.data) for block in tets.cells)}
for name, options in {
    "meshio_51.vtk": dict(file_format="vtk", binary=False),
    "meshio_51_binary.vtk": dict(file_format="vtk", binary=True),
    "meshio_42.vtk": dict(file_format="vtk42", binary=False),
    "meshio_42_binary.vtk": dict(file_format="vtk42", binary=True),
    "meshio.vtu": dict(file_format="vtu", binary=False),
    "meshio_zlib.vtu": dict(file_format="vtu", binary=True, compression="zlib"),
    "meshio_base64.vtu": dict(file_format="vtu", binary=True, compression=None),
    "meshio_22.msh": dict(file_format="gmsh22", binary=False),
    "meshio_22_binary.msh": dict(file_format="gmsh22", binary=True),
    "meshio_41_binary.msh": dict(file_format="gmsh", binary=True),
}.items():
    mesh = tets
    regions = [7, 9]
    if name.endswith(".msh"):
        together = np.concatenate([block.data for block in tets.cells])
        mesh = meshio.Mesh(tets.points, [("tetra", together)])
        regions = [0]
    if name == "meshio_22.msh":
        physical = [np.concatenate(tets.cell_data["region"]).astype("i4")]
        mesh.cell_data = {"gmsh:physical": physical, "gmsh:geometrical": physical}
        regions = [7, 9]
    meshio.write(name, mesh, **options)
    row(name, "meshio", tet_points, tet_counts, 2, regions)

for source, kind, measure, region in [
    ("brick20_41.msh", "Brick20", 6, 5),
    ("triangle6.msh", "Triangle6", 6, 4),
    ("quad9.msh", "Quad9", 6, 4),
]:
    mesh = region_only(meshio.read(source), "gmsh:physical")
    count = sum(len(block.data) for block in mesh.cells)
    for extension in ["vtk", "vtu"]:
        name = f"meshio_{kind.lower()}.{extension}"
        meshio.write(name, mesh, file_format="vtk42" if extension == "vtk" else "vtu")
        row(name, "meshio", len(mesh.points), {kind: count}, measure, [region])

# ---------------------------------------------------------------------------------------------
# VTK itself

grid = pyvista.from_meshio(tets)
grid.point_data["height"] = grid.points[:, 2]


def legacy(writer, name, data, version, binary):
    writer.SetInputData(data)
    writer.SetFileVersion(version)
    writer.SetFileName(name)
    (writer.SetFileTypeToBinary if binary else writer.SetFileTypeToASCII)()
    writer.Write()


for version in [42, 51]:
    for binary in [0, 1]:
        name = f"vtk_{version}{'_binary' if binary else ''}.vtk"
        legacy(vtk.vtkUnstructuredGridWriter(), name, grid, version, binary)
        row(name, "VTK", tet_points, tet_counts, 2, [7, 9])

for name, settings in {
    "vtk_ascii.vtu": "ascii none 32 little",
    "vtk_base64.vtu": "binary none 64 little",
    "vtk_base64_zlib.vtu": "binary zlib 32 little",
    "vtk_raw.vtu": "appended none 64 little raw",
    "vtk_raw_zlib.vtu": "appended zlib 64 little raw",
    "vtk_raw_big_endian.vtu": "appended none 32 big raw",
    "vtk_appended_base64.vtu": "appended none 32 little base64",
    "vtk_appended_base64_zlib.vtu": "appended zlib 64 big base64",
    "refused_lz4.vtu": "appended lz4 32 little raw",
}.items():
    settings = settings.split()
    writer = vtk.vtkXMLUnstructuredGridWriter()
    writer.SetFileName(name)
    writer.SetInputData(grid)
    writer.SetBlockSize(1024)
    {"ascii": writer.SetDataModeToAscii, "binary": writer.SetDataModeToBinary,
     "appended": writer.SetDataModeToAppended}[settings[0]]()
    {"none": writer.SetCompressorTypeToNone, "zlib": writer.SetCompressorTypeToZLib,
     "lz4": writer.SetCompressorTypeToLZ4}[settings[1]]()
    (writer.SetHeaderTypeToUInt32 if settings[2] == "32" else writer.SetHeaderTypeToUInt64)()
    (writer.SetByteOrderToBigEndian if settings[3] == "big"
     else writer.SetByteOrderToLittleEndian)()
    writer.SetEncodeAppendedData(settings[-1] == "base64")
    writer.Write()
    if name.startswith("refused"):
        refused(name, "VTK", "vtkLZ4DataCompressor")
    else:
        row(name, "VTK", tet_points, tet_counts, 2, [7, 9])

# ---------------------------------------------------------------------------------------------
# Surfaces: a box of 1 x 2 x 3 with six faces of four corners, or twelve triangles.

box = pyvista.Box(bounds=(0, 1, 0, 2, 0, 3)).clean()
box.clear_data()
triangles = box.triangulate()
AREA = 22
surface = {"Triangle3": 12}
for name, version, binary in [
    ("polydata_42.vtk", 42, 0),
    ("polydata_42_binary.vtk", 42, 1),
    ("polydata_51_binary.vtk", 51, 1),
]:
    legacy(vtk.vtkPolyDataWriter(), name, box, version, binary)
    row(name, "VTK", 8, surface, AREA, [0])
strips = triangles.strip()
legacy(vtk.vtkPolyDataWriter(), "polydata_strips.vtk", strips, 51, 0)
row("polydata_strips.vtk", "VTK", 8, surface, AREA, [0])

triangles.save("vtk_ascii.stl", binary=False)
row("vtk_ascii.stl", "VTK", 8, surface, AREA, [0])
triangles.save("vtk_binary.stl", binary=True)
row("vtk_binary.stl", "VTK", 8, surface, AREA, [0])
flat = meshio.Mesh(triangles.points, [("triangle", triangles.regular_faces)])
for binary in [False, True]:
    name = f"meshio{'_binary' if binary else ''}.stl"
    meshio.write(name, flat, binary=binary)
    row(name, "meshio", 8, surface, AREA, [0])
    name = f"meshio{'_binary' if binary else ''}.ply"
    meshio.write(name, flat, binary=binary)
    row(name, "meshio", 8, surface, AREA, [0])
for name, setting in [
    ("vtk_big_endian.ply", "SetDataByteOrderToBigEndian"),
    ("vtk_little_endian.ply", "SetDataByteOrderToLittleEndian"),
]:
    writer = vtk.vtkPLYWriter()
    writer.SetInputData(box)
    writer.SetFileName(name)
    getattr(writer, setting)()
    writer.Write()
    row(name, "VTK", 8, surface, AREA, [0])
writer = vtk.vtkOBJWriter()
textured = triangles.compute_normals(split_vertices=False)
textured.point_data.active_texture_coordinates = np.array(triangles.points[:, :2])
writer.SetInputData(textured)
writer.SetFileName("vtk.obj")
writer.Write()
row("vtk.obj", "VTK", 8, surface, AREA, [0])
meshio.write("meshio.obj", meshio.Mesh(box.points, [("quad", box.regular_faces)]))
row("meshio.obj", "meshio", 8, surface, AREA, [0])

# ---------------------------------------------------------------------------------------------
# TetGen: two cubes with a wall between them, and a region on either side.

with open("cubes.poly", "w") as out:
    corners = [(x, y, z) for x in (0, 1, 2) for y in (0, 1) for z in (0, 1)]
    out.write(f"{len(corners)} 3 0 0\n")
    for number, corner in enumerate(corners, 1):
        out.write(f"{number} {corner[0]} {corner[1]} {corner[2]}\n")
    at = {corner: number for number, corner in enumerate(corners, 1)}
    faces = []
    for x in (0, 1, 2):
        faces.append([(x, 0, 0), (x, 1, 0), (x, 1, 1), (x, 0, 1)])
    for x in (0, 1):
        for y in (0, 1):
            faces.append([(x, y, 0), (x + 1, y, 0), (x + 1, y, 1), (x, y, 1)])
        for z in (0, 1):
            faces.append([(x, 0, z), (x + 1, 0, z), (x + 1, 1, z), (x, 1, z)])
    out.write(f"{len(faces)} 1\n")
    for face_corners in faces:
        numbers = " ".join(str(at[corner]) for corner in face_corners)
        out.write(f"1 0 1\n4 {numbers}\n")
    out.write("0\n2\n1 0.5 0.5 0.5 7 0.2\n2 1.5 0.5 0.5 9 0.2\n")
for name, flags in [("tetgen_one", "-pqaAQ"), ("tetgen_zero", "-pqaAzQ"), ("tetgen_plain", "-pQB")]:
    subprocess.run(["tetgen", flags, "cubes.poly"], check=True, stdout=subprocess.DEVNULL)
    for extension in ["node", "ele"]:
        os.replace(f"cubes.1.{extension}", f"{name}.1.{extension}")
    for extension in ["face", "edge", "smesh", "mtr"]:
        if os.path.exists(f"cubes.1.{extension}"):
            os.remove(f"cubes.1.{extension}")
    nodes = int(open(f"{name}.1.node").readline().split()[0])
    elements = int(open(f"{name}.1.ele").readline().split()[0])
    regions = [0] if name == "tetgen_plain" else [7, 9]
    row(f"{name}.1.node", "TetGen", nodes, {"Tetrahedron4": elements}, 2, regions)
    row(f"{name}.1.ele", "TetGen", nodes, {"Tetrahedron4": elements}, 2, regions)
os.remove("cubes.poly")

# ---------------------------------------------------------------------------------------------
# VegaFEM: by the description of the format in its manual, with and without included files.

blocks = [block.data for block in tets.cells]
four = np.concatenate(blocks)
sides = np.concatenate(tets.cell_data["region"])
for name, first in [("vega_one.veg", 1), ("vega_zero.veg", 0)]:
    with open(name, "w") as out:
        out.write("# Vega mesh file.\n\n*VERTICES\n")
        out.write(f"{tet_points} 3 0 0\n")
        for number, point in enumerate(tets.points, first):
            out.write(f"{number} {point[0]:.17g} {point[1]:.17g} {point[2]:.17g}\n")
        out.write(f"\n*ELEMENTS\nTET\n{len(four)} 4 0\n")
        for number, corners in enumerate(four, first):
            out.write(f"{number} {' '.join(str(c + first) for c in corners)}\n")
        out.write("\n*MATERIAL soft\nENU, 1000, 1e5, 0.45\n")
        out.write("\n*MATERIAL hard\nENU, 1000, 1e7, 0.45\n")
        for side, label in [(7, "left"), (9, "right")]:
            members = np.flatnonzero(sides == side) + first
            lines = [", ".join(map(str, members[k:k + 8])) for k in range(0, len(members), 8)]
            out.write(f"\n*SET {label}\n" + ",\n".join(lines) + "\n")
        out.write("\n*REGION\nleft, soft\n\n*REGION\nright, hard\n")
    row(name, "make_samples.py", tet_points, tet_counts, 2, [1, 2])
nodes = int(open("tetgen_one.1.node").readline().split()[0])
elements = int(open("tetgen_one.1.ele").readline().split()[0])
with open("vega_include.veg", "w") as out:
    out.write("*VERTICES\n*INCLUDE tetgen_one.1.node\n\n*ELEMENTS\nTET\n")
    out.write("*INCLUDE tetgen_one.1.ele\n\n*MATERIAL soft\nENU, 1000, 1e5, 0.45\n")
    out.write("\n*REGION\nallElements, soft\n")
row("vega_include.veg", "make_samples.py", nodes, {"Tetrahedron4": elements}, 2, [1])

# ---------------------------------------------------------------------------------------------
# The table

START = "| file | made by | nodes | elements | volume or area | regions |\n|---|---|---|---|---|---|\n"
readme = open("README.md").read()
before = readme[: readme.index("| file |")]
with open("README.md", "w") as out:
    out.write(before + START + "\n".join(ROWS) + "\n")
print(f"{len(ROWS)} samples, Gmsh {gmsh.__version__}, meshio {meshio.__version__}, "
      f"VTK {vtk.vtkVersion.GetVTKVersion()}")
