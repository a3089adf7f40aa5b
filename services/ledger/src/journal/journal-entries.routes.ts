/** Routes of journal entries. */
import { journalEntries } from "@freehold/contract/ledger/journal-entries";
import { routes } from "@freehold/kit/http/routes";
import type { Clients } from "../clients.ts";
import { deleteJournalEntry, postJournalEntry, updateJournalEntry } from "./draft-entries.ts";
import { createJournalEntry, reverseJournalEntry } from "./journal-entries.ts";
import { getJournalEntry, listJournalEntries } from "./list-journal-entries.ts";

export const journalEntryRoutes = (clients: Clients) =>
  routes(journalEntries, {
    listJournalEntries: ({ db, query }) => listJournalEntries(db, query),
    createJournalEntry: ({ db, body, headers }) => createJournalEntry(db, clients, body, headers["X-Period-Override"]),
    getJournalEntry: async ({ db, params }) => ({ journalEntry: await getJournalEntry(db, params.id) }),
    updateJournalEntry: ({ db, params, body }) => updateJournalEntry(db, clients, params.id, body),
    deleteJournalEntry: ({ db, params }) => deleteJournalEntry(db, params.id),
    postJournalEntry: ({ db, params, body, headers }) => postJournalEntry(db, params.id, body.occurredAt, headers["X-Period-Override"]),
    reverseJournalEntry: ({ db, params, body }) => reverseJournalEntry(db, params.id, body),
  });
