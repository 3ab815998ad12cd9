package org.nyala.core.sasl;

import com.sun.security.auth.module.Krb5LoginModule;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionException;
import javax.security.auth.Subject;
import javax.security.auth.callback.UnsupportedCallbackException;
import javax.security.auth.login.LoginException;
import org.ietf.jgss.GSSContext;
import org.ietf.jgss.GSSCredential;
import org.ietf.jgss.GSSException;
import org.ietf.jgss.GSSManager;
import org.ietf.jgss.GSSName;
import org.ietf.jgss.Oid;
import org.jspecify.annotations.Nullable;

/**
 * The server as clients of Kerberos know it: its principal, with the keys of a keytab, which is
 * read again whenever it has changed.
 *
 * <p>Immutable.
 */
public final class GssapiAcceptor {
  /** The mechanism Kerberos 5 (RFC 4121, section 1), and its form of names (RFC 1964, 2.1.1). */
  private static final Oid KERBEROS = oid("1.2.840.113554.1.2.2");

  private static final Oid KERBEROS_NAME = oid("1.2.840.113554.1.2.2.1");

  private static final String SERVICE = "ldap/";

  private final GssapiSettings settings;
  private final String principal;
  private final GSSCredential credential;

  private GssapiAcceptor(GssapiSettings settings, String principal, GSSCredential credential) {
    this.settings = settings;
    this.principal = principal;
    this.credential = credential;
  }

  /**
   * Reads the keytab. Nothing of the process changes, so that a configuration may still be
   * rejected: {@link KerberosProperties#takeOver} has the JDK use it.
   *
   * @throws IOException if it cannot be used, with the reason for an administrator
   */
  public static GssapiAcceptor open(GssapiSettings settings) throws IOException {
    String principal = principal(settings, Keytab.principals(settings.keytab()));
    Path configuration = settings.krb5Conf();
    if (configuration != null && !Files.isReadable(configuration)) {
      throw new IOException(configuration + " cannot be read (sasl.gssapi.krb5Conf)");
    }
    try {
      return new GssapiAcceptor(settings, principal, credential(settings, principal));
    } catch (CompletionException | LoginException e) {
      throw new IOException("Kerberos cannot be used as " + principal + ": " + reason(e), e);
    }
  }

  /** Returns the reason why the JDK cannot use a keytab or a configuration of Kerberos. */
  static String reason(Exception e) {
    Throwable cause = e.getCause();
    return String.valueOf(cause == null ? e.getMessage() : cause.getMessage());
  }

  private static String principal(GssapiSettings settings, Set<String> known) throws IOException {
    String named = settings.principal();
    List<String> fitting =
        known.stream()
            .filter(each -> named == null ? each.startsWith(SERVICE) : each.equals(named))
            .toList();
    if (fitting.size() == 1) {
      return fitting.getFirst();
    }
    throw new IOException(
        settings.keytab()
            + (fitting.isEmpty() ? " has no key of " : " has keys of several: choose one of ")
            + (named != null ? named : SERVICE + "HOST@REALM")
            + ", but of "
            + (known.isEmpty() ? "nobody" : String.join(", ", known)));
  }

  /** Asks no KDC. */
  private static GSSCredential credential(GssapiSettings settings, String principal)
      throws LoginException {
    Subject subject = login(settings, principal, false);
    return Subject.callAs(
        subject,
        () -> {
          GSSManager manager = GSSManager.getInstance();
          GSSName own = manager.createName(principal, KERBEROS_NAME);
          return manager.createCredential(
              own, GSSCredential.INDEFINITE_LIFETIME, KERBEROS, GSSCredential.ACCEPT_ONLY);
        });
  }

  /** Has the JDK read the configuration of Kerberos again, from where its property says. */
  void readKerberosAgain() throws LoginException {
    Subject _ = login(settings, principal, true);
  }

  private static Subject login(GssapiSettings settings, String principal, boolean readsAgain)
      throws LoginException {
    Subject subject = new Subject();
    Krb5LoginModule login = new Krb5LoginModule();
    login.initialize(
        subject,
        callbacks -> {
          throw new UnsupportedCallbackException(callbacks[0]);
        },
        Map.of(),
        Map.of(
            "refreshKrb5Config", Boolean.toString(readsAgain),
            "isInitiator", "false",
            "storeKey", "true",
            "doNotPrompt", "true",
            "useKeyTab", "true",
            "keyTab", settings.keytab().toString(),
            "principal", principal));
    if (!login.login() || !login.commit()) {
      throw new LoginException("there is no key");
    }
    return subject;
  }

  private static Oid oid(String text) {
    try {
      return new Oid(text);
    } catch (GSSException e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * Begins an exchange.
   *
   * @param mayProtect whether a connection may have a layer of SASL
   * @throws GssapiException if the JDK cannot
   */
  public GssapiExchange begin(boolean mayProtect) throws GssapiException {
    try {
      GSSContext context = GSSManager.getInstance().createContext(credential);
      return new GssapiExchange(context, settings, protections(mayProtect));
    } catch (GSSException e) {
      throw new GssapiException(String.valueOf(e.getMessage()));
    }
  }

  /**
   * Returns the protections that a connection may have, none if no exchange is allowed on it: one
   * without a layer can be relayed from any other connection, also by somebody in between who hides
   * there that it could have had one.
   *
   * @param mayProtect whether the connection may have a layer of SASL
   */
  public Set<Protection> protections(boolean mayProtect) {
    Set<Protection> all = settings.protections();
    if (mayProtect) {
      return all;
    }
    return all.contains(Protection.AUTH) ? Set.of(Protection.AUTH) : Set.of();
  }

  public GssapiSettings settings() {
    return settings;
  }

  /** Returns the server's name in Kerberos. */
  public String principal() {
    return principal;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof GssapiAcceptor acceptor
        && settings.equals(acceptor.settings)
        && principal.equals(acceptor.principal);
  }

  @Override
  public int hashCode() {
    return settings.hashCode();
  }

  @Override
  public String toString() {
    return principal;
  }
}
