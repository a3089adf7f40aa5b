/** What PostgreSQL says it did for each statement, and which of it did not begin with the organization. */
import type pg from "pg";

/** A node of a plan, as far as it tells how rows were found. */
interface PlanNode {
  "Node Type": string;
  "Relation Name"?: string;
  "Index Name"?: string;
  "Index Cond"?: string;
  Plans?: PlanNode[];
}

export interface StatementPlan {
  statement: string;
  root: PlanNode;
}

/** Returns the plans in PostgreSQL's log. Each is an entry whose further lines are indented; the last entry may be incomplete and is left out. */
export const plansIn = (log: string): StatementPlan[] =>
  log
    .split(/\n(?!\t)/)
    .slice(0, -1)
    .flatMap((entry) => {
      const [, json] = /duration: [\d.]+ ms {2}plan:\n([^]*)/.exec(entry) ?? [];
      if (!json) return [];
      const { "Query Text": statement, Plan: root } = JSON.parse(json.replaceAll("\n\t", "\n")) as { "Query Text": string; Plan: PlanNode };
      return [{ statement, root }];
    });

export interface Catalogue {
  /** Tables behind the wall between organizations. */
  protectedTables: ReadonlySet<string>;
  /** The first column of each index. */
  firstColumns: ReadonlyMap<string, string>;
}

/** What a database says of its tables and indexes; the plans name both without their schema. */
export async function catalogueOf(client: pg.Client): Promise<Catalogue> {
  const { rows: tables } = await client.query<{ name: string }>(
    "select c.relname as name from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and exists (select from pg_policy where polrelid = c.oid)",
  );
  const { rows: indexes } = await client.query<{ name: string; first: string }>(
    `select i.indexrelid::regclass::text as name, coalesce(a.attname, '') as first from pg_index i join pg_class c on c.oid = i.indrelid
      left join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0] where c.relnamespace = 'public'::regnamespace`,
  );
  return { protectedTables: new Set(tables.map(({ name }) => name)), firstColumns: new Map(indexes.map(({ name, first }) => [name, first])) };
}

const tablesOf = (node: PlanNode): string[] => [...(node["Relation Name"] ? [node["Relation Name"]] : []), ...(node.Plans ?? []).flatMap(tablesOf)];
/** Whether a statement reads a walled table at all. */
export const readsProtectedTable = ({ root }: StatementPlan, { protectedTables: walled }: Catalogue): boolean =>
  tablesOf(root).some((table) => walled.has(table));

const indexScans = new Set(["Index Scan", "Index Only Scan", "Bitmap Index Scan"]);

/** Sentences about each way into a walled table that does not begin with the organization. */
export function scansWithoutOrganization({ root }: StatementPlan, { protectedTables: walled, firstColumns }: Catalogue): string[] {
  const visit = (node: PlanNode, table: string | undefined): string[] => {
    const of = node["Relation Name"] ?? table;
    const below = (node.Plans ?? []).flatMap((child) => visit(child, node["Node Type"] === "Bitmap Heap Scan" ? of : table));
    if (of === undefined || !walled.has(of)) return below;
    if (node["Node Type"] === "Seq Scan") return [...below, `${of} is read from end to end`];
    if (!indexScans.has(node["Node Type"])) return below;
    const index = node["Index Name"]!;
    const begins = firstColumns.get(index) === "organization_id" && node["Index Cond"]?.includes("organization_id");
    return begins ? below : [...below, `${of} is read by ${index} where ${node["Index Cond"] ?? "nothing is asked"}`];
  };
  return visit(root, undefined);
}
