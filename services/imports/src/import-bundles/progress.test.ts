/** Speed and estimated end of a running import. */
import { expect, test } from "@jest/globals";
import { eventually } from "../../../../test/support/eventually.ts";
import { anOffice } from "../../../../test/support/office.ts";
import { listEvents } from "../../test/bundles.ts";
import { withFault } from "../../test/faults.ts";
import { prepareBundle, writeBundle } from "../../test/writing.ts";

const ROW_COUNT = 2_000;

test("a running import shows its speed and its estimated end, by polling and in its events, and none once it is done", async () => {
  const office = await anOffice();
  const names = Array.from({ length: ROW_COUNT }, (_, index) => `V-${index},Vendor ${index}`);
  const { id, progress } = await prepareBundle(office, { vendors: ["source_id,name", ...names] });
  expect(progress).toMatchObject({ phase: null, rowsPerSecond: null, estimatedEndAt: null });
  const running = async () => {
    const { importBundle } = await office.call("getImportBundle", { params: { id } });
    return importBundle.progress.rowsPerSecond === null ? undefined : importBundle.progress;
  };
  // Slows the insertion of each vendor down to 5 ms, so that the writing takes at least ten seconds.
  const measured = await withFault("portfolio", { table: "vendor", when: "new.name like 'Vendor %'", delayMs: 5 }, async () => {
    await office.call("startImportBundle", { params: { id } });
    return eventually("speed of the writing", running);
  });
  expect(measured.phase).toBe("writing");
  expect(measured.rowsPerSecond).toBeGreaterThan(0);
  expect(measured.rowsPerSecond).toBeLessThanOrEqual(800);
  expect(Date.parse(measured.estimatedEndAt!)).toBeGreaterThan(Date.now() - 5_000);
  expect((await writeBundle(office, id)).progress).toEqual({ phase: null, processed: ROW_COUNT, total: ROW_COUNT, rowsPerSecond: null, estimatedEndAt: null });
  const events = (await listEvents(office, id)).filter(({ type, data }) => type === "import_bundle.progress" && data["phase"] === "writing");
  const withSpeed = events.filter(({ data }) => data["rowsPerSecond"] !== null);
  expect(withSpeed.length).toBeGreaterThan(0);
  for (const { data } of withSpeed) expect(typeof data["estimatedEndAt"]).toBe("string");
}, 180_000);
