// A file server for tests: static files below a folder, at any sub-path, compressed as Pages compresses them.

import { createServer, type Server } from "node:http";
import { readFile, stat } from "node:fs/promises";
import { extname, join, normalize } from "node:path";
import { gzipSync } from "node:zlib";

const TYPES: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".atom": "application/atom+xml",
  ".xml": "application/xml",
  ".txt": "text/plain; charset=utf-8",
};

export interface Served {
  /** Address of the site, ending in a slash. */
  address: string;
  close(): Promise<void>;
}

/** Serves `folder` below `/<under>/`, on a free port; what is not there answers 404 with the page of that name. */
export async function serve(folder: string, under = "some/where"): Promise<Served> {
  const prefix = `/${under}/`.replace("//", "/");
  const server: Server = createServer(async (request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url ?? "/", "http://x").pathname));
    let file = path.startsWith(prefix) ? join(folder, path.slice(prefix.length)) : join(folder, "404.html");
    let status = path.startsWith(prefix) ? 200 : 404;
    try {
      if ((await stat(file)).isDirectory()) file = join(file, "index.html");
      await stat(file);
    } catch {
      status = 404;
      file = join(folder, "404.html");
    }
    const content = gzipSync(await readFile(file));
    response.writeHead(status, {
      "content-type": TYPES[extname(file)] ?? "application/octet-stream",
      "content-encoding": "gzip",
      "content-length": content.length,
      "cache-control": "max-age=600",
    });
    response.end(content);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const at = server.address();
  const port = typeof at === "object" && at !== null ? at.port : 0;
  return {
    address: `http://127.0.0.1:${port}${prefix}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
