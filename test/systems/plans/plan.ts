/** Query plans logged by PostgreSQL, and the scans in them that do not filter by organization first. */
import type pg from "pg";

/** Node of a plan, with the members that describe how rows are found. */
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

/** Returns the plans in PostgreSQL's log. Further lines of an entry are indented. The last entry may be incomplete and is skipped. */
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
  /** Tables with a row-level security policy. */
  protectedTables: ReadonlySet<string>;
  /** The first column of each index. */
  firstColumns: ReadonlyMap<string, string>;
}

/** Returns the protected tables and the first columns of the indexes of a database, named without a schema as in plans. */
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
/** Returns true if a statement reads a protected table. */
export const readsProtectedTable = ({ root }: StatementPlan, { protectedTables }: Catalogue): boolean =>
  tablesOf(root).some((table) => protectedTables.has(table));

/** Returns the index scans of a plan with their conditions. */
export const indexConditions = (node: PlanNode): { index: string; condition: string }[] => [
  ...(node["Index Name"] && node["Index Cond"] ? [{ index: node["Index Name"], condition: node["Index Cond"] }] : []),
  ...(node.Plans ?? []).flatMap(indexConditions),
];

const indexScans = new Set(["Index Scan", "Index Only Scan", "Bitmap Index Scan"]);

/** Returns a sentence for each scan of a protected table that does not filter by organization through an index. */
export function scansWithoutOrganization({ root }: StatementPlan, { protectedTables, firstColumns }: Catalogue): string[] {
  const visit = (node: PlanNode, table: string | undefined): string[] => {
    const scannedTable = node["Relation Name"] ?? table;
    const nested = (node.Plans ?? []).flatMap((child) => visit(child, node["Node Type"] === "Bitmap Heap Scan" ? scannedTable : table));
    if (scannedTable === undefined || !protectedTables.has(scannedTable)) return nested;
    if (node["Node Type"] === "Seq Scan") return [...nested, `${scannedTable} is scanned sequentially`];
    if (!indexScans.has(node["Node Type"])) return nested;
    const index = node["Index Name"]!;
    const isScoped = firstColumns.get(index) === "organization_id" && node["Index Cond"]?.includes("organization_id");
    return isScoped ? nested : [...nested, `${scannedTable} is read by ${index} with the condition ${node["Index Cond"] ?? "(none)"}`];
  };
  return visit(root, undefined);
}
