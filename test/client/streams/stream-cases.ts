/** A stream and its events according to the standard. */
export interface StreamCase {
  readonly rule: string;
  readonly stream: string | Buffer;
  /** Type, data and last event ID of each event; `requestId` if the stream has the service's own field. */
  readonly events: readonly ExpectedEvent[];
  /** Defaults to the empty string. */
  readonly lastEventId?: string;
  readonly retry?: number;
}

export interface ExpectedEvent {
  readonly name: string;
  readonly data: string;
  readonly id: string;
  readonly requestId: string | undefined;
}

function event(data: string, more: Partial<ExpectedEvent> = {}): ExpectedEvent {
  return { name: "message", id: "", requestId: undefined, ...more, data };
}

/** The only event left if a field is ignored. */
const one = [event("1")];

/** Sections 9.2.5 and 9.2.6 of the HTML standard, sentence by sentence. */
export const streamCases: readonly StreamCase[] = [
  // Parsing an event stream.
  { rule: "an empty stream holds no event", stream: "", events: [] },
  { rule: "one byte order mark at the beginning is ignored", stream: "\ufeffdata: 1\n\n", events: one },
  { rule: "a second byte order mark belongs to the name", stream: "\ufeff\ufeffdata: 1\n\n", events: [] },
  {
    rule: "a byte order mark later belongs to the name",
    stream: "data: 1\n\ufeffdata: 2\n\n",
    events: one,
  },
  {
    rule: "a byte order mark may stand before an empty line",
    stream: "\ufeff\n\ufeffdata: 2\n\ndata: 1\n\n",
    events: one,
  },
  {
    rule: "two bytes of a byte order mark are none",
    stream: Buffer.from([0xef, 0xbb, ...Buffer.from("data: 2\ndata: 1\n\n")]),
    events: one,
  },
  { rule: "lines end with LF", stream: "data: 1\nevent: x\n\n", events: [event("1", { name: "x" })] },
  { rule: "lines end with CR", stream: "data: 1\revent: x\r\r", events: [event("1", { name: "x" })] },
  {
    rule: "lines end with CR LF, which is one end",
    stream: "data: 1\r\nevent: x\r\n\r\n",
    events: [event("1", { name: "x" })],
  },
  {
    rule: "the three ends of a line may be mixed",
    stream: "data: 1\rdata: 2\r\ndata: 3\n\r\ndata: 4\n\rdata: 5\r\r\n",
    events: [event("1\n2\n3"), event("4"), event("5")],
  },
  { rule: "LF CR are two ends", stream: "data: 1\n\rdata: 2\n\n", events: [event("1"), event("2")] },
  { rule: "CR LF LF is a line end and an empty line", stream: "data: 1\r\n\ndata: 2\n", events: one },
  { rule: "CR CR LF too", stream: "data: 1\r\r\ndata: 2\n", events: one },
  {
    rule: "a form feed, U+0085 and U+2028 end no line",
    stream: "data: 1\f\u0085\u2028\n\n",
    events: [event("1\f\u0085\u2028")],
  },
  {
    rule: "UTF-8 of two, three and four bytes arrives whole",
    stream: "data: é€😀\nevent: ünï\nid: 🆔\n\n",
    events: [event("é€😀", { name: "ünï", id: "🆔" })],
    lastEventId: "🆔",
  },
  {
    rule: "bytes that are no UTF-8 become U+FFFD",
    stream: Buffer.from([...Buffer.from("data: "), 0xff, 0x41, 0xe2, 0x82, 0x0a, 0x0a]),
    events: [event("\ufffdA\ufffd")],
  },
  // Interpreting: lines.
  {
    rule: "an event without its empty line is dropped at the end",
    stream: "data: 1\n\ndata: 2\n",
    events: one,
  },
  {
    rule: "a line without its end is dropped at the end",
    stream: "data: 1\n\ndata: 2\n\nid",
    events: [event("1"), event("2")],
  },
  { rule: "the last line end may be all that is missing", stream: "data: 1", events: [] },
  {
    rule: "a line that begins with a colon is a comment",
    stream: ": ping\ndata: 1\n:data: 2\n:\n\n",
    events: one,
  },
  { rule: "comments alone are no event", stream: ": ping\n\n: ping\n\n", events: [] },
  { rule: "the value begins behind the first colon", stream: "data:a:b: c\n\n", events: [event("a:b: c")] },
  {
    rule: "one space behind the colon is left out, no more",
    stream: "data:  1\ndata:2\ndata: \n\n",
    events: [event(" 1\n2\n")],
  },
  { rule: "a tab is no space", stream: "data:\t1\n\n", events: [event("\t1")] },
  { rule: "spaces at the end belong to the value", stream: "data: 1 \n\n", events: [event("1 ")] },
  { rule: "a space before the colon belongs to the name", stream: "data : 2\ndata: 1\n\n", events: one },
  { rule: "a space before the name belongs to it", stream: " data: 2\ndata: 1\n\n", events: one },
  { rule: "a line without a colon is a field with an empty value", stream: "data\n\n", events: [event("")] },
  { rule: "so is one for a name that is not known", stream: "nothing\ndata: 1\n\n", events: one },
  { rule: "a line of one space is no empty line", stream: "data: 1\n \n\n", events: one },
  {
    rule: "names are compared in their letter case",
    stream: "Data: 2\nDATA: 3\ndata: 1\nEvent: x\nID: 7\nRetry: 9\n\n",
    events: one,
  },
  {
    rule: "names are compared whole",
    stream: "dat: 2\ndatas: 3\ndata: 1\nevents: x\nid2: 7\n\n",
    events: one,
  },
  {
    rule: "unknown fields are ignored",
    stream: "foo: bar\n__proto__: x\nconstructor: y\ndata: 1\n\n",
    events: one,
  },
  // Interpreting: data.
  {
    rule: "several data lines are joined by LF",
    stream: "data: 1\ndata: 2\ndata: 3\n\n",
    events: [event("1\n2\n3")],
  },
  {
    rule: "other fields may stand between them",
    stream: "data: 1\n: c\nevent: x\ndata: 2\n\n",
    events: [event("1\n2", { name: "x" })],
  },
  {
    rule: "one LF at the end of the data is left out, no more",
    stream: "data\ndata\ndata\n\n",
    events: [event("\n\n")],
  },
  { rule: "data that is empty is an event", stream: "data:\n\ndata\n\n", events: [event(""), event("")] },
  { rule: "empty lines alone are no event", stream: "\n\n\r\r\n\n", events: [] },
  { rule: "NUL may stand in data", stream: "data: a\0b\n\n", events: [event("a\0b")] },
  // Interpreting: event.
  {
    rule: "the event field names the type",
    stream: "event: token_price\ndata: 1\n\n",
    events: [event("1", { name: "token_price" })],
  },
  {
    rule: "the last one counts",
    stream: "event: a\nevent: b\ndata: 1\n\n",
    events: [event("1", { name: "b" })],
  },
  { rule: "an empty one means message", stream: "event: a\nevent:\ndata: 1\n\n", events: one },
  {
    rule: "the type is kept for one event",
    stream: "event: a\ndata: 1\n\ndata: 2\n\n",
    events: [event("1", { name: "a" }), event("2")],
  },
  { rule: "an event without data forgets its type", stream: "event: a\n\ndata: 1\n\n", events: one },
  {
    rule: "data may stand before the type",
    stream: "data: 1\nevent: a\n\n",
    events: [event("1", { name: "a" })],
  },
  // Interpreting: id.
  {
    rule: "the id is kept over events",
    stream: "id: 7\ndata: 1\n\ndata: 2\n\n",
    events: [event("1", { id: "7" }), event("2", { id: "7" })],
    lastEventId: "7",
  },
  {
    rule: "an empty id takes it back",
    stream: "id: 7\ndata: 1\n\nid\ndata: 2\n\n",
    events: [event("1", { id: "7" }), event("2")],
  },
  {
    rule: "an event without data sets the id",
    stream: "id: 7\n\ndata: 1\n\n",
    events: [event("1", { id: "7" })],
    lastEventId: "7",
  },
  {
    rule: "an id with NUL is ignored",
    stream: "id: 7\nid: 8\0\ndata: 1\n\n",
    events: [event("1", { id: "7" })],
    lastEventId: "7",
  },
  {
    rule: "an id of an event that never ended does not count",
    stream: "id: 7\ndata: 1\n\nid: 8\ndata: 2\n",
    events: [event("1", { id: "7" })],
    lastEventId: "7",
  },
  {
    rule: "an id need be no number",
    stream: "id:  a b\ndata: 1\n\n",
    events: [event("1", { id: " a b" })],
    lastEventId: " a b",
  },
  // Interpreting: retry.
  { rule: "retry is milliseconds", stream: "retry: 1500\n\n", events: [], retry: 1500 },
  { rule: "it counts at once, without an event", stream: "retry: 0\ndata: 1", events: [], retry: 0 },
  {
    rule: "any number of digits is a number",
    stream: "retry: 100000000000000000000\n",
    events: [],
    retry: 1e20,
  },
  { rule: "leading zeros are digits", stream: "retry: 0015\n", events: [], retry: 15 },
  ...["1e3", "-5", "+5", "5.0", "5 ", " 5", "0x10", "", "five", "５"].map((value) => ({
    rule: `retry "${value}" is ignored: digits only`,
    stream: `retry: 3\nretry: ${value}\n`,
    events: [],
    retry: 3,
  })),
  // The service's own field.
  {
    rule: "request_id is kept with its event only",
    stream: "event: token_price\ndata: 1\nrequest_id: 24\n\ndata: 2\n\n",
    events: [event("1", { name: "token_price", requestId: "24" }), event("2")],
  },
  { rule: "request_id without data is no event", stream: "request_id: 24\n\ndata: 1\n\n", events: one },
];
