import { expect, test } from "@jest/globals";
import { today } from "@freehold/kit/time/clock";
import { addDays } from "@freehold/kit/time/plain-date";
import { Client } from "../../../../test/support/client.ts";
import { anEmail, Office, password } from "../../../../test/support/office.ts";
import { running } from "../../../../test/support/running.ts";
import { aTenancy } from "../../../../test/support/tenancy.ts";
import { eventually } from "../../../../test/support/eventually.ts";

// It is always a later day on Kiritimati than in Pago Pago, whose clocks are 25 hours behind.
test("reports end with today in the organization's time zone, also with an access token from before the time zone changed", async () => {
  const client = new Client(running().baseUrl);
  const email = anEmail();
  const body = { organizationName: "Island Homes", fullName: "Ada Admin", email, password, timezone: "Pacific/Pago_Pago" };
  const { accessToken, user, organization } = await client.call("signUp", { body });
  client.token = accessToken;
  const office = new Office(client, organization.id, user.id, email);
  const { leaseId } = await aTenancy(office);
  await office.call("updateOrganization", { body: { timezone: "Pacific/Kiritimati" } });
  const kiritimati = today("Pacific/Kiritimati");
  await eventually("the time zone", async () => (await office.call("listLeaseLedger", { params: { id: leaseId }, query: {} })).asOf >= kiritimati);
  const [{ trialBalance }, { asOf }] = [await office.call("getTrialBalance", { query: {} }), await office.call("listAccountBalances", { query: {} })];
  expect([trialBalance.asOf >= kiritimati, asOf >= kiritimati]).toEqual([true, true]);
  // Due the day before, which is not over in Pago Pago.
  const charge = { leaseId, amountCents: 100, dueDate: addDays(kiritimati, -1), chargeType: "rent" as const };
  const { charge: created } = await office.call("createCharge", { body: charge });
  const { charge: read } = await office.call("getCharge", { params: { id: created.id } });
  const { charges } = await office.call("listCharges", { query: { leaseId, overdue: "true" } });
  expect([created, read, ...charges].map(({ id, isOverdue }) => [id, isOverdue])).toEqual(Array.from({ length: 3 }, () => [created.id, true]));
});
