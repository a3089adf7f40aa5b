/** Routing table: the operations of the contract as a tree of path segments. */
import { operations, type NamedOperation } from "@freehold/contract";

interface Node {
  children: Map<string, Node>;
  parameter?: Node;
  methods: Map<string, NamedOperation>;
}

export type Route = { found: NamedOperation } | { found: undefined; allow: string[] };

const node = (): Node => ({ children: new Map(), methods: new Map() });
const root = node();

for (const named of operations) {
  let at = root;
  for (const segment of named.operation.path.slice(1).split("/")) {
    if (segment.startsWith("{")) at = at.parameter ??= node();
    else {
      if (!at.children.has(segment)) at.children.set(segment, node());
      at = at.children.get(segment)!;
    }
  }
  at.methods.set(named.operation.method, named);
}

function walk(at: Node, segments: readonly string[], depth: number): Node | undefined {
  if (depth === segments.length) return at.methods.size > 0 ? at : undefined;
  const segment = segments[depth]!;
  const literal = at.children.get(segment);
  const found = literal && walk(literal, segments, depth + 1);
  if (found) return found;
  return at.parameter && segment !== "" ? walk(at.parameter, segments, depth + 1) : undefined;
}

/** Returns the operation of a method and a path without its query, or else the methods that the path allows. */
export function findRoute(method: string, path: string): Route {
  const at = walk(root, path.slice(1).split("/"), 0);
  const found = at?.methods.get(method === "HEAD" ? "GET" : method);
  return found ? { found } : { found: undefined, allow: at ? [...at.methods.keys()] : [] };
}
