import * as fc from 'fast-check';
import { SHIPPING_STATUSES, shippingStatusFromExternalText, shippingStatusFromName } from './shipping-status';

const NAMES = ['Created', 'InTransit', 'Delivered', 'Cancelled', 'Unknown'];
const EXTERNAL: [text: string, status: string][] = [
  ['created', 'Created'],
  ['in_transit', 'InTransit'],
  ['delivered', 'Delivered'],
  ['cancelled', 'Cancelled'],
];
const swapCase = (text: string): string =>
  [...text].map((letter) => (letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase())).join('');

describe('shipping status', () => {
  it('has the five names of the specification', () => {
    expect(SHIPPING_STATUSES).toEqual(NAMES);
  });

  it.each(EXTERNAL)('the external text %s, ignoring case, is %s', (text, status) => {
    for (const form of [text, text.toUpperCase(), swapCase(text)]) {
      expect(shippingStatusFromExternalText(form)).toBe(status);
    }
  });

  it.each([null, '', 'InTransit', 'in transit', 'in-transit', ' created', 'created ', 'unknown', 'canceled', '1'])(
    'the external text %j is Unknown',
    (text) => {
      expect(shippingStatusFromExternalText(text)).toBe('Unknown');
    },
  );

  it.each(NAMES)('D5 the name %s is accepted ignoring case', (name) => {
    for (const form of [name, name.toLowerCase(), name.toUpperCase(), swapCase(name)]) {
      expect(shippingStatusFromName(form)).toBe(name);
    }
  });

  it.each(['', '0', '1', '__proto__', 'constructor', 'in_transit', 'Created ', 'Createdd', 'Created,Delivered'])(
    'D5 the name %j is none',
    (name) => {
      expect(shippingStatusFromName(name)).toBeUndefined();
    },
  );

  it('D5 no other text is a name or a known external text', () => {
    const known = new Set([...NAMES.map((name) => name.toLowerCase()), ...EXTERNAL.map(([text]) => text)]);
    const others = fc.oneof(fc.string(), fc.constantFrom(...Object.getOwnPropertyNames(Object.prototype)));
    fc.assert(
      fc.property(others, (text) => {
        fc.pre(!known.has(text.toLowerCase()));
        expect(shippingStatusFromName(text)).toBeUndefined();
        expect(shippingStatusFromExternalText(text)).toBe('Unknown');
      }),
    );
  });
});
