// Checks .glb files with the validator of the Khronos Group and prints what is in them.
const fs = require("fs");
const validator = require("gltf-validator");

async function main() {
  for (const path of process.argv.slice(2)) {
    const bytes = new Uint8Array(fs.readFileSync(path));
    const report = await validator.validateBytes(bytes, { maxIssues: 20 });
    for (const message of report.issues.messages) {
      if (message.severity < 2) {
        console.log("PROBLEM", message.code, message.message, message.pointer);
      }
    }
    const { numErrors, numWarnings } = report.issues;
    const info = report.info;
    console.log(
      "glb", numErrors, numWarnings, info.animationCount, info.materialCount,
      info.hasMorphTargets, info.hasTextures, info.drawCallCount, info.totalTriangleCount
    );
  }
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
