import { describe, expect, test } from "@jest/globals";
import { Client } from "../../../../test/support/client.ts";
import { eventually } from "../../../../test/support/eventually.ts";
import { anEmail, anOffice } from "../../../../test/support/office.ts";
import { running } from "../../../../test/support/running.ts";

const anonymousClient = () => new Client(running().baseUrl);
const ownersPassword = "the owner's own passphrase";
const signUp = (email: string, password: string, organizationName = "Squatted House") =>
  anonymousClient().call("signUp", { body: { organizationName, fullName: "Ada", email, password } });
const signIn = (email: string, password = ownersPassword) => anonymousClient().attempt("login", { body: { email, password } });
/** Signs up organizations with an address without confirming it, each with another password. */
async function squat(email: string, count = 1): Promise<void> {
  for (let index = 0; index < count; index++) await signUp(email, `a squatter's passphrase ${Math.random()}`);
}
/** Returns the tokens of the mailed links of a kind in messages that name an organization. */
const mailedTokens = (email: string, kind: "password-reset" | "email-confirmation", organizationName: string) =>
  eventually(`${kind} link`, async () => {
    const { messages } = await anonymousClient().call("listDevOutbox", { query: { to: email } });
    const links = messages.filter(({ text }) => text.includes(organizationName)).flatMap((message) => message.links);
    const tokens = links.filter((link) => link.includes(`/${kind}/`)).map((link) => link.split("/").pop()!);
    return tokens.length > 0 && tokens;
  });

describe("an unconfirmed account with somebody's address", () => {
  test("does not keep its owner from signing up, and from signing in without an organization", async () => {
    const email = anEmail();
    await squat(email, 2);
    const { organization } = await signUp(email, ownersPassword, "Owner's House");
    expect((await signIn(email)).body.organization.id).toBe(organization.id);
  });

  test("does not displace the owner's account, however many there are, once the owner has confirmed the address", async () => {
    const email = anEmail();
    const { organization } = await signUp(email, ownersPassword, "Owner's House");
    await squat(email, 6);
    const [token] = await mailedTokens(email, "email-confirmation", "Owner's House");
    await anonymousClient().call("confirmEmail", { body: { token: token! } });
    expect((await signIn(email)).body.organization.id).toBe(organization.id);
  });

  test("does not keep its owner from accepting an invite to another organization", async () => {
    const [email, office] = [anEmail(), await anOffice()];
    await squat(email);
    const { inviteLink } = await office.call("createUser", { body: { email, fullName: "Olga Owner", role: "staff" } });
    await anonymousClient().call("acceptInvite", { params: { token: inviteLink.split("/").pop()! }, body: { password: ownersPassword } });
    expect((await signIn(email)).body.organization.id).toBe(office.organizationId);
  });

  test("does not keep its owner from resetting the password", async () => {
    const email = anEmail();
    const { organization } = await signUp(email, ownersPassword, "Owner's House");
    await squat(email);
    await anonymousClient().call("requestPasswordReset", { body: { email } });
    const [token] = await mailedTokens(email, "password-reset", "Owner's House");
    await anonymousClient().call("confirmPasswordReset", { body: { token: token!, newPassword: "a passphrase after the reset" } });
    expect((await signIn(email, "a passphrase after the reset")).body.organization.id).toBe(organization.id);
  });

  test("does not keep its owner from signing up either when the squatter has invited the address and accepted the invite", async () => {
    const [email, squatter] = [anEmail(), await anOffice()];
    const { inviteLink } = await squatter.call("createUser", { body: { email, fullName: "Olga Owner", role: "staff" } });
    await anonymousClient().call("acceptInvite", { params: { token: inviteLink.split("/").pop()! }, body: { password: "a squatter's passphrase" } });
    const { organization } = await signUp(email, ownersPassword, "Owner's House");
    expect((await signIn(email)).body.organization.id).toBe(organization.id);
  });
});
