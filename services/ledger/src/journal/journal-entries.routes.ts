/** Routes of journal entries. */
import { journalEntries } from "@freehold/contract/ledger/journal-entries";
import { routes } from "@freehold/kit/http/routes";
import type { Clients } from "../clients.ts";
import { deleteJournalEntry, updateJournalEntry } from "./update-journal-entry.ts";
import { createJournalEntry } from "./create-journal-entry.ts";
import { getJournalEntry, listJournalEntries } from "./journal-entries.ts";
import { postJournalEntry } from "./post-journal-entry.ts";
import { reverseJournalEntry } from "./reverse-journal-entry.ts";

export const journalEntryRoutes = (clients: Clients) =>
  routes(journalEntries, {
    listJournalEntries: ({ db, query }) => listJournalEntries(db, query),
    createJournalEntry: ({ db, body, headers }) => createJournalEntry(db, clients, body, headers["X-Period-Override"]),
    getJournalEntry: async ({ db, params }) => ({ journalEntry: await getJournalEntry(db, params.id) }),
    updateJournalEntry: ({ db, params, body }) => updateJournalEntry(db, clients, params.id, body),
    deleteJournalEntry: ({ db, params }) => deleteJournalEntry(db, params.id),
    postJournalEntry: ({ db, params, body, headers }) => postJournalEntry(db, clients, params.id, body.occurredAt, headers["X-Period-Override"]),
    reverseJournalEntry: ({ db, params, body }) => reverseJournalEntry(db, clients, params.id, body),
  });
