/**
 * An import completes while its services are killed repeatedly, with the same result as an undisturbed import and without
 * duplicates. IMPORT_ROWS and IMPORT_KILLS in the environment set its size and the number of kills per service.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { startSystem, type System } from "../../deploy/system/system.ts";
import { countRows, largePortfolio } from "../../services/imports/test/large-portfolio.ts";
import { prepareBundle, writeBundle } from "../../services/imports/test/writing.ts";
import { anOffice, type Office } from "../support/office.ts";
import { sized } from "../support/proof.ts";
import { testSettings } from "../support/settings.ts";
import { closingBalances } from "../support/tenancy.ts";
import { eventually } from "../support/eventually.ts";

const ROWS = Number(process.env["IMPORT_ROWS"] ?? sized(600, 20_000));
const KILLS = Number(process.env["IMPORT_KILLS"] ?? sized(1, 10));
const TIMEOUT_MS = 60_000 + ROWS * 60;
const victims = ["imports", "portfolio", "ledger"] as const;
const sheets = largePortfolio(ROWS);

const dataDir = mkdtempSync(join(tmpdir(), "freehold-imported-"));
let system: System;
beforeAll(async () => {
  system = await startSystem({ dataDir, host: "127.0.0.1", port: 0, environment: { ...testSettings, VALIDATE_RESPONSES: "false" } });
});
afterAll(async () => {
  await system?.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

/** Returns the imported data of an organization without ids. */
async function stateOf(office: Office) {
  const lists = ["listProperties", "listUnits", "listTenants", "listLeases", "listCharges"] as const;
  const totals = await Promise.all(lists.map(async (list) => [list, (await office.call(list, { query: { pageSize: 1 } })).total]));
  const names = async (list: string, field: string) => {
    const response = await office.raw("GET", `/api/${list}`, undefined, { Accept: "text/csv" });
    const [header, ...lines] = (await response.text()).replace("\uFEFF", "").trim().split("\r\n");
    const column = header!.split(",").indexOf(field);
    return lines.map((line) => line.split(",")[column]!).toSorted();
  };
  return {
    totals: Object.fromEntries(totals) as object,
    tenants: await names("tenants", "fullName"),
    units: await names("units", "unitNumber"),
    balances: await closingBalances(office),
  };
}

const progressOf = async (office: Office, id: string): Promise<number> =>
  (await office.attempt("getImportBundle", { params: { id } })).body.importBundle?.progress.processed ?? -1;

/** Kills a process and waits until it is restarted. */
async function kill(name: (typeof victims)[number]): Promise<void> {
  const { pid } = system.children.get(name)!;
  process.kill(pid!, "SIGKILL");
  await eventually(`new ${name}`, () => system.children.get(name)!.pid !== pid);
}

describe("an import whose services are killed while it is written", () => {
  test(
    "has the same result as an undisturbed one, and a repeated import finds no changes",
    async () => {
      const [undisturbedOffice, disturbedOffice] = await Promise.all([anOffice(system.baseUrl), anOffice(system.baseUrl)]);
      const bundle = await prepareBundle(disturbedOffice, sheets);
      expect(bundle.counts.ready_create).toBe(countRows(sheets));
      await disturbedOffice.call("startImportBundle", { params: { id: bundle.id } });
      for (let round = 0; round < KILLS; round++)
        for (const [index, name] of victims.entries()) {
          const rowsBeforeKill = (ROWS * (round * victims.length + index + 0.5)) / (KILLS * victims.length + 1);
          await eventually("progress", async () => (await progressOf(disturbedOffice, bundle.id)) >= rowsBeforeKill, TIMEOUT_MS);
          await kill(name);
          await sleep(200);
        }
      const done = await writeBundle(disturbedOffice, bundle.id, TIMEOUT_MS);
      expect([done.status, done.error]).toEqual(["completed", null]);

      const undisturbed = await prepareBundle(undisturbedOffice, sheets);
      expect((await writeBundle(undisturbedOffice, undisturbed.id, TIMEOUT_MS)).status).toBe("completed");
      expect(await stateOf(disturbedOffice)).toEqual(await stateOf(undisturbedOffice));
      expect((await prepareBundle(disturbedOffice, sheets)).counts).toMatchObject({ unchanged: countRows(sheets), ready_create: 0, ready_update: 0 });
    },
    4 * TIMEOUT_MS,
  );
});
