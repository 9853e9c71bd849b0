// Writes src/data/api.ts, the types of the published documents, from schema/api.schema.json. With --check it only says
// whether the file is the one that the schema gives (exit status 1 when it is not).

import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { compile } from "json-schema-to-typescript";

const here = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const TARGET = here("src/data/api.ts");

// The title of a property would become a type of its own, one more name for `string`; and a property with a default is
// always written, so that readers may count on it.
function asWritten(schema) {
  if (Array.isArray(schema)) return schema.map(asWritten);
  if (schema === null || typeof schema !== "object") return schema;
  const kept = Object.entries(schema).filter(([key, value]) => key !== "title" || typeof value !== "string");
  const written = Object.fromEntries(kept.map(([key, value]) => [key, asWritten(value)]));
  if (schema.type === "object" && schema.properties) written.required = Object.keys(schema.properties);
  // The generator knows tuples by their older name.
  if (written.prefixItems) {
    written.items = written.prefixItems;
    written.additionalItems = false;
    delete written.prefixItems;
  }
  return written;
}

export async function typesOfSchema() {
  const schema = JSON.parse(await readFile(here("schema/api.schema.json"), "utf8"));
  return compile(asWritten(schema), "PublishedData", {
    bannerComment: "// Written by `npm run types` from schema/api.schema.json.",
    additionalProperties: false,
    ignoreMinAndMaxItems: false,
    format: true,
    style: { printWidth: 110 },
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const types = await typesOfSchema();
  if (process.argv.includes("--check")) {
    const current = await readFile(TARGET, "utf8").catch(() => "");
    if (current !== types) {
      console.error("src/data/api.ts is not what schema/api.schema.json gives: call `npm run types`.");
      process.exit(1);
    }
  } else {
    await writeFile(TARGET, types);
  }
}
