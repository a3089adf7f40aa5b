import { test } from "@jest/globals";
import { Client } from "../../../test/support/client.ts";
import { eventually } from "../../../test/support/eventually.ts";
import { anEmail, password } from "../../../test/support/office.ts";
import { running } from "../../../test/support/running.ts";
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
