package org.nyala.core.control;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.nyala.core.ber.BerLimitException;
import org.nyala.core.ber.BerReader;
import org.nyala.core.ber.InvalidBerException;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.ResultCode;

/**
 * The value of the control that asks for effective rights. Clients send the authorization identity
 * in three forms: as it is (389 Directory Server), as an OCTET STRING, and in a SEQUENCE with a
 * list of attributes (draft-ietf-ldapext-acl-model).
 *
 * <p>Immutable.
 *
 * @param authorizationId the identity whose rights are asked for; null for the client's own
 * @param attributes further attributes, which entries need not have
 */
public record EffectiveRights(@Nullable String authorizationId, List<String> attributes) {
  private static final String DN_PREFIX = "dn:";

  public EffectiveRights {
    attributes = List.copyOf(attributes);
  }

  /**
   * The control of a request, which may have no value.
   *
   * @param most the most attributes that it names
   * @throws LdapOperationException protocolError if the value has none of the three forms,
   *     adminLimitExceeded if it names more attributes
   */
  public static EffectiveRights of(RequestControls controls, int most)
      throws LdapOperationException {
    byte[] value = controls.value(ControlType.EFFECTIVE_RIGHTS);
    if (value == null || value.length == 0) {
      return new EffectiveRights(null, List.of());
    }
    if (isPlain(value)) {
      return plain(value);
    }
    EffectiveRights read =
        controls.decode(ControlType.EFFECTIVE_RIGHTS, reader -> decode(reader, most));
    return Objects.requireNonNull(read);
  }

  private static EffectiveRights plain(byte[] value) throws LdapOperationException {
    try {
      return of(BerReader.lenientText(value), List.of());
    } catch (BerLimitException e) {
      throw new LdapOperationException(
          ResultCode.ADMIN_LIMIT_EXCEEDED, String.valueOf(e.getMessage()));
    }
  }

  private static boolean isPlain(byte[] value) {
    int length = Math.min(value.length, DN_PREFIX.length());
    return new String(value, 0, length, StandardCharsets.UTF_8).equalsIgnoreCase(DN_PREFIX);
  }

  private static EffectiveRights decode(BerReader reader, int most) throws InvalidBerException {
    if (reader.nextTag() == BerReader.OCTET_STRING) {
      return of(reader.text(), List.of());
    }
    BerReader sequence = reader.sequence();
    String authorizationId = sequence.text();
    List<String> attributes = List.of();
    if (sequence.nextTag() == BerReader.SEQUENCE) {
      attributes = sequence.sequence().list(most, "attributes", BerReader::text);
    }
    sequence.skipExtensions();
    return of(authorizationId, attributes);
  }

  private static EffectiveRights of(String authorizationId, List<String> attributes) {
    return new EffectiveRights(authorizationId.isEmpty() ? null : authorizationId, attributes);
  }
}
