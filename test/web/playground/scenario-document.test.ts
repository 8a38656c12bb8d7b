import { describe, expect, it } from 'vitest';
import { ScenarioDocument } from '../../../src/web/playground/scenario-document.js';

const SOURCE = '# Two pairs\ntopology: { name: dumbbell, pairs: 2 } # small\nflows:\n  - kind: pairs\n';

describe('the text of a scenario behind a form', () => {
  it('changes what the form says and leaves the rest as it was written', () => {
    const scenario = new ScenarioDocument(SOURCE);
    scenario.set('topology.pairs', '8');
    scenario.set('seed', '3');
    expect(scenario.toString()).toBe(`${SOURCE.replace('pairs: 2', 'pairs: 8')}seed: 3\n`);
    expect(scenario.seed).toBe(3);
    scenario.set('seed', '');
    expect(scenario.toString()).toBe(SOURCE.replace('pairs: 2', 'pairs: 8'));
  });

  it('takes a link down and up again', () => {
    const scenario = new ScenarioDocument(SOURCE);
    scenario.set('down.link', 'left-right');
    expect(scenario.toString()).toContain('{ at: 20ms, link: left-right, down: true, for: 10ms }');
    scenario.set('down.link', '');
    expect(scenario.toString()).toBe(SOURCE);
  });

  it('reads names alone, and says why a text is no YAML', () => {
    const scenario = new ScenarioDocument('topology: star\nflows: [pairs]\n');
    const values = scenario.groups.flatMap(({ fields }) => fields).map(({ name, value }) => [name, value]);
    expect(Object.fromEntries(values)).toMatchObject({ topology: 'star', traffic: 'pairs' });
    expect(new ScenarioDocument('a: [').problem).not.toBeNull();
  });
});
