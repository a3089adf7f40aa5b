/** Large files, many at once: how much memory they take on their way through the gateway to the disk and back. */
import { mkdtempSync, openAsBlob, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { aProperty } from "../../../services/portfolio/test/fixtures.ts";
import { anOffice, type Office } from "../../support/office.ts";
import { rssOf, settledRss, withGarbageCollection } from "../garbage.ts";
import { median, ROUNDS, type Outcome } from "../measure.ts";
import { setStage } from "../stage.ts";

const FILES = 20;
const BYTES = 25 * 1_048_576;
const LIMIT_MIB = 32;
const LOOK_MS = 20;
const measured = ["gateway", "portfolio"] as const;

async function upload(office: Office, propertyId: string, path: string): Promise<string> {
  const form = new FormData();
  form.append("entityType", "property");
  form.append("entityId", propertyId);
  form.append("file", await openAsBlob(path, { type: "application/pdf" }), "plans.pdf");
  const response = await fetch(`${office.baseUrl}/api/documents`, { method: "POST", headers: { Authorization: `Bearer ${office.token}` }, body: form });
  if (response.status !== 200) throw new Error(`An upload was answered ${response.status}: ${await response.text()}`);
  return ((await response.json()) as { document: { id: string } }).document.id;
}

async function download(office: Office, id: string): Promise<void> {
  const response = await fetch(`${office.baseUrl}/api/documents/${id}/download`, { headers: { Authorization: `Bearer ${office.token}` } });
  let bytes = 0;
  for await (const chunk of response.body!) bytes += chunk.length;
  if (response.status !== 200 || bytes !== BYTES) throw new Error(`A download was answered ${response.status} with ${bytes} bytes.`);
}

/** Files go in and come out, all at once; then they are deleted. */
async function round(office: Office, propertyId: string, path: string): Promise<void> {
  const ids = await Promise.all(Array.from({ length: FILES }, () => upload(office, propertyId, path)));
  await Promise.all(ids.map((id) => download(office, id)));
  await Promise.all(ids.map((id) => office.call("deleteDocument", { params: { id } })));
}

/** By how many MiB each process grows at most while something lasts. */
async function growthDuring(pids: readonly number[], work: () => Promise<void>): Promise<number[]> {
  const before = await Promise.all(pids.map(settledRss));
  const highest = [...before];
  const looking = setInterval(() => pids.forEach((pid, index) => (highest[index] = Math.max(highest[index]!, rssOf(pid)))), LOOK_MS);
  await work().finally(() => clearInterval(looking));
  return highest.map((kib, index) => (kib - before[index]!) / 1_024);
}

/** The benchmarks of documents, on a stage of their own. */
export async function documents(say: (text: string) => void, done: (outcome: Outcome) => void): Promise<void> {
  const stage = await setStage(say, { programOf: withGarbageCollection(...measured) });
  const dir = mkdtempSync(join(tmpdir(), "freehold-bench-file-"));
  try {
    const path = join(dir, "plans.pdf");
    writeFileSync(path, Buffer.concat([Buffer.from("%PDF-1.7\n"), Buffer.alloc(BYTES - 9, "stream ")]));
    const office = await anOffice(stage.system.baseUrl);
    const pids = measured.map((name) => stage.system.children.get(name)!.pid!);
    const propertyId = (await aProperty(office)).id;
    await round(office, propertyId, path);
    const rounds: number[][] = [];
    while (rounds.length < ROUNDS) rounds.push(await growthDuring(pids, () => round(office, propertyId, path)));
    for (const [index, name] of measured.entries()) {
      const ours = median(rounds.map((growth) => growth[index]!));
      const what = `${FILES} files of ${BYTES / 1_048_576} MiB up and down at once: growth of the resident set of the ${name === "gateway" ? "gateway" : "service"}`;
      done({ name: what, against: `${LIMIT_MIB} MiB`, target: { atMost: 1 }, unit: "MiB", ours, theirs: LIMIT_MIB, ratio: ours / LIMIT_MIB });
    }
  } finally {
    rmSync(dir, { recursive: true, force: true });
    await stage.end();
  }
}
