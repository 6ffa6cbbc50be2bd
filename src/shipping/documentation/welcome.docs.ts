const SIMULATED_FAILURES = `The embedded sandbox fails on demand. Use one of these values as identifier, \`OrderId\`, \`TrackingNumber\` or \`SearchTerm\`:

| value | the external system then |
|---|---|
| \`SIMULATE-500\` | returns 500 |
| \`SIMULATE-503\` | returns 503 with \`Retry-After\` |
| \`SIMULATE-TIMEOUT\` | never responds |
| \`SIMULATE-RESET\` | resets the connection |
| \`SIMULATE-BAD-JSON\` | returns invalid JSON |
| \`SIMULATE-BAD-SHAPE\` | returns JSON of the wrong shape |
| \`SIMULATE-ODD-RECORD\` | returns a malformed record among valid ones |
| \`SIMULATE-NOT-FOUND\` | returns 404: no match on single lookups, a failure on lists |
| \`SIMULATE-SLOW\` | returns the records of ORD-000001 after 1.5 seconds, within the time limit |
| \`SIMULATE-CIRCUIT-OPEN\` | returns 501: 20 such calls within ten seconds, or fewer with retries, open the circuit |

Each operation has a circuit of its own. It opens where 20 calls or more within ten seconds include as many failures as successes, simulated ones
included. For about 5 seconds the operation then fails without a call, with the reason \`circuit-open\`, whatever it looks for; the other three are not affected.`;

const LEFT_TO_THE_EXTERNAL_SYSTEM = `## What the external system decides

The service passes on what it gets; another external system may decide otherwise than the embedded sandbox:

| question | the sandbox |
|---|---|
| order of \`GetShippingDetails\`, and so what \`Limit\` keeps | newest \`createdDate\` first |
| records with the same value of the sort key | by \`id\`, ascending |
| \`null\` as tracking number | before all others where ascending, behind them where descending |
| order of \`SortBy=Status\` | by name: Cancelled, Created, Delivered, InTransit, Unknown |
| case of identifiers, order ids and tracking numbers | counts |
| what \`SearchTerm\` finds | part of the address, the tracking number or the order id, ignoring case, not accents |`;

const GOOD_TO_KNOW = `## Good to know

\`HEAD\` works like \`GET\`, on every path and without the body; other methods get 405 (unknown ones 400). Paths match ignoring case, with or
without a trailing slash.

Parameter names match ignoring case; unknown parameters are ignored unless the client is strict, and named in
\`Shipping-Ignored-Parameters\`. Blank values count as absent, except for \`SortBy\`: a blank one sorts like an unknown key. Times are UTC. The document behind this page: [openapi.json](/openapi.json), [openapi.yaml](/openapi.yaml).`;

/** Welcome text of the document and of the Swagger page. */
export const WELCOME_TEXT = `
Read-only queries over shipping records. The data comes from an external shipping system, and the header
\`Shipping-Completeness\` of every successful response says how complete it is.

## Try this

Open an operation below and press *Execute*. The fields have examples that find something together; clear some to find more.
The links lead to a response.

1. [GetShippingPagedList](#/Shipping/getShippingPagedList): shipments page by page, the newest first. Without a filter there
   are 1,882 of them: [the newest](/api/Shipping/GetShippingPagedList?PageSize=3).
2. [GetShippingInfoById](#/Shipping/getShippingInfoById) with \`SHP-000001\`: [one detailed record](/api/Shipping/GetShippingInfoById/SHP-000001).
   [SHP-000012](/api/Shipping/GetShippingInfoById/SHP-000012) is soft-deleted (\`isActive\` is false): lists leave it out. Weights are in kilograms.
3. [GetShippingDetails](#/Shipping/getShippingDetails) with \`SearchTerm\` = \`Berlin\`:
   [a short list for a dropdown](/api/Shipping/GetShippingDetails?SearchTerm=Berlin&Limit=5).
4. [GetShippingSingle](#/Shipping/getShippingSingle) with \`OrderId\` = \`ORD-000001\`:
   [the newest shipment of an order](/api/Shipping/GetShippingSingle?OrderId=ORD-000001).
5. A \`FromDate\` after the \`ToDate\`: [the response](/api/Shipping/GetShippingDetails?FromDate=2026-08-01&ToDate=2026-07-31)
   lists each invalid parameter.
6. Send the \`ETag\` of a response back in \`If-None-Match\`: 304 while the record has not changed.

## Failures of the external system

When the external system fails, lists respond with 200 and an empty list, and \`Shipping-Completeness\` gives the reason. Single lookups
respond with 500. With \`Prefer: handling=strict\` all four respond with 502, 503 or 504 instead. A cache may serve the last
complete response, marked \`stale\`, with its \`Age\`.

${SIMULATED_FAILURES}

${LEFT_TO_THE_EXTERNAL_SYSTEM}

${GOOD_TO_KNOW}
`.trim();
