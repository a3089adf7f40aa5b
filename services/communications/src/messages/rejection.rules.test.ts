import { describe, expect, test } from "@jest/globals";
import { isAddressRejection } from "./rejection.rules.ts";

describe("isAddressRejection", () => {
  test.each([
    "550 no such mailbox",
    "550 5.1.1 The email account that you tried to reach does not exist",
    "550-5.1.1 <ana@example.com>: Recipient address rejected",
    "551 User not local",
    "550 5.0.0 User unknown",
    "550 5.2.1 The account is disabled",
    "550 5.4.1 Recipient address rejected: Access denied",
  ])("%j rejects the address", (response) => {
    expect(isAddressRejection(response)).toBe(true);
  });
  test.each([
    "451 4.1.1 try later",
    "450 mailbox busy",
    "552 5.2.2 Mailbox full",
    "550 5.2.2 Over quota",
    "550 5.7.1 Service unavailable; client host is blocked",
    "554 5.7.1 Relay access denied",
    "550 relay not permitted",
    "550 Blocked: see https://list.example/192.0.2.1",
    "550 5.1.8 Sender address rejected",
    "554 transaction failed",
    "553 sorry, that domain isn't in my list of allowed rcpthosts",
    "550-Verification failed for <bounce@x.example> 550-Unrouteable address 550 Sender verify failed",
    "550 Domain x.example has exceeded the max emails per hour (101/100 (101%)) allowed.  Message discarded.",
    "550 Too many recipients",
    "550 Mailbox quota exceeded",
    "550 Sender denied",
    "550 Access denied - Invalid HELO name",
    "550 5.1.0 <a@b.example>: Sender address rejected: not found",
    "550 5.0.0 Message rejected",
    "",
  ])("%j does not", (response) => {
    expect(isAddressRejection(response)).toBe(false);
  });
});
