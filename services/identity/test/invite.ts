import { anEmail, type Office } from "../../../test/support/office.ts";

/** A user of the office who has not accepted yet, and the token of the invite. */
export async function anInvited(office: Office, role: "admin" | "manager" | "staff" = "staff") {
  const email = anEmail();
  const answer = await office.call("createUser", { body: { email, fullName: "Ivy Invited", role } });
  return { ...answer, email, token: answer.inviteLink.split("/").pop()! };
}
