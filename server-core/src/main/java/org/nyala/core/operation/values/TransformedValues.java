package org.nyala.core.operation.values;

import org.nyala.core.ber.Ber;
import org.nyala.core.budget.MemoryAccount;
import org.nyala.core.budget.SteppedCharge;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.ResultCode;

/**
 * The values of one attribute that are copied to the heap because they are shown in another way
 * than they are stored. They are taken from the account of the connection that they are sent to.
 *
 * <p>Confined to one running operation.
 */
public final class TransformedValues implements AutoCloseable {
  /** The most bytes of values that are copied for one entry. */
  static final long ENTRY_OCTETS = 16L << 20;

  /** A copy is there twice for a while: as it grows, and as it is encoded. */
  private static final int TIMES_HELD = 2;

  private final MemoryAccount account;
  private final SteppedCharge charge;
  private ByteAppender elements = new ByteAppender(64);
  private long octets;

  /** Creates an empty copy on a given account. */
  public TransformedValues(MemoryAccount account) {
    this.account = account;
    this.charge = new SteppedCharge(account);
  }

  /**
   * Adds a value to the attribute.
   *
   * @throws LdapOperationException adminLimitExceeded if the entry has too much; busy when there is
   *     no room for it just now
   */
  public void add(byte[] value) throws LdapOperationException {
    octets += Ber.elementLength(value.length);
    if (octets > ENTRY_OCTETS) {
      throw new LdapOperationException(
          ResultCode.ADMIN_LIMIT_EXCEEDED,
          "more than " + ENTRY_OCTETS + " bytes of one entry's values match");
    }
    long needed = TIMES_HELD * octets;
    if (!charge.tryHold(needed)) {
      throw account.couldHold(needed)
          ? new LdapOperationException(
              ResultCode.BUSY, "there is no memory for the values of the entry that match")
          : new LdapOperationException(
              ResultCode.ADMIN_LIMIT_EXCEEDED,
              "the values of one entry that match are more than a share of the memory");
    }
    PartialAttributes.element(elements, PartialAttributes.OCTET_STRING, value);
  }

  /** Returns whether the attribute has no values so far. */
  public boolean isEmpty() {
    return elements.length() == 0;
  }

  /**
   * Returns the BER {@code PartialAttribute} of the added values, and begins the next attribute.
   */
  public byte[] attribute(byte[] description) {
    byte[] attribute = PartialAttributes.encode(description, elements);
    elements = new ByteAppender(64);
    return attribute;
  }

  @Override
  public void close() {
    charge.giveBack();
  }
}
