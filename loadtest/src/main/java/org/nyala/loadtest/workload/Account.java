package org.nyala.loadtest.workload;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.nyala.loadtest.ldap.Pdu;
import org.nyala.loadtest.sasl.SaslLogin;

/**
 * The identity under which the connections that search or write are bound.
 *
 * <p>Immutable.
 *
 * @param dn its DN; empty for anonymous, and for a user of SASL
 * @param password its password
 * @param sasl the user, if it binds by SASL; null for a simple bind
 */
public record Account(String dn, String password, @Nullable SaslLogin sasl) {
  public static final Account ANONYMOUS = new Account("", "");

  /** The account that no access rule or limit restricts, on servers that this program starts. */
  public static final Account ROOT = new Account("cn=admin,dc=example,dc=com", "secret");

  /** An account that binds with its DN and its password. */
  public Account(String dn, String password) {
    this(dn, password, null);
  }

  public boolean isAnonymous() {
    return dn.isEmpty() && sasl == null;
  }

  /** Returns whether it binds by SCRAM, which takes two requests that differ in every bind. */
  public boolean isScram() {
    return sasl != null && sasl.mechanism().isScram();
  }

  /** The whole request of its bind, unless that {@link #isScram}. */
  public byte[] bind() {
    return sasl == null
        ? Pdu.bind(dn, password)
        : Pdu.saslBind(sasl.mechanism().label(), sasl.credentials(password));
  }

  /** Its user of SASL; throws {@link NullPointerException} if it has none. */
  public SaslLogin login() {
    return Objects.requireNonNull(sasl);
  }

  /** Leaves the password out. */
  @Override
  public String toString() {
    return "Account[dn=" + dn + ", sasl=" + sasl + "]";
  }
}
