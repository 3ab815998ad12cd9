package org.nyala.core.message;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A control of a request, undecoded (RFC 4511, section 4.1.11).
 *
 * @param oid its identifier
 * @param critical true if the request must fail if the control cannot be honoured
 * @param value its value, or null
 */
public record RequestControl(String oid, boolean critical, byte @Nullable [] value) {
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
