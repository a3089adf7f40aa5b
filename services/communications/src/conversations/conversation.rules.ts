/** Statuses of conversations. */
import { stateMachine } from "@freehold/kit/state-machine";
import { conflict } from "@freehold/kit/errors";
import type { Conversation } from "./conversation.entity.ts";

export const conversationStates = stateMachine("conversation", { open: ["closed"], closed: ["open", "archived"], archived: [] });

/** Throws 409 unless messages can be added to the conversation. */
export function requireOpen({ status }: Pick<Conversation, "status">): void {
  if (status === "closed") throw conflict("The conversation is closed. Set its status to open first.", "invalid_transition");
  if (status === "archived") throw conflict("The conversation is archived. Start another one.", "invalid_transition");
}
