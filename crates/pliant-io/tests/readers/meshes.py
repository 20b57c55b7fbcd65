"""Opens PLY, STL, OBJ, GLB and VTU files with meshio, trimesh and plyfile, and prints what is in them."""
import os
import struct
import sys

import meshio
import numpy
import plyfile
import trimesh

folder = sys.argv[1]


def path(name):
    return os.path.join(folder, name)


def total(values):
    return repr(round(float(numpy.asarray(values, dtype=float).sum()), 4))


vtu = meshio.read(path("a_00003.vtu"))
print("vtu", len(vtu.points), total(vtu.points))
for block in vtu.cells:
    print("cells", block.type, len(block.data))
print("strain", total(vtu.point_data["strain"]))

stl = meshio.read(path("a.stl"))
print("stl meshio", len(stl.cells_dict["triangle"]), total(stl.points[stl.cells_dict["triangle"]]))
stl = trimesh.load(path("a.stl"))
print("stl trimesh", len(stl.faces), total(stl.triangles))

ply = meshio.read(path("surfaces_00000.ply"))
print("ply meshio", len(ply.points), len(ply.cells_dict["triangle"]), total(ply.point_data["vx"]))
ply = plyfile.PlyData.read(path("a_00003.ply"))
vertices = ply["vertex"]
points = numpy.stack([vertices[name] for name in "xyz"], axis=1)
print("ply plyfile", vertices.count, ply["face"].count, ply["edge"].count, total(points))
print("ply strain", total(vertices["strain"]))

glb = trimesh.load(path("a.glb"))
print("glb", len(glb.geometry), [round(value, 4) for value in glb.bounds.flatten().tolist()])

obj = trimesh.load(path("a_my_rope_2.obj"), process=False)
print("obj", len(obj.vertices), len(obj.faces))
with open(path("a_my_rope_2.pc2"), "rb") as file:
    magic, version, points, start, rate, samples = struct.unpack("<12siiffi", file.read(32))
    cache = numpy.fromfile(file, dtype="<f4").reshape(samples, points, 3)
print("pc2", magic, version, samples, points, bool(numpy.allclose(cache[0], obj.vertices)))
