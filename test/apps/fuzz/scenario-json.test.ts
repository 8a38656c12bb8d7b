import { expect, it } from 'vitest';
import { scenarioFromJson, scenarioToJson } from '../../../src/apps/fuzz/scenario-json.js';
import { randomScenario } from '../../../src/sim/fuzz/random-scenario.js';

it('writes scenarios that are read again to the last bit', () => {
  for (let seed = 0; seed < 20; seed++) {
    const scenario = randomScenario(seed);
    expect(scenarioFromJson(scenarioToJson(scenario), 'file')).toEqual(scenario);
  }
});

it('says what is wrong with other files', () => {
  expect(() => scenarioFromJson('{', 'a.json')).toThrow("'a.json' is not JSON");
  for (const text of ['{}', 'null', '{"format":"xpass-fuzz-1"}', '{"format":"other","scenario":{}}']) {
    expect(() => scenarioFromJson(text, 'a.json')).toThrow('allowed: a file with the format xpass-fuzz-1');
  }
});
