import { describe, expect, it } from 'vitest';
import { type LiveScene, NO_CONTROLS, sceneChanges } from '../../src/report/live-data.js';

const direction = (name: string, link: string) => {
  const [from, to] = name.split('->');
  const settings = { rateBps: 1e8, delayNs: 0, lossRate: 0, isDown: false };
  return { name, link, from, to, ...settings, queueLimitBytes: 1e5, markBytes: null, creditLimit: 8 };
};

const scene: LiveScene = {
  ...{ title: 'switch', run: 'a', flowsAre: 'hosts', nodes: [] },
  directions: [direction('h1->s1', 'l1'), direction('s1->h1', 'l1'), direction('h2->s1', 'l2')],
  controls: { ...NO_CONTROLS, senders: { count: 2, most: 8 } },
};

const withFields = (names: readonly string[], fields: object): LiveScene => ({
  ...scene,
  directions: scene.directions.map((one) => (names.includes(one.name) ? { ...one, ...fields } : one)),
});

describe('changes between two scenes', () => {
  it('says what was changed of a link, and names one direction as one', () => {
    expect(sceneChanges(scene, withFields(['h1->s1', 's1->h1'], { lossRate: 0.02 }))).toEqual([
      'link l1: loss 0.000 % to 2.000 %',
    ]);
    expect(sceneChanges(scene, withFields(['h1->s1'], { isDown: true }))).toEqual(['h1->s1: down']);
  });

  it('says one thing of all links once', () => {
    const all = scene.directions.map(({ name }) => name);
    expect(sceneChanges(scene, withFields(all, { rateBps: null }))).toEqual([
      'all links: rate 100.0 Mbit/s to unlimited',
    ]);
  });

  it('counts what goes beyond four', () => {
    const fields = { lossRate: 0.1, delayNs: 1e6, isDown: true, rateBps: 1e9 };
    const after = { ...withFields(['h1->s1'], fields), controls: { ...NO_CONTROLS, senders: { count: 3, most: 8 } } };
    expect(sceneChanges(scene, after)).toHaveLength(4);
    expect(sceneChanges(scene, after).at(-1)).toBe('and 2 other changes');
  });

  it('says nothing of scenes that are alike', () => {
    expect(sceneChanges(scene, structuredClone(scene))).toEqual([]);
  });
});
