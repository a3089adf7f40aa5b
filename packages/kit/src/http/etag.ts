/** Versions of views, sent as the ETag of the response. */
const VERSION = Symbol("version");

/** Attaches a row's version to its view, invisibly to JSON. */
export function withVersion<V extends object>(view: V, version: number): V {
  Object.defineProperty(view, VERSION, { value: version });
  return view;
}

/** Returns the version of a response's first member, if it has one. */
export function versionOf(response: unknown): number | undefined {
  const first = response && typeof response === "object" ? (Object.values(response)[0] as { [VERSION]?: number } | null) : null;
  return first && typeof first === "object" ? first[VERSION] : undefined;
}
