import { describe, expect, test } from "@jest/globals";
import { Client } from "../../../../test/support/client.ts";
import { eventually } from "../../../../test/support/eventually.ts";
import { anEmail, anOffice } from "../../../../test/support/office.ts";
import { running } from "../../../../test/support/running.ts";

const anonymousClient = () => new Client(running().baseUrl);
const ownersPassword = "the owner's own passphrase";
const signUpBody = (email: string, password: string, organizationName: string) => ({ organizationName, fullName: "Ada", email, password });
const signUp = (email: string, password: string, organizationName = "Squatted House") =>
  anonymousClient().call("signUp", { body: signUpBody(email, password, organizationName) });
const signIn = (email: string, password = ownersPassword) => anonymousClient().attempt("login", { body: { email, password } });
/** Signs up an organization with an address without confirming it. */
const squat = (email: string) => signUp(email, "a squatter's passphrase");
/** Returns the tokens of the mailed reset links in messages that name an organization. */
const mailedTokens = (email: string, organizationName: string) =>
  eventually("reset link", async () => {
    const { messages } = await anonymousClient().call("listDevOutbox", { query: { to: email } });
    const links = messages.filter(({ text }) => text.includes(organizationName)).flatMap((message) => message.links);
    const tokens = links.filter((link) => link.includes("/password-reset/")).map((link) => link.split("/").pop()!);
    return tokens.length > 0 && tokens;
  });

async function resetPassword(email: string, organizationName: string, newPassword: string): Promise<void> {
  await anonymousClient().call("requestPasswordReset", { body: { email } });
  const [token] = await mailedTokens(email, organizationName);
  await anonymousClient().call("confirmPasswordReset", { body: { token: token!, newPassword } });
}

describe("an unconfirmed account with somebody's address", () => {
  test("does not keep its owner from signing up and in, after a reset of the password that only the owner can make", async () => {
    const email = anEmail();
    await squat(email);
    expect((await anonymousClient().attempt("signUp", { body: signUpBody(email, ownersPassword, "Owner's House") })).body.code).toBe("duplicate");
    await resetPassword(email, "Squatted House", ownersPassword);
    const { organization } = await signUp(email, ownersPassword, "Owner's House");
    const { status } = await anonymousClient().attempt("login", { body: { email, password: ownersPassword, organizationId: organization.id } });
    expect(status).toBe(200);
  });

  test("does not keep its owner from accepting an invite to another organization", async () => {
    const [email, office] = [anEmail(), await anOffice()];
    await squat(email);
    const { inviteLink } = await office.call("createUser", { body: { email, fullName: "Olga Owner", role: "staff" } });
    await anonymousClient().call("acceptInvite", { params: { token: inviteLink.split("/").pop()! }, body: { password: ownersPassword } });
    expect((await signIn(email)).body.organization.id).toBe(office.organizationId);
  });

  test("does not keep its owner from signing up either when the squatter has invited the address and accepted the invite", async () => {
    const [email, squatter] = [anEmail(), await anOffice()];
    const { inviteLink } = await squatter.call("createUser", { body: { email, fullName: "Olga Owner", role: "staff" } });
    await anonymousClient().call("acceptInvite", { params: { token: inviteLink.split("/").pop()! }, body: { password: "a squatter's passphrase" } });
    await resetPassword(email, "Elm Street Management", ownersPassword);
    expect((await signUp(email, ownersPassword, "Owner's House")).user.email).toBe(email);
  });
});
