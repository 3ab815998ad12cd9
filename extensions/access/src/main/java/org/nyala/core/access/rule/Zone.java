package org.nyala.core.access.rule;

import java.net.InetAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Networks with a name: {@code zone office = 192.0.2.0/24, 2001:db8::/32}.
 *
 * <p>Immutable.
 *
 * @param name the name
 * @param origins networks, the local socket, and zones declared before
 * @param source the place of the statement
 */
public record Zone(String name, List<Origin> origins, Source source) implements Origin {
  /**
   * Copies the list.
   *
   * @throws IllegalArgumentException if it is empty
   */
  public Zone {
    origins = List.copyOf(origins);
    if (origins.isEmpty()) {
      throw new IllegalArgumentException("'" + name + "' has no networks");
    }
  }

  @Override
  public boolean includes(@Nullable InetAddress address) {
    for (Origin origin : origins) {
      if (origin.includes(address)) {
        return true;
      }
    }
    return false;
  }
}
