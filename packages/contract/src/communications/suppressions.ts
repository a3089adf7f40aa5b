import { z } from "zod";
import { operationGroup } from "../operation.ts";
import { admins } from "../roles.ts";
import { csvEnum, Email, Id, Instant, listQuery, page, Search } from "../values.ts";

export const suppressionReasons = ["bounced", "complained"] as const;

export const Suppression = z
  .strictObject({
    id: Id.describe("ID of the suppression. An address has one, which is renewed when the address is suppressed again."),
    organizationId: Id.describe("ID of the organization that does not write to the address."),
    address: Email.describe("E-mail address, in lower case."),
    reason: z
      .enum(suppressionReasons)
      .describe(
        "Reason of the suppression: `bounced` when a mail server refused or returned an e-mail for good, `complained` when the recipient reported one as spam. With `complained`, e-mails that reset a password or confirm an address are still sent.",
      ),
    suppressedAt: Instant.describe("Time since which the address is suppressed, the latest one if it was lifted in between."),
    createdAt: Instant.describe("Time at which the address was suppressed first."),
    updatedAt: Instant.describe("Time of the last change."),
    deletedAt: Instant.nullable().describe("Time at which the suppression was lifted. Null while it is in force."),
    deletedByUserId: Id.nullable().describe("ID of the user or service key that lifted the suppression. Null while it is in force."),
  })
  .meta({ id: "Suppression", description: "E-mail address to which the organization sends nothing, because it returned an e-mail or complained about one." });
export type Suppression = z.output<typeof Suppression>;

export const suppressions = operationGroup("Suppressions", "communications", {
  listSuppressions: {
    method: "GET",
    path: "/api/suppressions",
    summary: "list suppressed e-mail addresses",
    access: admins,
    query: listQuery(["suppressedAt", "address"], {
      search: Search.optional().describe("Case-insensitive text to find in the address."),
      reason: csvEnum(suppressionReasons).optional().describe("Return only suppressions for these reasons, repeated or comma-separated."),
    }),
    response: page("suppressions", Suppression),
  },
  deleteSuppression: {
    method: "DELETE",
    path: "/api/suppressions/{id}",
    summary: "lift the suppression of e-mail addresses",
    access: admins,
    description:
      "Sends e-mails to the address again from now on; those that were skipped meanwhile are not sent. Lift a suppression once the mailbox works again, or the recipient has agreed to further e-mails. A further bounce or complaint suppresses the address again.",
    response: { suppression: Suppression },
  },
});
