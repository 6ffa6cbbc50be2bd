/** Texts of the OpenAPI document where lists are empty on failure, and those where `LIST_FAILURE` is `error`. */
export const LIST_FAILURE_TEXTS: readonly (readonly [empty: string, error: string])[] = [
  [
    'lists respond with 200 and an empty list, and `Shipping-Completeness` gives the reason. Single lookups\nrespond with 500. With `Prefer: handling=strict` all four respond with 502, 503 or 504 instead.',
    'lists respond with 502, 503 or 504 and the reason. Single lookups\nrespond with 500, and with `Prefer: handling=strict` as lists do.',
  ],
  ['Where the external system fails, the page is empty.', 'Fails where the external system fails.'],
  ['Where the external system fails, the list is empty.', 'Fails where the external system fails.'],
  ['; `unavailable`: the external system failed, and the list is empty for that reason.', '.'],
  ['Strict clients only: the external system', 'Lists, and single lookups of strict clients: the external system'],
  ['Strict clients: the external system', 'Lists, and single lookups of strict clients: the external system'],
  ['fail instead of degrading, and refuse', 'fail with the status of the reason, and refuse'],
  ['|unavailable);reason=', ');reason='],
];
