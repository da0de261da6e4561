// Node resolves no import without an extension.
export default {
  input: process.env.KAURI_SPEC,
  output: { path: "api", module: { extension: ".js" } },
  plugins: ["@hey-api/client-fetch", "@hey-api/typescript", "@hey-api/sdk"],
};
