"""Opens a .usda with Pixar's library, checks it, and prints what is in it."""
import sys
from pxr import Usd, UsdGeom, UsdShade, UsdValidation

stage = Usd.Stage.Open(sys.argv[1])
registry = UsdValidation.ValidationRegistry()
names = [metadata.name for metadata in registry.GetAllValidatorMetadata()]
validators = registry.GetOrLoadValidatorsByName(names)
assert len(validators) > 5, names
problems = [
    f"{error.GetName()}: {error.GetMessage()}"
    for error in UsdValidation.ValidationContext(validators).Validate(stage)
]
for problem in problems:
    print("PROBLEM", problem)

print("units", UsdGeom.GetStageMetersPerUnit(stage), UsdGeom.GetStageUpAxis(stage))
print("time", stage.GetStartTimeCode(), stage.GetEndTimeCode(), stage.GetTimeCodesPerSecond())
print("default", stage.GetDefaultPrim().GetPath())
for prim in stage.Traverse():
    if not prim.IsA(UsdGeom.PointBased):
        continue
    geometry = UsdGeom.PointBased(prim)
    attribute = geometry.GetPointsAttr()
    print("prim", prim.GetPath(), prim.GetTypeName(), attribute.GetNumTimeSamples())
    material, _ = UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial()
    assert material, prim.GetPath()
    surface = material.ComputeSurfaceSource("")[0]
    assert surface.GetIdAttr().Get() == "UsdPreviewSurface"
    for code in range(int(stage.GetStartTimeCode()), int(stage.GetEndTimeCode()) + 1):
        points = attribute.Get(code)
        extent = geometry.GetExtentAttr().Get(code)
        computed = UsdGeom.Boundable.ComputeExtentFromPlugins(geometry, code)
        for declared, needed in zip(extent, computed):
            assert (declared - needed).GetLength() < 1e-5, (prim.GetPath(), code, extent, computed)
        velocities = geometry.GetVelocitiesAttr().Get(code)
        assert velocities is None or len(velocities) == len(points)
        for primvar in UsdGeom.PrimvarsAPI(prim).GetPrimvarsWithValues():
            values = primvar.Get(code)
            kind = primvar.GetInterpolation()
            if kind == "vertex":
                assert len(values) == len(points), (primvar.GetName(), len(values), len(points))
            elif kind == "faceVarying":
                corners = UsdGeom.Mesh(prim).GetFaceVertexIndicesAttr().Get(code)
                assert len(values) == len(corners)
            else:
                assert len(values) == 1
        if prim.IsA(UsdGeom.Mesh):
            mesh = UsdGeom.Mesh(prim)
            indices = mesh.GetFaceVertexIndicesAttr().Get(code)
            counts = mesh.GetFaceVertexCountsAttr().Get(code)
            valid, why = UsdGeom.Mesh.ValidateTopology(indices, counts, len(points))
            assert valid, why
            cells = len(counts)
        elif prim.IsA(UsdGeom.BasisCurves):
            counts = UsdGeom.BasisCurves(prim).GetCurveVertexCountsAttr().Get(code)
            assert sum(counts) == len(points)
            cells = len(counts)
        else:
            cells = len(UsdGeom.Points(prim).GetIdsAttr().Get(code))
            assert cells == len(points)
        visible = UsdGeom.Imageable(prim).ComputeVisibility(code) != "invisible"
        last = " ".join(f"{value:.5f}" for value in points[-1])
        print("at", code, cells, len(points), last, "shown" if visible else "hidden")
