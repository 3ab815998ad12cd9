package org.nyala.core.control;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
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

  /** Copies the list. */
  public EffectiveRights {
    attributes = List.copyOf(attributes);
  }

  /**
   * Reads the value of the request control.
   *
   * @param value the value; null if there is none
   * @throws LdapOperationException protocolError if it has none of the three forms
   */
  public static EffectiveRights read(byte @Nullable [] value) throws LdapOperationException {
    if (value == null || value.length == 0) {
      return new EffectiveRights(null, List.of());
    }
    String plain = new String(value, StandardCharsets.UTF_8);
    if (plain.regionMatches(true, 0, DN_PREFIX, 0, DN_PREFIX.length())) {
      return of(plain, List.of());
    }
    try {
      return read(new BerReader(value));
    } catch (InvalidBerException e) {
      throw new LdapOperationException(
          ResultCode.PROTOCOL_ERROR, "effective rights control: " + e.getMessage());
    }
  }

  private static EffectiveRights read(BerReader reader) throws InvalidBerException {
    if (reader.nextTag() == BerReader.OCTET_STRING) {
      EffectiveRights read = of(reader.text(), List.of());
      reader.requireEnd();
      return read;
    }
    BerReader sequence = reader.sequence();
    String authorizationId = sequence.text();
    List<String> attributes = new ArrayList<>();
    if (sequence.nextTag() == BerReader.SEQUENCE) {
      BerReader list = sequence.sequence();
      while (list.hasNext()) {
        attributes.add(list.text());
      }
    }
    sequence.skipExtensions();
    reader.requireEnd();
    return of(authorizationId, attributes);
  }

  private static EffectiveRights of(String authorizationId, List<String> attributes) {
    return new EffectiveRights(authorizationId.isEmpty() ? null : authorizationId, attributes);
  }
}
