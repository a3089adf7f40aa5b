/** Routing table: the operations of the contract as a tree of path segments. */
import { operations, type NamedOperation } from "@freehold/contract";

interface PathNode {
  children: Map<string, PathNode>;
  parameter?: PathNode;
  methods: Map<string, NamedOperation>;
}

/**
 * Operation of a method and a path, or the methods that the path allows: none when no operation has the path. A path with writes that are always
 * refused is managed by the system.
 */
export type Route = { namedOperation: NamedOperation } | { namedOperation: undefined; allow: string[]; isSystemManaged: boolean };

const newNode = (): PathNode => ({ children: new Map(), methods: new Map() });
const root = newNode();

for (const namedOperation of operations) {
  let node = root;
  for (const segment of namedOperation.operation.path.slice(1).split("/")) {
    if (segment.startsWith("{")) node = node.parameter ??= newNode();
    else {
      if (!node.children.has(segment)) node.children.set(segment, newNode());
      node = node.children.get(segment)!;
    }
  }
  node.methods.set(namedOperation.operation.method, namedOperation);
}

function walk(node: PathNode, segments: readonly string[], depth: number): PathNode | undefined {
  if (depth === segments.length) return node.methods.size > 0 ? node : undefined;
  const segment = segments[depth]!;
  const literal = node.children.get(segment);
  const match = literal && walk(literal, segments, depth + 1);
  if (match) return match;
  return node.parameter && segment !== "" ? walk(node.parameter, segments, depth + 1) : undefined;
}

/** Finds the route of a request by its method and its path without the query string. HEAD is routed like GET. */
export function findRoute(method: string, path: string): Route {
  const node = walk(root, path.slice(1).split("/"), 0);
  const namedOperation = node?.methods.get(method === "HEAD" ? "GET" : method);
  if (namedOperation) return { namedOperation };
  const known = [...(node?.methods ?? [])];
  const working = known.filter(([, { operation }]) => operation.alwaysFails !== 405);
  const allow = (working.length > 0 ? working : known).map(([name]) => name);
  return { namedOperation: undefined, allow, isSystemManaged: working.length > 0 && working.length < known.length };
}
