/** Welcome text of the document and of the Swagger page. */
export const DESCRIPTION = `
Read-only queries over shipping records. Every answer comes from an external shipping system, and every answer says how
complete it is: look at the header \`Shipping-Completeness\`.

## Try this

Open an operation below and press *Execute*. The fields hold examples that find something together; empty some to find more.
The links lead straight to an answer.

1. [GetShippingPagedList](#/Shipping/getShippingPagedList): shippings page by page, the newest first. Without any filter there
   are 1,876 of them: [the first three](/api/Shipping/GetShippingPagedList?PageSize=3).
2. [GetShippingInfoById](#/Shipping/getShippingInfoById) with \`SHP-000001\`: [one whole record](/api/Shipping/GetShippingInfoById/SHP-000001).
3. [GetShippingDetails](#/Shipping/getShippingDetails) with \`SearchTerm\` = \`Berlin\`:
   [a short list for a dropdown](/api/Shipping/GetShippingDetails?SearchTerm=Berlin&Limit=5).
4. [GetShippingSingle](#/Shipping/getShippingSingle) with \`OrderId\` = \`ORD-000001\`:
   [the newest shipping of an order](/api/Shipping/GetShippingSingle?OrderId=ORD-000001).
5. Ask for a \`FromDate\` after the \`ToDate\`: [bad input](/api/Shipping/GetShippingDetails?FromDate=2026-08-01&ToDate=2026-07-31)
   is told what is wrong with it.
6. Send the \`ETag\` of an answer back in \`If-None-Match\`: 304, as long as nothing has changed.

## See it fail

When the external system fails, lists answer 200 with nothing in them and say so in \`Shipping-Completeness\`; single lookups
answer 500. With \`Prefer: handling=strict\` all four fail with 502, 503 or 504 instead. Where a cache is on and allowed to, the last
good answer stands in, marked \`stale\`, with its \`Age\`.

The embedded sandbox fails on demand. Use one of these as identifier, \`OrderId\`, \`TrackingNumber\` or \`SearchTerm\`:

| value | the external system then |
|---|---|
| \`SIMULATE-500\` | answers 500 |
| \`SIMULATE-503\` | answers 503 with \`Retry-After\` |
| \`SIMULATE-TIMEOUT\` | never answers |
| \`SIMULATE-RESET\` | resets the connection |
| \`SIMULATE-BAD-JSON\` | sends broken JSON |
| \`SIMULATE-BAD-SHAPE\` | sends JSON that is no reply |
| \`SIMULATE-ODD-RECORD\` | sends a record with broken fields among good ones |

## Good to know

\`HEAD\` works like \`GET\`, on every path and without the body; other methods get 405. Paths match ignoring case, with or
without a slash at the end.

Parameter names match ignoring case; unknown parameters are ignored unless the caller is strict. Blank values count as
absent. Times are UTC. The document behind this page: [openapi.json](/openapi.json), [openapi.yaml](/openapi.yaml).
`.trim();
