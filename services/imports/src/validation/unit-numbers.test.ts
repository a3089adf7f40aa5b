/** A property has one unit of a number: the dry run finds the second row with it. */
import { expect, test } from "@jest/globals";
import { anOffice } from "../../../../test/support/office.ts";
import { listAllCandidates, validateBundle } from "../../test/bundles.ts";
import { prepareBundle } from "../../test/writing.ts";

test("the second row of a unit number in a property is invalid, unless the first is excluded", async () => {
  const office = await anOffice();
  const { id } = await prepareBundle(office, {
    properties: [
      "source_id,name,street_line1,city,state,postal_code",
      "P-1,Maple Court,12 Maple Street,Albany,NY,12207",
      "P-2,Oak House,7 Oak Street,Albany,NY,12207",
    ],
    units: ["source_id,property_source_id,unit_number,monthly_rent", "U-1,P-1,1a,900.00", "U-2,P-2,1A,900.00", "U-3,P-1,1A,900.00", "U-4,P-1,1-A,900.00"],
  });
  const units = () => listAllCandidates(office, id, { entityType: "unit" });
  const statuses = async () => (await units()).map(({ status }) => status);
  expect(await statuses()).toEqual(["ready_create", "ready_create", "invalid", "ready_create"]);
  const [first, , taken] = await units();
  expect(taken!.errors).toMatchObject([{ path: "unit_number", code: "unique", message: expect.stringMatching(/^Row 2 has the same unit_number/) }]);
  await office.call("resolveImportCandidate", { params: { id, candidateId: first!.id }, body: { action: "exclude" } });
  await validateBundle(office, id);
  expect(await statuses()).toEqual(["excluded", "ready_create", "ready_create", "ready_create"]);
});
