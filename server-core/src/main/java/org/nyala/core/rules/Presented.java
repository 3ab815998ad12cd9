package org.nyala.core.rules;

import org.jspecify.annotations.Nullable;
import org.nyala.core.filter.Pace;
import org.nyala.core.message.LdapOperationException;

/**
 * The contents of a request that are read and checked over any number of slices: a request of
 * megabytes takes longer than one.
 *
 * <p>Confined to one running operation.
 *
 * @param <T> what they make
 */
@FunctionalInterface
public interface Presented<T> {
  /**
   * Goes on reading; called again in the next slice as long as it returns null.
   *
   * @return null if the slice is over before the end
   * @throws LdapOperationException if the request is refused
   */
  @Nullable T go(Pace pace) throws LdapOperationException;
}
