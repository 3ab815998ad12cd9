package org.nyala.core.control;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.ber.Ber;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.core.message.ResponseControl;

/**
 * The response control of one entry whose values were dereferenced (draft-masarati-ldap-deref-00,
 * section 2.3).
 *
 * <p>Confined to one running operation.
 */
public final class DereferenceResponse {
  private static final int SEQUENCE = 0x30;
  private static final int OCTET_STRING = 0x04;
  private static final int ATTRIBUTE_VALUES = 0xa0;

  /** The most bytes of the tag and length of an element. */
  private static final int HEADER_OCTETS = 6;

  private final ByteAppender results = new ByteAppender(256);
  private @Nullable ResponseControl control;

  /**
   * Returns the most bytes of the control with another result.
   *
   * @param shown the bytes of the attributes of the named entry
   */
  public long lengthWith(byte[] attribute, byte[] name, long shown) {
    return results.length()
        + 2L * HEADER_OCTETS
        + Ber.elementLength(attribute.length)
        + Ber.elementLength(name.length)
        + HEADER_OCTETS
        + shown;
  }

  /**
   * Adds a result.
   *
   * @param attribute the description of the attribute that was dereferenced
   * @param name its value
   * @param shown the attributes of the named entry, each a whole BER {@code PartialAttribute}; none
   *     if the client sees none
   */
  public void add(byte[] attribute, byte[] name, List<byte[]> shown) {
    int octets = 0;
    for (byte[] encoded : shown) {
      octets = Math.addExact(octets, encoded.length);
    }
    int names = Ber.elementLength(attribute.length) + Ber.elementLength(name.length);
    Ber.header(results, SEQUENCE, names + (shown.isEmpty() ? 0 : Ber.elementLength(octets)));
    Ber.header(results, OCTET_STRING, attribute.length);
    results.append(attribute);
    Ber.header(results, OCTET_STRING, name.length);
    results.append(name);
    if (!shown.isEmpty()) {
      Ber.header(results, ATTRIBUTE_VALUES, octets);
      shown.forEach(results::append);
    }
  }

  /** Returns the control, once all results were added; null if there are none. */
  public @Nullable ResponseControl control() {
    ResponseControl known = control;
    if (known == null && results.length() > 0) {
      // Kept: a large entry is sent in many slices.
      ByteAppender value = new ByteAppender(Ber.elementLength(results.length()));
      Ber.header(value, SEQUENCE, results.length());
      value.append(results.array(), 0, results.length());
      known = new ResponseControl(ControlType.DEREFERENCE.oid(), value.toByteArray());
      control = known;
    }
    return known;
  }
}
