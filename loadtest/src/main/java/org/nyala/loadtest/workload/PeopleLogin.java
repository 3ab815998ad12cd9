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

  /** The person with a number, for SASL. */
  public SaslLogin of(Mechanism by, Targets targets, String number, String people) {
    String name =
        pattern
            .replace("%u", targets.value(number))
            .replace("%d", targets.rdn(number) + "," + people);
    return new SaslLogin(by, name, "");
  }

  /** The request by which a person binds, simply or by PLAIN. */
  public byte[] bind(Targets targets, String number, String people) {
    String password = UserPassword.passwordOf(number);
    if (mechanism != Mechanism.PLAIN) {
      return Pdu.bind(targets.rdn(number) + "," + people, password);
    }
    SaslLogin person = of(mechanism, targets, number, people);
    return Pdu.saslBind(mechanism.label(), person.credentials(password));
  }
}
