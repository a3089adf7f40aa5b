/** Attack on the open balances that are stored beside charges, with the role of the service. */
import { expect, test } from "@jest/globals";
import pg from "pg";
import { anOffice } from "../../../../../test/support/office.ts";
import { running } from "../../../../../test/support/running.ts";
import { aCharge, aPayment, aTenancy } from "../../../../../test/support/tenancy.ts";

test("only the triggers of charges write open balances, so the service's role cannot show a paid charge as open", async () => {
  const office = await anOffice();
  const tenancy = await aTenancy(office);
  const chargeId = await aCharge(office, tenancy.leaseId, 100);
  await office.call("recordPayment", { body: { ...aPayment(tenancy, 100), allocations: [{ chargeId, amountCents: 100 }] } });
  const { organizationId } = office;
  const service = new pg.Client({ connectionString: running().databaseUrls.ledger.service });
  await service.connect();
  const forge = (table: string, columns: string, values: string) =>
    service.query(`insert into ${table} (organization_id, ${columns}) select '${organizationId}', ${values} from charge where id = '${chargeId}'`);
  try {
    await service.query("select set_config('app.organization_id', $1, false)", [organizationId]);
    // Control: a write to the list totals, which triggers maintain as well, is refused.
    await expect(forge("list_total", "list, shard, rows, amount_cents", "'open_charge', 31, 1, 99900")).rejects.toMatchObject({ code: "42501" });
    await forge(
      "open_charge",
      "charge_id, lease_id, tenant_id, property_id, charge_type, due_date, amount_cents, balance_cents",
      "id, lease_id, tenant_id, property_id, charge_type, due_date, amount_cents, 99900",
    ).catch(() => undefined);
  } finally {
    await service.end();
  }
  const { charges } = await office.call("listCharges", { query: { leaseId: tenancy.leaseId, overdue: true } });
  expect(charges.map(({ id, balanceCents }) => ({ id, balanceCents }))).toEqual([]);
});
