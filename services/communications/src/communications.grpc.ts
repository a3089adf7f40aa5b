/** The question that other services ask communications. */
import { grpcDoor } from "@freehold/kit/grpc";
import { CommunicationsServiceService, type CommunicationsServiceServer } from "@freehold/proto/communications/v1/communications";
import { sendMessages, type PostOffice } from "./messages/messages.ts";

export const communicationsGrpc = (postOffice: PostOffice) =>
  grpcDoor<CommunicationsServiceServer>(CommunicationsServiceService, {
    send: async ({ messages }, db) => ({ deliveries: await sendMessages(db, postOffice, messages) }),
  });
