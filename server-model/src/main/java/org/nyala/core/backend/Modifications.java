package org.nyala.core.backend;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The modifications that a change consists of, in the form of OpenLDAP's access log ({@code
 * slapo-accesslog(5)}).
 *
 * <p>Immutable, but for the arrays, which are never written to after construction.
 *
 * @param name the name of the entry before the change
 * @param newRdn the new RDN; null if the change is no rename
 * @param deletesOldRdn true if a rename takes the values of the old RDN from the entry
 * @param newSuperior the name of the new superior; null if it stays
 * @param values the modifications of attributes, such as {@code mail:+ a@example.com}
 */
public record Modifications(
    String name,
    @Nullable String newRdn,
    boolean deletesOldRdn,
    @Nullable String newSuperior,
    List<byte[]> values) {
  private static final int VALUE_BYTES = 32;

  public Modifications {
    values = List.copyOf(values);
  }

  /** Returns the approximate memory that they take, in bytes. */
  public long bytes() {
    long bytes = 2L * name.length();
    for (byte[] value : values) {
      bytes += value.length + VALUE_BYTES;
    }
    return bytes;
  }
}
