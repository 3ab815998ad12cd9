package org.nyala.core.integrity;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.filter.Membership;

/**
 * What is kept true of entries together, by one schema.
 *
 * <p>Immutable.
 *
 * @param rules what every change is checked by
 * @param membership how {@code memberOf} is computed; null where it is stored like others
 */
public record Integrity(List<ChangeRule> rules, @Nullable Membership membership) {
  /** Each entry stands for itself. */
  public static final Integrity NONE = new Integrity(List.of(), null);

  /** Copies the list. */
  public Integrity {
    rules = List.copyOf(rules);
  }
}
