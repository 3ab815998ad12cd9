package org.nyala.core.message;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.ber.BerReader;
import org.nyala.core.ber.ElementBudget;

/**
 * A control of a request, undecoded (RFC 4511, section 4.1.11).
 *
 * @param oid its identifier
 * @param critical true if the request must fail if the control cannot be honoured
 * @param value its value, or null
 * @param elements the part that the value has of its request's budget; null without a value
 */
public record RequestControl(
    String oid, boolean critical, byte @Nullable [] value, @Nullable ElementBudget elements) {
  /** Creates a control of a request that no client has sent. */
  public RequestControl(String oid, boolean critical, byte @Nullable [] value) {
    this(oid, critical, value, ElementBudget.of(value));
  }

  /** Returns a reader of the value within the budget of the request; null without a value. */
  public @Nullable BerReader reader() {
    return reader(value, elements);
  }

  /** Returns a reader of a value, which may have been read before; null without a value. */
  static @Nullable BerReader reader(byte @Nullable [] value, @Nullable ElementBudget elements) {
    if (value == null || elements == null) {
      return null;
    }
    elements.renew();
    return new BerReader(value, elements);
  }

  /**
   * Returns whether a request must fail if none of its controls is honoured: an Abandon, too, which
   * has no answer to report it (RFC 4511, section 4.1.11).
   */
  public static boolean anyCritical(List<RequestControl> controls) {
    for (int i = 0; i < controls.size(); i++) {
      if (controls.get(i).critical()) {
        return true;
      }
    }
    return false;
  }
}
