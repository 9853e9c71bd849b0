// Unpacks the browser of the package into a folder: the program `chromium`, and archives of its libraries and fonts.
//
//     npm ci && node unpack.mjs FOLDER
//
// `./bench test` calls it where no browser is found (harness/laboratory/set_up.py).

import { createReadStream, createWriteStream } from "node:fs";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { createBrotliDecompress } from "node:zlib";

const target = process.argv[2];
const packed = join(dirname(fileURLToPath(import.meta.resolve("@sparticuz/chromium"))), "..", "bin");
for (const [name, mode] of [["chromium", 0o755], ["al2023.tar", 0o644], ["fonts.tar", 0o644], ["swiftshader.tar", 0o644]]) {
  await pipeline(createReadStream(join(packed, `${name}.br`)), createBrotliDecompress(), createWriteStream(join(target, name), { mode }));
}
