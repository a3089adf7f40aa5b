/** Bundles and their files as people send them, and what stands behind the API. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import type { Candidate, ImportBundle, ImportProvider } from "@freehold/contract/import-bundles";
import type { Envelope } from "@freehold/contract/events";
import pg from "pg";
import yazl from "yazl";
import type { Client } from "../../../test/client.ts";
import { running } from "../../../test/running.ts";
import { eventually } from "../../../test/world.ts";

export const aFile = (name: string, ...lines: (string | readonly string[])[]): File =>
  new File([`${lines.map((line) => (typeof line === "string" ? line : line.map(quoted).join(","))).join("\r\n")}\r\n`], name);
const quoted = (cell: string): string => (/[",\n\r]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

export async function aZip(name: string, entries: Record<string, string | Buffer>): Promise<File> {
  const zip = new yazl.ZipFile();
  for (const [path, text] of Object.entries(entries)) zip.addBuffer(Buffer.from(text), path);
  zip.end();
  return new File([new Uint8Array(await buffer(zip.outputStream))], name);
}

let made = 0;
/** A bundle of its own namespace unless it says otherwise. */
export async function aBundle(who: Client, provider: ImportProvider = "generic", sourceNamespace = `system-${++made}`): Promise<ImportBundle> {
  const { importBundle } = await who.call("createImportBundle", { body: { name: "Migration", provider, sourceNamespace, sourceAccountLabel: "Main account" } });
  return importBundle;
}

export const upload = async (who: Client, id: string, ...file: File[]) => (await who.call("uploadImportFiles", { params: { id }, body: { file } })).files;

/** Waits until a bundle has got somewhere. */
export const reaching = (who: Client, id: string, status: ImportBundle["status"], withinMs = 30_000): Promise<ImportBundle> =>
  eventually(
    `bundle that is ${status}`,
    async () => {
      const { importBundle } = await who.call("getImportBundle", { params: { id } });
      if (importBundle.status === "failed" && status !== "failed") throw new Error(`The validation failed: ${importBundle.error}`);
      return importBundle.status === status ? importBundle : undefined;
    },
    withinMs,
  );

export async function validated(who: Client, id: string, withinMs?: number): Promise<ImportBundle> {
  await who.call("validateImportBundle", { params: { id } });
  return reaching(who, id, "ready", withinMs);
}

/** A bundle with these files, ready. */
export async function aReadyBundle(who: Client, provider: ImportProvider, ...files: File[]): Promise<ImportBundle> {
  const { id } = await aBundle(who, provider);
  await upload(who, id, ...files);
  return validated(who, id);
}

/** All candidates of a bundle, in their order. */
export async function candidatesOf(who: Client, id: string, query: Record<string, string> = {}): Promise<Candidate[]> {
  const found: Candidate[] = [];
  for (let page = 1; ; page++) {
    const { candidates, totalPages } = await who.call("listImportCandidates", { params: { id }, query: { ...query, page, pageSize: 100 } });
    found.push(...candidates);
    if (page >= totalPages) return found;
  }
}

/** The rows of a statement as the owner of the database sees them, inside one organization. */
export async function rows<R extends object>(organizationId: string, text: string, values: unknown[] = []): Promise<R[]> {
  const client = new pg.Client({ connectionString: running().databaseUrls.imports.owner });
  await client.connect();
  try {
    await client.query("select set_config('app.organization_id', $1, false)", [organizationId]);
    return (await client.query<R>(text, values)).rows;
  } finally {
    await client.end();
  }
}

/** The events about one thing, oldest first. */
export async function eventsOf({ organizationId }: { organizationId: string }, entityId: string): Promise<Envelope[]> {
  const found = await rows<{ envelope: Envelope }>(
    organizationId,
    "select envelope from outbox where organization_id = $1 and envelope ->> 'entityId' = $2 order by position",
    [organizationId, entityId],
  );
  return found.map(({ envelope }) => envelope);
}

const dir = () => join(running().dataDir, "imports");
/** The files that are kept for an organization, and those that are on their way. */
export const keptFiles = (organizationId: string): Promise<string[]> => readdir(join(dir(), "files", organizationId)).catch(() => []);
const waitingFiles = (): Promise<string[]> => readdir(join(dir(), "incoming")).catch(() => []);

/** What is on its way now is gone in a moment, whoever sends it. */
export async function nothingStays(): Promise<void> {
  const before = await waitingFiles();
  await eventually("empty inbox", async () => {
    const now = await waitingFiles();
    return before.some((name) => now.includes(name)) ? undefined : true;
  });
}
