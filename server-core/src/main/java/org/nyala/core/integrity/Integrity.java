package org.nyala.core.integrity;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.filter.Membership;

/**
 * The constraints across entries, by one schema.
 *
 * <p>Immutable.
 *
 * @param rules the rules by which every change is checked
 * @param membership the rules by which {@code memberOf} is computed; null if it is stored like
 *     others
 */
public record Integrity(List<ChangeRule> rules, @Nullable Membership membership) {
  /** Each entry stands for itself. */
  public static final Integrity NONE = new Integrity(List.of(), null);

  /** Copies the list. */
  public Integrity {
    rules = List.copyOf(rules);
  }
}
