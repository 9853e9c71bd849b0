// Addresses of this site. One is only ever made here, out of text that matches a pattern, so that no string of a record
// can become an address that leads elsewhere or does something.

declare const checked: unique symbol;
/** Text that passed one of the functions of this file; `h` takes no other as an address. */
export type Address = string & { readonly [checked]: true };

const SESSION = /^[0-9A-Za-z][0-9A-Za-z._-]{0,99}$/;
const LOCAL = /^(?:[0-9A-Za-z~_=.@+-]+\/)*(?:[0-9A-Za-z~_=.@+-]+)?(?:\?[0-9A-Za-z~_=.@%&+,-]*)?(?:#[0-9A-Za-z._-]*)?$/;

/** The relative way from the page to the root of the site, as its template says: "", "../" or "../../". */
export function rootOf(said: string | undefined): string {
  return said !== undefined && /^(?:\.\.\/){0,4}$/.test(said) ? said : "";
}

/** The address of a path below the root (`run/x/`, `trends/?metric=y`), or null when it is not of that form. */
export function local(path: string, root: string): Address | null {
  if (!LOCAL.test(path) || path.split(/[?#]/, 1)[0]!.split("/").includes("..")) return null;
  return ((root + path || "./") as Address);
}

/** The page of a session, or null when the text is no name of one. */
export function runPage(session: string, root: string): Address | null {
  return SESSION.test(session) && !session.includes("..") ? local(`run/${session}/`, root) : null;
}

/** This page with another state. */
export function withState(state: URLSearchParams): Address {
  const text = state.toString().replaceAll("%2C", ",").replaceAll("%7E", "~");
  return (text ? `?${text}` : "./") as Address;
}

/** What a blob of ours is called by the browser. */
export function blobAddress(blob: Blob): Address {
  return URL.createObjectURL(blob) as Address;
}
