/** Runs the ledger's code in the benchmark process against the system's database, to measure it without the network. */
import type { payments } from "@freehold/contract/ledger/payments";
import type { BodyOf } from "@freehold/contract/operation";
import { OrgDb } from "@freehold/kit/db/org-db";
import { openDatabase } from "@freehold/kit/db/database";
import { createAssertions } from "@freehold/kit/auth/assertion";
import type { Principal } from "@freehold/kit/auth/principal";
import { createClients } from "@freehold/ledger/clients";
import { database } from "@freehold/ledger/database";
import { recordPayment } from "@freehold/ledger/receivables/payments/record-payment";
import type { Office } from "../support/office.ts";
import type { Stage } from "./stage.ts";

export async function ledgerHere(stage: Stage) {
  const environment = stage.system.environmentOf("ledger");
  const opened = await openDatabase(database, environment["LEDGER_DATABASE_URL"]!, 8);
  const keys = createAssertions("ledger", environment["ASSERTION_KEY"]!, JSON.parse(environment["ASSERTION_PUBLIC_KEYS"]!) as Record<string, string>);
  const clients = createClients({ identity: environment["IDENTITY_GRPC"]!, portfolio: environment["PORTFOLIO_GRPC"]! }, keys);
  return {
    record: (office: Office, body: object) =>
      recordPayment(new OrgDb(opened, principalOf(office)), clients, body as BodyOf<typeof payments.operations.recordPayment>),
    close: () => opened.close(),
  };
}

export const principalOf = ({ organizationId, userId }: Office): Principal => ({
  organizationId,
  userId,
  role: "admin",
  subjectId: null,
  timezone: "America/New_York",
});

/** Signs the principal as the gateway does, for requests directly to a service. */
export function sealedFor(stage: Stage): (office: Office) => Promise<Record<string, string>> {
  const own = createAssertions("gateway", stage.system.environmentOf("gateway")["ASSERTION_KEY"]!, {});
  return async (office) => ({ "x-freehold-scope": await own.sign(principalOf(office)) });
}
