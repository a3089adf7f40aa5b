import { anEmail, type Office } from "../../../test/support/office.ts";

/** Creates an office user with a pending invite. Returns the response with the user's e-mail address and the invite's token. */
export async function anInvitedUser(office: Office, role: "admin" | "manager" | "staff" = "staff") {
  const email = anEmail();
  const response = await office.call("createUser", { body: { email, fullName: "Ivy Invited", role } });
  return { ...response, email, token: response.inviteLink.split("/").pop()! };
}
