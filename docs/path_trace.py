#!/usr/bin/env python3
"""A path-traced picture of a USD file that Pliant wrote, by Cycles, the renderer of Blender.

    pip install bpy                                  # Blender as a Python module, once
    pliant run flag --out flag.usda
    python3 docs/path_trace.py flag.usda flag.png --frame 40

Without --camera the camera looks at the bodies from the front and above, as near as they fit in.
"""

import argparse
import math
import sys


def wishes():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("usd", help="a .usda file")
    parser.add_argument("picture", help="a .png file")
    parser.add_argument("--frame", type=int, default=None, help="counted from 0 [default: the last]")
    parser.add_argument("--size", default="1280x720", help="WIDTHxHEIGHT in pixels")
    parser.add_argument("--samples", type=int, default=64, help="light paths per pixel")
    parser.add_argument(
        "--camera",
        default=None,
        help="eye and target, X,Y,Z/X,Y,Z, as for `pliant run`",
    )
    parser.add_argument("--fov", type=float, default=35.0, help="height of the view in degrees")
    return parser.parse_args()


def point(text):
    numbers = [float(number) for number in text.split(",")]
    if len(numbers) != 3:
        sys.exit(f"error: expected three numbers X,Y,Z, found {text!r}")
    return numbers


def corners(objects):
    """The lowest and the highest corner of the box round objects."""
    from mathutils import Vector

    places = [thing.matrix_world @ Vector(corner) for thing in objects for corner in thing.bound_box]
    lowest = Vector([min(place[axis] for place in places) for axis in range(3)])
    highest = Vector([max(place[axis] for place in places) for axis in range(3)])
    return lowest, highest


def bodies(meshes):
    """What moves, or what is small beside the largest thing: a floor is no subject."""
    moving = [thing for thing in meshes if any(m.type == "MESH_SEQUENCE_CACHE" for m in thing.modifiers)]
    return moving or meshes


def place_camera(scene, meshes, asked):
    import bpy
    from mathutils import Vector

    data = bpy.data.cameras.new("camera")
    data.sensor_fit = "VERTICAL"
    data.angle = math.radians(asked.fov)
    camera = bpy.data.objects.new("camera", data)
    scene.collection.objects.link(camera)
    scene.camera = camera
    if asked.camera:
        parts = asked.camera.split("/")
        if len(parts) != 2:
            sys.exit("error: --camera needs eye and target: X,Y,Z/X,Y,Z")
        eye, target = Vector(point(parts[0])), Vector(point(parts[1]))
    else:
        lowest, highest = corners(bodies(meshes))
        target = 0.5 * (lowest + highest)
        radius = 0.5 * (highest - lowest).length
        distance = 1.1 * radius / math.sin(0.5 * data.angle)
        eye = target + distance * Vector((0.35, -0.85, 0.4)).normalized()
    camera.location = eye
    camera.rotation_euler = (target - eye).to_track_quat("-Z", "Y").to_euler()
    data.clip_end = 1e4


def light(scene):
    import bpy

    sun = bpy.data.lights.new("sun", "SUN")
    sun.energy = 3.0
    sun.angle = math.radians(4.0)
    lamp = bpy.data.objects.new("sun", sun)
    lamp.rotation_euler = (math.radians(40.0), math.radians(15.0), math.radians(-30.0))
    scene.collection.objects.link(lamp)
    world = bpy.data.worlds.new("sky")
    world.use_nodes = True
    background = world.node_tree.nodes["Background"]
    background.inputs["Color"].default_value = (0.75, 0.8, 0.9, 1.0)
    background.inputs["Strength"].default_value = 0.6
    scene.world = world


def main():
    asked = wishes()
    try:
        import bpy
    except ImportError:
        sys.exit("error: Blender is not there as a Python module\n  hint: pip install bpy")
    try:
        width, height = (int(number) for number in asked.size.split("x"))
    except ValueError:
        sys.exit("error: --size needs WIDTHxHEIGHT, such as 1280x720")
    bpy.ops.wm.read_factory_settings(use_empty=True)
    if bpy.ops.wm.usd_import(filepath=asked.usd) != {"FINISHED"}:
        sys.exit(f"error: {asked.usd} cannot be read")
    scene = bpy.context.scene
    scene.frame_set(scene.frame_end if asked.frame is None else asked.frame)
    meshes = [thing for thing in scene.objects if thing.type == "MESH"]
    if not meshes:
        sys.exit(f"error: there is nothing to see in {asked.usd}")
    for thing in meshes:
        thing.data.shade_smooth()
    place_camera(scene, meshes, asked)
    light(scene)
    scene.render.engine = "CYCLES"
    scene.cycles.device = "CPU"
    scene.cycles.samples = asked.samples
    scene.cycles.use_denoising = True
    scene.view_settings.view_transform = "AgX"
    scene.render.resolution_x, scene.render.resolution_y = width, height
    scene.render.filepath = asked.picture
    bpy.ops.render.render(write_still=True)


if __name__ == "__main__":
    main()
