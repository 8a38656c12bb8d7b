import { describe, expect, it } from 'vitest';
import { ConfigError, misfit, within } from '../../src/base/config-error.js';
import { duration, size } from '../../src/base/quantities.js';
import { checkFields, parameter, resolveParameters, row, settingTable } from '../../src/base/setting.js';
import { integer, orWord } from '../../src/base/value-kind.js';

const TABLE = settingTable(
  { queueBytes: 1500, waitNs: Number.POSITIVE_INFINITY },
  {
    queueBytes: row('queue', size({ highest: 9000 }), 'what waits', 'ours'),
    waitNs: row('wait', orWord(duration({ highest: 1e9 }), 'none', Number.POSITIVE_INFINITY), 'how long', 'ours'),
  },
);

describe('a table of settings', () => {
  it('has the field and the default of each', () => {
    expect(TABLE.waitNs).toMatchObject({ name: 'wait', field: 'waitNs', default: Number.POSITIVE_INFINITY });
  });

  it('takes the fields that are its own', () => {
    const given = { queueBytes: 9000, waitNs: Number.POSITIVE_INFINITY, other: 1 };
    expect(checkFields(TABLE, given)).toEqual({ queueBytes: 9000, waitNs: Number.POSITIVE_INFINITY });
    expect(checkFields(TABLE, { queueBytes: undefined })).toEqual({});
  });

  it.each([
    [{ queueBytes: 9001 }, 'queue', 'queueBytes of it is 9001; allowed: a whole number from 0 to 9000'],
    [{ queueBytes: 1.5 }, 'queue', 'queueBytes of it is 1.5; allowed: a whole number from 0 to 9000'],
    [{ queueBytes: '1500' }, 'queue', "queueBytes of it is '1500'; allowed: a whole number from 0 to 9000"],
    [{ waitNs: -1 }, 'wait', 'waitNs of it is -1; allowed: a number from 0 to 1000000000, or Infinity'],
    [{ waitNs: Number.NaN }, 'wait', 'waitNs of it is NaN; allowed: a number from 0 to 1000000000, or Infinity'],
  ])('refuses %o with its path, value and what is allowed', (fields, name, message) => {
    expect(() => checkFields(TABLE, fields, 'it')).toThrow(
      expect.objectContaining({ name: 'XpassError', code: 'config', path: [name], message }),
    );
  });
});

it('gives parameters their defaults, and names one that is none', () => {
  const gain = parameter('gain', [0.5, 0, 1], 'share', { meaning: 'how much', source: 'ours' });
  expect(resolveParameters('law x', [gain], {})).toEqual({ gain: 0.5 });
  expect(() => resolveParameters('law x', [gain], { again: 1 })).toThrow(
    expect.objectContaining({ path: ['again'], message: "law x has no parameter 'again'; allowed: gain" }),
  );
});

it('puts the place of an object before the paths of its errors', () => {
  const wrong = () => checkFields(TABLE, { queueBytes: -1 });
  expect(() => within(['links', 2], wrong)).toThrow(expect.objectContaining({ path: ['links', 2, 'queue'] }));
  expect(() => within(['links', 2], wrong, 'cannot be taken')).toThrow(
    'links.2.queue cannot be taken: queueBytes is -1; allowed: a whole number from 0 to 9000',
  );
  expect(misfit(['a', 0], 'is bad', ['b'])).toEqual(new ConfigError('a.0 is bad', ['b']));
  expect(integer().values).toBe('a whole number from 0 up');
});
