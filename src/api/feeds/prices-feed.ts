import { type Feed, priceText, unixSeconds } from "../feed.ts";
import { address, each, optional, text } from "../record.ts";

export const pricesFeed: Feed<"prices"> = {
  name: "prices",
  path: "/sse/prices",
  kinds: [
    {
      by: "token",
      method: "token_price",
      event: {
        name: "price-event",
        record: {
          address,
          chain: text,
          ...each("p price", optional(priceText)),
          ...each("timestamp timestamp_price token_price", optional(unixSeconds)),
        },
      },
    },
  ],
  // Hosts still send the older event name in response to requests with the older method.
  events: new Set(["token_price", "t_p"]),
  batches: "always",
  plan: "keyless",
  params: [],
  times: ["timestamp", "t", "timestamp_price", "t_p"],
  isSeries: true,
  hasTimeIds: false,
  shown: [{ title: "PRICE USD", reads: "price", names: ["price", "p"] }],
};
