package org.nyala.lmdb.format;

import org.nyala.core.bytes.ByteAppender;

/**
 * The keys of the {@code dn2id} database: the parent's entry id (8 bytes) and the normalised RDN.
 *
 * <p>An entry at the top of a naming context has parent 0 and its whole normalised DN in place of
 * the RDN. Names longer than {@value #MAXIMUM_NAME_LENGTH} bytes are cut to that length and
 * followed by their {@link ValueHash}; such keys are longer than any other, so that one name cannot
 * be mistaken for another.
 */
public final class Dn2IdKeys {
  /** The length of the parent id in bytes. */
  static final int PARENT_LENGTH = 8;

  /** The most bytes of a name in a key; longer ones are hashed. */
  static final int MAXIMUM_NAME_LENGTH = 480;

  /** The longest key in bytes. */
  public static final int MAXIMUM_LENGTH = PARENT_LENGTH + MAXIMUM_NAME_LENGTH + ValueHash.LENGTH;

  private Dn2IdKeys() {}

  /** Appends the key of a name below a parent. */
  public static void append(long parentId, byte[] normalizedName, ByteAppender target) {
    target.appendLong(parentId);
    if (normalizedName.length <= MAXIMUM_NAME_LENGTH) {
      target.append(normalizedName);
      return;
    }
    target.append(normalizedName, 0, MAXIMUM_NAME_LENGTH);
    target.append(ValueHash.of(normalizedName, 0, normalizedName.length), 0, ValueHash.LENGTH);
  }
}
