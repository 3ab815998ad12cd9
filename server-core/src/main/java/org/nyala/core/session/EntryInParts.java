package org.nyala.core.session;

import org.nyala.core.entry.EntryView;
import org.nyala.core.filter.Pace;

/**
 * A search result entry that is written in parts, because its values take longer than a slice; it
 * is appended to the answers once it is complete.
 *
 * <p>Confined to one running operation. Closing gives back the memory of an entry that was not
 * completed, and its charge; idempotent.
 */
public interface EntryInParts extends AutoCloseable {
  /** Returns the length of the whole message in bytes, which are held until it is appended. */
  int octets();

  /** Takes over the memory that the sink has reserved for the entry, until it is appended. */
  default void takeReserved() {}

  /**
   * Takes over what the account of the connection was charged for the entry. It goes with the entry
   * when that is appended, so that there is no moment at which the account does not know of it.
   */
  void charged(long bytes);

  /**
   * Writes more of the entry, and appends it to the answers when it is complete.
   *
   * @param entry shows the entry as it was at the beginning, in any transaction
   * @return false if the slice ends before: another call goes on
   */
  boolean write(EntryView entry, Pace pace);

  @Override
  void close();
}
