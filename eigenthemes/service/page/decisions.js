/* What a mention means as the page shows it: the server's answer, the slider and corrections put together. Pure functions. */

/**
 * @typedef {{id: string, label: string, score: number, types?: string[], description?: string}} Candidate
 * @typedef {{text: string, start?: number, end?: number, row?: number, col?: number, entity: string|null, label: string|null,
 *            probability: number|null, ranking: Candidate[], nil_reason: string|null, explanation?: any}} Link
 * @typedef {{entity: Candidate|null, reason: string|null, probability: number|null, corrected: boolean, changed: boolean}} Decision
 */

/**
 * Decide a mention.
 * @param {Link} link as the server answered
 * @param {{threshold: number|null, nil: boolean, probabilities: boolean}} rule threshold null: the server's own
 * @param {{gold: string[], label?: string, notName?: boolean, types?: string[], description?: string}|null} correction
 * @returns {Decision} `changed`: the rule decides otherwise than the server did
 */
export function decide(link, rule, correction = null) {
  if (correction) return corrected(link, correction);
  const best = link.ranking[0] ?? null;
  const served = link.entity === null ? null : (link.ranking.find((each) => each.id === link.entity) ?? entityOf(link));
  const [entity, reason] = answer(link, rule, best, served);
  const changed = (entity?.id ?? null) !== (served?.id ?? null);
  return { entity, reason, probability: entity && rule.probabilities ? entity.score : null, corrected: false, changed };
}

function answer(link, rule, best, served) {
  if (!rule.nil) return [best, best ? null : "no_candidate"];
  if (rule.threshold === null || !rule.probabilities || !best) return [served, link.nil_reason];
  return best.score >= rule.threshold ? [best, null] : [null, "low_probability"];
}

function corrected(link, correction) {
  const [id] = correction.gold;
  const shown = { probability: null, corrected: true, changed: false };
  if (id === undefined) return { ...shown, entity: null, reason: correction.notName ? "not_a_name" : "none" };
  const known = link.ranking.find((each) => each.id === id);
  const { label = id, types = [], description = "" } = correction;
  return { ...shown, entity: known ?? { id, label, types, description, score: NaN }, reason: null };
}

function entityOf(link) {
  return { id: link.entity, label: link.label, score: link.score, types: link.types ?? [], description: link.description ?? "" };
}

const REASONS = {
  no_candidate: "no name of this knowledge graph resembles it",
  low_probability: "no candidate is probable enough",
  no_embedding: "its best candidate has no vector and is not probable enough",
  no_name_match: "no label is the same as the name",
  none: "you said that no entity of this knowledge graph is meant",
  not_a_name: "you said that this is not a name",
};

/** Say why a mention has no link. */
export function reasonInWords(reason) {
  return REASONS[reason] ?? String(reason);
}
