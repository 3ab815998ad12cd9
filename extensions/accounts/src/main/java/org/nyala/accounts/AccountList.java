package org.nyala.accounts;

import java.util.List;
import org.nyala.core.dn.Dn;

/**
 * The accounts that were found.
 *
 * <p>Immutable.
 *
 * @param names their names
 * @param hasMore true if there are more than were asked for
 * @param isTimeUp true if the search has ended early
 */
public record AccountList(List<Dn> names, boolean hasMore, boolean isTimeUp) {
  public AccountList {
    names = List.copyOf(names);
  }
}
