package org.nyala.core.control;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nyala.core.ber.BerReader;
import org.nyala.core.ber.BerWriter;
import org.nyala.core.ber.InvalidBerException;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.ResponseControl;
import org.nyala.core.message.ResultCode;

/**
 * The value of the sort control (RFC 2891, section 1.1): the keys to sort by, the most significant
 * first.
 *
 * <p>Immutable.
 *
 * @param keys the keys, at least one
 */
public record SortKeys(List<Key> keys) {
  private static final int MAXIMUM_ATTRIBUTE_CHARS = 256;
  private static final String RESPONSE_OID = "1.2.840.113556.1.4.474";
  private static final int ORDERING_RULE = 0x80;
  private static final int REVERSE_ORDER = 0x81;
  private static final int ATTRIBUTE_TYPE = 0x80;

  /**
   * One key, as the client named it.
   *
   * @param attribute an attribute description
   * @param rule the name or identifier of a matching rule; null for the attribute's own
   * @param reverse true if the greatest comes first
   */
  public record Key(String attribute, @Nullable String rule, boolean reverse) {}

  public SortKeys {
    keys = List.copyOf(keys);
  }

  /**
   * The control of a request; null if it has none.
   *
   * @param most the most keys
   * @throws LdapOperationException protocolError for a value that is not one, adminLimitExceeded
   *     for more keys
   */
  public static @Nullable SortKeys of(RequestControls controls, int most)
      throws LdapOperationException {
    return controls.decode(ControlType.SORT, value -> decode(value, most));
  }

  private static SortKeys decode(BerReader value, int most) throws InvalidBerException {
    List<Key> keys = value.sequence().list(most, "sort keys", in -> key(in.sequence()));
    if (keys.isEmpty()) {
      throw new InvalidBerException("no sort key");
    }
    return new SortKeys(keys);
  }

  private static Key key(BerReader in) throws InvalidBerException {
    String attribute = in.text();
    String rule = in.nextTag() == ORDERING_RULE ? in.text(ORDERING_RULE) : null;
    boolean reverse = in.nextTag() == REVERSE_ORDER && in.bool(REVERSE_ORDER);
    if (in.nextTag() == ORDERING_RULE || in.nextTag() == REVERSE_ORDER) {
      throw new InvalidBerException("the parts of a sort key are not in their order");
    }
    in.skipExtensions();
    return new Key(attribute, rule, reverse);
  }

  /**
   * The control of a response (RFC 2891, section 1.2).
   *
   * @param code the result of sorting
   * @param attribute the attribute of the key that failed, or null; one longer than 256 characters
   *     is not sent back
   */
  public static ResponseControl response(ResultCode code, @Nullable String attribute) {
    BerWriter content = new BerWriter().enumerated(code.code());
    if (attribute != null && attribute.length() <= MAXIMUM_ATTRIBUTE_CHARS) {
      content.octets(ATTRIBUTE_TYPE, attribute.getBytes(StandardCharsets.UTF_8));
    }
    return new ResponseControl(RESPONSE_OID, new BerWriter().sequence(content).toByteArray());
  }
}
