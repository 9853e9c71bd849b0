// Addresses of this site. Only this file makes an address, out of text that matches a pattern, so that no string of a record
// can become an address that leads elsewhere or runs a script.

declare const checked: unique symbol;
/** Text that passed one of the functions of this file; dom.ts accepts no other text as an address. */
export type Address = string & { readonly [checked]: true };

const SESSION = /^[0-9A-Za-z][0-9A-Za-z._-]{0,99}$/;
const LOCAL = /^(?:[0-9A-Za-z~_=.@+-]+\/)*(?:[0-9A-Za-z~_=.@+-]+)?(?:\?[0-9A-Za-z~_=.@%&+,-]*)?(?:#[0-9A-Za-z._-]*)?$/;

/** The way from the page to the root of the site, as the template of the page states it: "", "../" or "../../", or a full address
 * of `origin`. Another text counts as "". */
export function rootOf(root: string | undefined, origin: string): string {
  if (root === undefined || /^(?:\.\.\/){0,4}$/.test(root)) return root ?? "";
  const folders = root.slice(origin.length + 1);
  return root === `${origin}/${folders}` && /(?:^|\/)$/.test(folders) && local(folders, "") !== null ? root : "";
}

/** The address of a path below the root (`run/x/`, `trends/?metric=y`), or null when the path does not have that form. */
export function local(path: string, root: string): Address | null {
  if (!LOCAL.test(path) || path.split(/[?#]/, 1)[0]!.split("/").includes("..")) return null;
  return ((root + path || "./") as Address);
}

/** The address of the page of a session, or null when the text is no name of a session. */
export function runPage(session: string, root: string): Address | null {
  return SESSION.test(session) && !session.includes("..") ? local(`run/${session}/`, root) : null;
}

/** The address of this page with another state. */
export function withState(state: URLSearchParams): Address {
  const text = state.toString().replaceAll("%2C", ",").replaceAll("%7E", "~");
  return (text ? `?${text}` : "./") as Address;
}

/** The address that the browser gives to a blob of this site. */
export function blobAddress(blob: Blob): Address {
  return URL.createObjectURL(blob) as Address;
}
