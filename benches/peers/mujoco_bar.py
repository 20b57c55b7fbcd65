"""The bar of `pliant bench fem` as a MuJoCo flex: processor time a frame, and the tip's mean.

Usage: python mujoco_bar.py bar-0.txt [bar-1.txt ...]   (files written by `cargo run --release`)
"""

import sys
import time

import mujoco
import numpy

FRAMES = 180
YOUNG, POISSON, DENSITY = 1e6, 0.33, 1000.0


def read(path):
    with open(path) as file:
        nodes, tetrahedra = map(int, file.readline().split())
        numbers = file.read().split()
    places = numpy.array(numbers[: 3 * nodes], float).reshape(-1, 3)
    elements = numpy.array(numbers[3 * nodes :], int).reshape(tetrahedra, 4)
    return places, elements


def model_of(places, elements):
    join = lambda values: " ".join(str(value) for value in values.ravel())
    clamped = numpy.flatnonzero(places[:, 0] < 1e-9)
    mass = DENSITY * 1.0 * 0.25 * 0.25
    return mujoco.MjModel.from_xml_string(f"""
<mujoco>
  <option timestep="{1 / 60}" gravity="0 0 -9.81" integrator="discrete" tolerance="1e-6"
          iterations="1000"/>
  <worldbody>
    <flexcomp name="bar" type="direct" dim="3" mass="{mass}" radius="0.0001"
              point="{join(places)}" element="{join(elements)}">
      <contact selfcollide="none" contype="0" conaffinity="0"/>
      <elasticity young="{YOUNG}" poisson="{POISSON}" damping="0"/>
      <pin id="{join(clamped)}"/>
    </flexcomp>
  </worldbody>
</mujoco>""")


def mean_over_swings(heights):
    lows = [
        i
        for i in range(1, len(heights) - 1)
        if heights[i] <= heights[i - 1] and heights[i] < heights[i + 1]
    ]
    part = heights[lows[0] : lows[-1]] if len(lows) > 1 else heights[len(heights) // 2 :]
    return sum(part) / len(part)


def main():
    print(f"MuJoCo {mujoco.__version__}, one step a frame")
    print("tetrahedra  CPU ms a frame   tip's mean")
    for path in sys.argv[1:]:
        places, elements = read(path)
        model = model_of(places, elements)
        data = mujoco.MjData(model)
        end = numpy.flatnonzero(places[:, 0] > 1 - 1e-9)
        heights = []
        mujoco.mj_step(model, data)
        start = time.process_time()
        for _ in range(FRAMES):
            mujoco.mj_step(model, data)
            heights.append(data.flexvert_xpos[end, 2].mean() - 0.125)
        spent = 1e3 * (time.process_time() - start) / FRAMES
        print(f"{len(elements):>10}  {spent:>14.2f} {mean_over_swings(heights):>12.5f}")


if __name__ == "__main__":
    main()
