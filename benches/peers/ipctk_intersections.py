"""Whether frames of Pliant's contact scenes cross themselves, as the IPC Toolkit sees it.

    pip install ipctk
    python ipctk_intersections.py PLIANT SCENE[:SECONDS] ...

PLIANT is the program; each scene is run, its frames are written as OBJ files (all digits), and
`ipctk.has_intersections` looks at the surfaces of all bodies together. Obstacles are left out: they are
drawn as triangles, but some are met as the round shapes that they are.
"""

import glob
import os
import subprocess
import sys
import tempfile

import ipctk
import numpy


def read(path):
    """Vertices, edges and triangles of the bodies of an OBJ file."""
    vertices, lines, triangles = [], [], []
    is_body = True
    with open(path) as file:
        for text in file:
            words = text.split()
            if not words:
                continue
            if words[0] == "#" and len(words) == 2:
                is_body = words[1] == "body"
            elif words[0] == "v":
                vertices.append([float(word) for word in words[1:4]])
            elif words[0] in ("f", "l") and is_body:
                numbers = [int(word.split("/")[0]) - 1 for word in words[1:]]
                if words[0] == "f":
                    triangles += [[numbers[0], b, c] for b, c in zip(numbers[1:], numbers[2:])]
                else:
                    lines += [list(pair) for pair in zip(numbers, numbers[1:])]
    return numpy.array(vertices), lines, triangles


def crosses(path):
    vertices, lines, triangles = read(path)
    if not lines and not triangles:
        return False
    triangles = numpy.array(triangles, dtype=numpy.int32).reshape(-1, 3)
    edges = ipctk.edges(triangles) if len(triangles) else numpy.zeros((0, 2), dtype=numpy.int32)
    if lines:
        edges = numpy.vstack([edges, numpy.array(lines, dtype=numpy.int32)])
    used = numpy.unique(numpy.concatenate([edges.ravel(), triangles.ravel()]))
    place = numpy.full(len(vertices), -1, dtype=numpy.int32)
    place[used] = numpy.arange(len(used), dtype=numpy.int32)
    mesh = ipctk.CollisionMesh(vertices[used], place[edges], place[triangles])
    return ipctk.has_intersections(mesh, numpy.asfortranarray(vertices[used]))


def main():
    program, failed = sys.argv[1], False
    for argument in sys.argv[2:]:
        scene, _, seconds = argument.partition(":")
        with tempfile.TemporaryDirectory() as folder:
            command = [program, "run", scene, "-q", "--out", os.path.join(folder, "frame.obj")]
            if seconds:
                command += ["--seconds", seconds]
            subprocess.run(command, check=True)
            frames = sorted(glob.glob(os.path.join(folder, "*.obj")))
            found = [os.path.basename(path) for path in frames if crosses(path)]
        failed |= bool(found)
        print(f"{scene}: {len(frames)} frames, {len(found)} with intersections {found[:5]}", flush=True)
    sys.exit(int(failed))


main()
