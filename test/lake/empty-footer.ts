import type { Footer } from "../../src/lake/footer.ts";

/** Of an open day without rows. */
export const emptyFooter: Footer = {
  v: 1,
  kind: "transactions",
  network: "",
  period: { from: 0, to: 86_400 },
  state: "open",
  settled_to: 0,
  unsettled: 0,
  read_at: null,
  total: null,
  total_at: null,
  rows: 0,
  rows_sha256: "",
  first: null,
  last: null,
  tokens: [],
  lost: [],
  spilled: {},
  service: "",
  dexdata: "",
};
