package org.nyala.core.update;

import java.util.List;
import org.nyala.core.integrity.ChangeRule;

/**
 * The policy that a writer applies to updates; replaced when the schema changes.
 *
 * <p>Immutable.
 *
 * @param rules the rules by which every change is checked
 * @param operational the attributes that stamp the changes that follow from others
 * @param ruleLookups look-ups that the rules may take for one update
 * @param consumed the naming contexts whose entries another server changes
 */
public record ChangePolicy(
    List<ChangeRule> rules,
    OperationalAttributes operational,
    int ruleLookups,
    ConsumedContexts consumed) {
  public ChangePolicy {
    rules = List.copyOf(rules);
  }
}
