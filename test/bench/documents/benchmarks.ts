/** Memory use of the gateway and the service during concurrent uploads, and then concurrent downloads, of large files. */
import { mkdtempSync, openAsBlob, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { aProperty } from "../../../services/portfolio/test/fixtures.ts";
import { anOffice, type Office } from "../../support/office.ts";
import { growthDuring, withForcedGc } from "../memory.ts";
import { median, ROUNDS, type BenchmarkResult } from "../measure.ts";
import { startBenchSystem } from "../bench-system.ts";

const FILES = 20;
const BYTES = 25 * 1_048_576;
const LIMIT_MIB = 32;
const measuredProcesses = ["gateway", "portfolio"] as const;

async function upload(office: Office, propertyId: string, path: string): Promise<string> {
  const form = new FormData();
  form.append("entityType", "property");
  form.append("entityId", propertyId);
  form.append("file", await openAsBlob(path, { type: "application/pdf" }), "plans.pdf");
  const response = await fetch(`${office.baseUrl}/api/documents`, { method: "POST", headers: { Authorization: `Bearer ${office.token}` }, body: form });
  if (response.status !== 200) throw new Error(`An upload returned status ${response.status}: ${await response.text()}`);
  return ((await response.json()) as { document: { id: string } }).document.id;
}

async function download(office: Office, id: string): Promise<void> {
  const response = await fetch(`${office.baseUrl}/api/documents/${id}/download`, { headers: { Authorization: `Bearer ${office.token}` } });
  let bytes = 0;
  for await (const chunk of response.body!) bytes += chunk.length;
  if (response.status !== 200 || bytes !== BYTES) throw new Error(`A download returned status ${response.status} and ${bytes} bytes.`);
}

/** Uploads all files at once, downloads them at once, then deletes them. */
async function transferFiles(office: Office, propertyId: string, path: string): Promise<void> {
  const ids = await Promise.all(Array.from({ length: FILES }, () => upload(office, propertyId, path)));
  await Promise.all(ids.map((id) => download(office, id)));
  await Promise.all(ids.map((id) => office.call("deleteDocument", { params: { id } })));
}

/** Runs the document benchmarks on their own system. */
export async function documents(log: (text: string) => void, onResult: (result: BenchmarkResult) => void): Promise<void> {
  const bench = await startBenchSystem(log, { programOf: withForcedGc(...measuredProcesses) });
  const dir = mkdtempSync(join(tmpdir(), "freehold-bench-file-"));
  try {
    const path = join(dir, "plans.pdf");
    writeFileSync(path, Buffer.concat([Buffer.from("%PDF-1.7\n"), Buffer.alloc(BYTES - 9, "stream ")]));
    const office = await anOffice(bench.system.baseUrl);
    const pids = measuredProcesses.map((name) => bench.system.children.get(name)!.pid!);
    const propertyId = (await aProperty(office)).id;
    await transferFiles(office, propertyId, path);
    const rounds: number[][] = [];
    while (rounds.length < ROUNDS) rounds.push(await growthDuring(pids, () => transferFiles(office, propertyId, path)));
    for (const [index, processName] of measuredProcesses.entries()) {
      const ours = median(rounds.map((growth) => growth[index]!));
      const benchmarkName = `${FILES} files of ${BYTES / 1_048_576} MiB uploaded at once, then downloaded at once: growth of the resident set of the ${processName === "gateway" ? "gateway" : "service"}`;
      onResult({ name: benchmarkName, against: `${LIMIT_MIB} MiB`, target: { atMost: 1 }, unit: "MiB", ours, theirs: LIMIT_MIB, ratio: ours / LIMIT_MIB });
    }
  } finally {
    rmSync(dir, { recursive: true, force: true });
    await bench.end();
  }
}
