/** Helpers for tests of import bundles through the API, the database and the file store. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import type { Candidate, ImportBundle, ImportProvider } from "@freehold/contract/imports/import-bundles";
import type { Envelope } from "@freehold/contract/events";
import pg from "pg";
import yazl from "yazl";
import type { Client } from "../../../test/support/client.ts";
import { running } from "../../../test/support/running.ts";
import { eventually } from "../../../test/support/eventually.ts";

export const csvFile = (name: string, ...lines: (string | readonly string[])[]): File =>
  new File([`${lines.map((line) => (typeof line === "string" ? line : line.map(quoteCell).join(","))).join("\r\n")}\r\n`], name);
const quoteCell = (cell: string): string => (/[",\n\r]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

export async function zipFile(name: string, entries: Record<string, string | Buffer>): Promise<File> {
  const zip = new yazl.ZipFile();
  for (const [path, content] of Object.entries(entries)) zip.addBuffer(Buffer.from(content), path);
  zip.end();
  return new File([new Uint8Array(await buffer(zip.outputStream))], name);
}

let bundleCount = 0;
/** Creates a bundle, by default with a new namespace. */
export async function createBundle(client: Client, provider: ImportProvider = "generic", sourceNamespace = `system-${++bundleCount}`): Promise<ImportBundle> {
  const { importBundle } = await client.call("createImportBundle", {
    body: { name: "Migration", provider, sourceNamespace, sourceAccountLabel: "Main account" },
  });
  return importBundle;
}

export const uploadFiles = async (client: Client, id: string, ...file: File[]) =>
  (await client.call("uploadImportFiles", { params: { id }, body: { file } })).files;

/** Waits until a bundle has the status. Throws when its validation fails. */
export const waitForBundle = (client: Client, id: string, status: ImportBundle["status"], withinMs?: number): Promise<ImportBundle> =>
  eventually(
    `bundle that is ${status}`,
    async () => {
      const { importBundle } = await client.call("getImportBundle", { params: { id } });
      if (importBundle.status === "failed" && status !== "failed") throw new Error(`The validation failed: ${importBundle.error}`);
      return importBundle.status === status ? importBundle : undefined;
    },
    withinMs,
  );

/** Validates a bundle and waits until it is ready. */
export async function validateBundle(client: Client, id: string, withinMs?: number): Promise<ImportBundle> {
  await client.call("validateImportBundle", { params: { id } });
  return waitForBundle(client, id, "ready", withinMs);
}

/** Creates a bundle with these files and waits until it is ready. */
export async function createReadyBundle(client: Client, provider: ImportProvider, ...files: File[]): Promise<ImportBundle> {
  const { id } = await createBundle(client, provider);
  await uploadFiles(client, id, ...files);
  return validateBundle(client, id);
}

/** Returns all candidates of a bundle in the order of its rows. */
export async function listAllCandidates(client: Client, id: string, query: Record<string, string> = {}): Promise<Candidate[]> {
  const allCandidates: Candidate[] = [];
  for (let page = 1; ; page++) {
    const { candidates, totalPages } = await client.call("listImportCandidates", { params: { id }, query: { ...query, page, pageSize: 100 } });
    allCandidates.push(...candidates);
    if (page >= totalPages) return allCandidates;
  }
}

/** Runs a statement as the owner of the imports database in the scope of an organization and returns its rows. */
export async function queryImportsDatabase<R extends object>(organizationId: string, text: string, values: unknown[] = []): Promise<R[]> {
  const client = new pg.Client({ connectionString: running().databaseUrls.imports.owner });
  await client.connect();
  try {
    await client.query("select set_config('app.organization_id', $1, false)", [organizationId]);
    return (await client.query<R>(text, values)).rows;
  } finally {
    await client.end();
  }
}

/** Returns the published events of an entity, oldest first. */
export async function listEvents({ organizationId }: { organizationId: string }, entityId: string): Promise<Envelope[]> {
  const rows = await queryImportsDatabase<{ envelope: Envelope }>(
    organizationId,
    "select envelope from outbox where organization_id = $1 and envelope ->> 'entityId' = $2 order by position",
    [organizationId, entityId],
  );
  return rows.map(({ envelope }) => envelope);
}

const importsDir = () => join(running().dataDir, "imports");
/** Returns the ids of the stored files of an organization. */
export const listStoredFiles = (organizationId: string): Promise<string[]> => readdir(join(importsDir(), "files", organizationId)).catch(() => []);
const listUploads = (): Promise<string[]> => readdir(join(importsDir(), "incoming")).catch(() => []);

/** Waits until all current uploads, also those of concurrent tests, are removed from the upload directory. */
export async function waitForRemovedUploads(): Promise<void> {
  const initialUploads = await listUploads();
  await eventually("removal of the uploads", async () => {
    const currentUploads = await listUploads();
    return initialUploads.some((name) => currentUploads.includes(name)) ? undefined : true;
  });
}
