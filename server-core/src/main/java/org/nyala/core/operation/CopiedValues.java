package org.nyala.core.operation;

import java.util.concurrent.atomic.AtomicLong;
import org.nyala.core.schema.ByteAppender;

/**
 * The values of one attribute that are copied to the heap because they are shown in another way
 * than they are stored. However many clients ask for that at once, the copies of all of them
 * together keep to a {@link Budget}.
 *
 * <p>Confined to one running operation.
 */
final class CopiedValues implements AutoCloseable {
  /** The most bytes of values that are copied for one entry. */
  static final long ENTRY_OCTETS = 16L << 20;

  /** The most bytes of values that are copied for all entries at one time. */
  private static final long TOTAL_OCTETS = 2 * ENTRY_OCTETS;

  /** How many bytes are taken from the budget at once; what keeps to one such part takes none. */
  private static final int PART_OCTETS = 256 << 10;

  /** What all operations together may copy at one time. Thread-safe. */
  static final class Budget {
    private final AtomicLong left = new AtomicLong(TOTAL_OCTETS);

    private boolean take(long octets) {
      if (left.addAndGet(-octets) < 0) {
        left.addAndGet(octets);
        return false;
      }
      return true;
    }

    private void giveBack(long octets) {
      left.addAndGet(octets);
    }

    /** How many bytes could be taken now. */
    long left() {
      return left.get();
    }
  }

  private final Budget budget;
  private ByteAppender elements = new ByteAppender(64);
  private long octets;
  private long allowed = PART_OCTETS;

  CopiedValues(Budget budget) {
    this.budget = budget;
  }

  /**
   * Adds a value to the attribute.
   *
   * @throws LdapOperationException adminLimitExceeded when the entry has too much; busy when too
   *     much is copied for others just now
   */
  void add(byte[] value) throws LdapOperationException {
    octets += PartialAttributes.elementLength(value.length);
    if (octets > ENTRY_OCTETS) {
      throw new LdapOperationException(
          ResultCode.ADMIN_LIMIT_EXCEEDED,
          "more than " + ENTRY_OCTETS + " bytes of one entry's values match");
    }
    while (octets > allowed) {
      if (!budget.take(PART_OCTETS)) {
        throw new LdapOperationException(
            ResultCode.BUSY, "others have too many values of large entries matched just now");
      }
      allowed += PART_OCTETS;
    }
    PartialAttributes.element(elements, PartialAttributes.OCTET_STRING, value);
  }

  /** Whether the attribute has no values so far. */
  boolean isEmpty() {
    return elements.length() == 0;
  }

  /** The BER {@code PartialAttribute} of what was added; goes on with the next attribute. */
  byte[] attribute(byte[] description) {
    byte[] attribute = PartialAttributes.encode(description, elements);
    elements = new ByteAppender(64);
    return attribute;
  }

  @Override
  public void close() {
    budget.giveBack(allowed - PART_OCTETS);
    allowed = PART_OCTETS;
  }
}
