package org.nyala.cluster.batch;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;
import org.nyala.core.backend.CsnVector;
import org.nyala.core.backend.LogMark;
import org.nyala.core.backend.WriteTransaction;

/**
 * The state of a store that a batch was made from. A member in another state has diverged, or would
 * by the batch.
 *
 * <p>Immutable.
 *
 * @param chain the digest of all entries before, in hexadecimal digits; see {@link LogMark}
 * @param nextEntryId the id that the next entry gets
 * @param csns the largest change sequence number of each server
 */
public record Before(String chain, long nextEntryId, CsnVector csns) {
  /** The digest of no entries. */
  public static final String NO_ENTRIES = "0".repeat(LogMark.CHAIN_DIGITS);

  /** The number of bytes of a digest. */
  static final int CHAIN_BYTES = LogMark.CHAIN_DIGITS / 2;

  /** Returns the state in a transaction that has changed nothing yet. */
  public static Before of(WriteTransaction transaction) {
    return new Before(
        chain(transaction.logMark()), transaction.nextEntryId(), transaction.largestCsns());
  }

  /** Returns the digest of all entries up to a mark; null stands for none. */
  private static String chain(@Nullable LogMark mark) {
    return mark == null ? NO_ENTRIES : mark.chain();
  }

  /**
   * Returns the mark of a store that has applied an entry.
   *
   * @param before the mark before; null if there is none
   * @param entry from position to limit, which stay
   */
  public static LogMark next(@Nullable LogMark before, long term, long index, ByteBuffer entry) {
    MessageDigest digest = sha256();
    digest.update(HexFormat.of().parseHex(chain(before)));
    digest.update(entry.duplicate());
    return new LogMark(term, index, HexFormat.of().formatHex(digest.digest()));
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  /** Returns the difference to the state of a store, as a sentence; null if there is none. */
  public @Nullable String difference(Before found) {
    if (nextEntryId != found.nextEntryId) {
      return "it expects the next entry to get the id "
          + nextEntryId
          + ", here it gets "
          + found.nextEntryId;
    }
    if (!csns.equals(found.csns)) {
      return "it expects the changes up to "
          + text(csns)
          + ", here are those up to "
          + text(found.csns);
    }
    return chain.equals(found.chain) ? null : "this member has applied other entries before it";
  }

  private static String text(CsnVector csns) {
    return csns.csns().isEmpty()
        ? "none"
        : String.join(";", csns.csns().stream().map(Object::toString).toList());
  }
}
