package org.nyala.netty.codec;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.nyala.core.ber.BerWriter;
import org.nyala.core.message.ResponseControl;

/** Writes the controls of responses (RFC 4511, section 4.1.11). */
public final class ControlEncoder {
  private static final byte[] NONE = {};

  private ControlEncoder() {}

  /** Returns the whole element that ends a message with these controls; empty if there are none. */
  public static byte[] encode(List<ResponseControl> controls) {
    return controls.isEmpty() ? NONE : encodeAll(controls);
  }

  private static byte[] encodeAll(List<ResponseControl> controls) {
    BerWriter all = new BerWriter();
    for (ResponseControl control : controls) {
      // Criticality is left out: a response has none.
      BerWriter content = new BerWriter().octets(control.oid().getBytes(StandardCharsets.US_ASCII));
      byte[] value = control.value();
      if (value != null) {
        content.octets(value);
      }
      all.sequence(content);
    }
    return new BerWriter().constructed(LdapTags.CONTROLS, all).toByteArray();
  }
}
