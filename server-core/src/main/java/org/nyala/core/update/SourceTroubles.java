package org.nyala.core.update;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The troubles of a server that others copy.
 *
 * <p>Immutable.
 *
 * @param refusedConsumers a line on each consumer that was refused because of what it has
 * @param leap the reason why no change gets a number, since the clock was set ahead; null if it was
 *     not
 */
public record SourceTroubles(List<String> refusedConsumers, @Nullable String leap) {
  public SourceTroubles {
    refusedConsumers = List.copyOf(refusedConsumers);
  }
}
