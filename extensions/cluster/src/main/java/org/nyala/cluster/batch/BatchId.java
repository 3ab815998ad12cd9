package org.nyala.cluster.batch;

import java.util.UUID;

/**
 * The identity of a batch: 128 random bits. A leader recognises by it what it has proposed, because
 * a batch that it gave up may be committed later at any place.
 *
 * <p>Immutable.
 */
public record BatchId(long high, long low) {
  /** The number of bytes in an entry. */
  static final int BYTES = 2 * Long.BYTES;

  /** Creates an identity that no other batch has. */
  public static BatchId random() {
    UUID random = UUID.randomUUID();
    return new BatchId(random.getMostSignificantBits(), random.getLeastSignificantBits());
  }
}
