import { equalsIgnoringCase, withoutPort } from './text';

describe('D46 withoutPort', () => {
  it.each([
    ['192.0.2.1:50123', '192.0.2.1'],
    ['192.0.2.1:80', '192.0.2.1'],
    ['192.0.2.1', '192.0.2.1'],
    ['[2001:db8::1]:50123', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['2001:db8::1', '2001:db8::1'],
  ])('%s is the address %s', (text, address) => {
    expect(withoutPort(text)).toBe(address);
  });
});

describe('equalsIgnoringCase', () => {
  it('ignores the case of ASCII letters alone: no other character stands for one', () => {
    const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
    for (const letter of letters) {
      const equal = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code)).filter((character) => {
        return equalsIgnoringCase(character, letter);
      });
      expect(equal).toEqual([letter, letter.toLowerCase()]);
    }
  });

  it('compares whole texts', () => {
    expect(equalsIgnoringCase('inTRANSIT', 'InTransit')).toBe(true);
    for (const other of ['InTransit ', 'In', '', 'InTrans\u0131t', 'InTran\u017fit']) {
      expect(equalsIgnoringCase('InTransit', other)).toBe(false);
    }
  });
});
