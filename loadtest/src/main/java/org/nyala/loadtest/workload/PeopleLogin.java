package org.nyala.loadtest.workload;

import org.jspecify.annotations.Nullable;
import org.nyala.loadtest.ldap.Pdu;
import org.nyala.loadtest.sasl.Mechanism;
import org.nyala.loadtest.sasl.SaslLogin;

/**
 * The way in which the job {@code bind} binds people. Immutable.
 *
 * @param mechanism the mechanism of SASL, not {@link Mechanism#EXTERNAL}; null for simple binds
 * @param pattern the name of a person for SASL: text in which {@code %u} is the value of the
 *     targets, such as {@code user.7}, and {@code %d} the DN
 */
public record PeopleLogin(@Nullable Mechanism mechanism, String pattern) {
  /** The value of the targets alone. */
  public static final String DEFAULT_PATTERN = "%u";

  /** Simple binds with the DN. */
  public static final PeopleLogin SIMPLE = new PeopleLogin(null, DEFAULT_PATTERN);

  /** Returns whether people bind by SCRAM. */
  public boolean isScram() {
    return mechanism != null && mechanism.isScram();
  }

  /**
   * A person, for SASL.
   *
   * @param dn the name of the entry
   * @param value the value of the targets
   */
  public SaslLogin of(Mechanism by, String dn, String value) {
    return new SaslLogin(by, pattern.replace("%u", value).replace("%d", dn), "");
  }

  /** The request by which a person binds, simply or by PLAIN. */
  public byte[] bind(String dn, String value, String password) {
    return mechanism == Mechanism.PLAIN
        ? Pdu.saslBind(mechanism.label(), of(mechanism, dn, value).credentials(password))
        : Pdu.bind(dn, password);
  }
}
