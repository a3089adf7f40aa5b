/** A view remembers the version of the row it shows; the door answers it as the ETag. */
const VERSION = Symbol("version");

/** Marks a view with its row's version, invisibly to JSON. */
export function versioned<V extends object>(view: V, version: number): V {
  Object.defineProperty(view, VERSION, { value: version });
  return view;
}

/** The version of an answer's first resource, if it has one. */
export function versionOf(answer: unknown): number | undefined {
  const first = answer && typeof answer === "object" ? (Object.values(answer)[0] as { [VERSION]?: number } | null) : null;
  return first && typeof first === "object" ? first[VERSION] : undefined;
}
