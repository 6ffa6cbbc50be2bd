import { SHIPPING_STATUSES, ShippingStatus, STATUS_WORDS } from './shipping-status';

it('D13 each status but Unknown has a word of the external system', () => {
  const { Unknown } = ShippingStatus;
  expect([...STATUS_WORDS.values(), Unknown].sort()).toEqual(SHIPPING_STATUSES.toSorted());
});
