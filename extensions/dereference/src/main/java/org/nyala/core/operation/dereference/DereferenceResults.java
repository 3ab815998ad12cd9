package org.nyala.core.operation.dereference;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.budget.MemoryAccount;
import org.nyala.core.budget.SteppedCharge;
import org.nyala.core.control.DereferenceResponse;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.ResponseControl;
import org.nyala.core.message.ResultCode;

/**
 * The results for the values of one found entry, as its response control, whose memory is charged
 * before it is held.
 *
 * <p>Confined to one running operation.
 */
final class DereferenceResults {
  /** The most bytes of one entry's control: those of a message that values are copied into. */
  private static final long ENTRY_OCTETS = 16L << 20;

  /** A control is there three times for a while: as it grows, and as it is encoded. */
  private static final int TIMES_HELD = 3;

  private final MemoryAccount memory;
  private final SteppedCharge charge;
  private @Nullable DereferenceResponse response;

  /** Creates results on the account of the connection. */
  DereferenceResults(MemoryAccount memory) {
    this.memory = memory;
    this.charge = new SteppedCharge(memory);
  }

  /** Gives back the memory of the results, and forgets them. Idempotent. */
  void ended() {
    response = null;
    charge.giveBack();
  }

  /** Returns the control with the results; null if there are none. */
  @Nullable ResponseControl control() {
    DereferenceResponse known = response;
    return known == null ? null : known.control();
  }

  /**
   * Adds a {@code derefRes}.
   *
   * @param shown the attributes of the named entry; none if the client sees none
   * @throws LdapOperationException adminLimitExceeded if the results are too much; busy if there is
   *     no memory for them at the moment
   */
  void add(byte[] attribute, byte[] name, List<byte[]> shown) throws LdapOperationException {
    long octets = 0;
    for (byte[] encoded : shown) {
      octets += encoded.length;
    }
    DereferenceResponse known = response;
    if (known == null) {
      known = new DereferenceResponse();
      response = known;
    }
    hold(known.lengthWith(attribute, name, octets), octets);
    known.add(attribute, name, shown);
  }

  /**
   * Charges the account.
   *
   * @param shown the part that is held beside, as it is copied
   */
  private void hold(long octets, long shown) throws LdapOperationException {
    if (octets > ENTRY_OCTETS) {
      throw new LdapOperationException(
          ResultCode.ADMIN_LIMIT_EXCEEDED,
          "more than " + ENTRY_OCTETS + " bytes of entries that the values of one entry name");
    }
    long needed = TIMES_HELD * octets;
    if (!charge.tryHold(needed)) {
      throw new LdapOperationException(
          memory.couldHold(needed + TIMES_HELD * shown)
              ? ResultCode.BUSY
              : ResultCode.ADMIN_LIMIT_EXCEEDED,
          "there is no memory for the entries that the values of one entry name");
    }
  }
}
