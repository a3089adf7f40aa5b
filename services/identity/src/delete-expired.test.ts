import { expect, test } from "@jest/globals";
import { systemPrincipal } from "@freehold/kit/auth/principal";
import { openDatabase } from "@freehold/kit/db/database";
import { OrgDb } from "@freehold/kit/db/org-db";
import { Client } from "../../../test/support/client.ts";
import { eventually } from "../../../test/support/eventually.ts";
import { anEmail, anOffice, password } from "../../../test/support/office.ts";
import { running } from "../../../test/support/running.ts";
import { withShiftedClock } from "../../../test/support/clock/shifted-clock.ts";
import { database as definition } from "./database.ts";
import { deleteExpired } from "./delete-expired.ts";
import { ageOneTimeTokens, ageTokens, makeJobsDue, readRows } from "../test/database.ts";

const DAY_SECONDS = 86_400;

test("the daily job deletes the expired sessions, refresh tokens and mailed tokens of people who do not return, and no others", async () => {
  const body = { organizationName: "Elm Street", fullName: "Ada Admin", email: anEmail(), password };
  const { organization } = await new Client(running().baseUrl).call("signUp", { body });
  const idsOf = async () => Promise.all(["session", "refresh_token", "one_time_token"].map(async (table) => (await readRows(organization.id, table)).length));
  await eventually("the token of the confirmation", async () => (await idsOf())[2] === 1);
  await ageTokens(organization.id, 31 * DAY_SECONDS);
  await ageOneTimeTokens(organization.id, 2 * DAY_SECONDS);
  // A second session, which has not expired.
  await new Client(running().baseUrl).call("login", { body: { email: body.email, password, organizationId: organization.id } });
  await makeJobsDue(organization.id);
  await eventually("the deletions", async () => JSON.stringify(await idsOf()) === "[1,1,0]");
});

test("a process whose clock is two years ahead deletes no session or mailed token early", async () => {
  const { organizationId } = await anOffice();
  const database = await openDatabase(definition, running().databaseUrls.identity.service, 2);
  const countRows = async () => Promise.all(["session", "one_time_token"].map(async (table) => (await readRows(organizationId, table)).length));
  const before = await countRows();
  expect(before[0]).toBeGreaterThan(0);
  await withShiftedClock(730 * DAY_SECONDS * 1_000, () => deleteExpired(400)(new OrgDb(database, systemPrincipal(organizationId))));
  await database.close();
  expect(await countRows()).toEqual(before);
});
