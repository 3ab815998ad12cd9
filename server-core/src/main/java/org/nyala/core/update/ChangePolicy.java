package org.nyala.core.update;

import java.util.List;
import org.nyala.core.integrity.ChangeRule;

/**
 * What a writer goes by, besides the updates themselves; another one when the schema has changed.
 *
 * <p>Immutable.
 *
 * @param rules what every change is checked by
 * @param operational stamps the changes that follow from others
 * @param ruleLookups look-ups that the rules may take for one update
 */
public record ChangePolicy(
    List<ChangeRule> rules, OperationalAttributes operational, int ruleLookups) {
  /** Copies the list. */
  public ChangePolicy {
    rules = List.copyOf(rules);
  }
}
